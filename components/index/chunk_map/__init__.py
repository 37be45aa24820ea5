"""All chunks of an index as points, with the hits among them; and the tree of its clusters."""

from components.index.chunk_map.panel import chunk_map

__all__ = ["chunk_map"]
