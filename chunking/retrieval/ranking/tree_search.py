"""Top-down search of a summary tree: the best summaries of each level lead to their children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunking.model import CLUSTER, DOCUMENT, SECTION, Chunk
from chunking.retrieval.ranking.fused_hits import Fused

__all__ = ["SUMMARIES", "under_the_best"]

SUMMARIES = (SECTION, DOCUMENT, CLUSTER)
"""Levels of the tree above the chunks."""


def under_the_best(ranked: Sequence[Fused], nodes: Mapping[str, Chunk], width: int) -> set[str]:
    """Ids of the chunks under the best summaries (RAPTOR's tree traversal; arXiv 2401.18059).

    Level by level, starting with documents and the highest clusters, the `width` best nodes are kept and their children
    looked at. All summaries were ranked in one search, so a level costs no call.

    Args:
        ranked: summaries of all levels, best first.
        nodes: each one's node, by id.
    """
    places = {hit.chunk_id: place for place, hit in enumerate(ranked)}
    level, chunks, visited = _roots([nodes[hit.chunk_id] for hit in ranked]), set[str](), set[str]()
    while level:
        kept = sorted(level, key=places.__getitem__)[:width]
        visited.update(kept)
        children = [child for node in kept for child in nodes[node].children]
        chunks.update(child for child in children if _is_chunk(child))
        level = {child for child in children if child in places} - visited
    return chunks


def _roots(matches: Sequence[Chunk]) -> set[str]:
    """Start nodes: documents and clusters that are no other match's child, else all such nodes."""
    below = {child for node in matches for child in node.children}
    tops = {node.chunk_id for node in matches if node.level in (DOCUMENT, CLUSTER) and node.chunk_id not in below}
    return tops or {node.chunk_id for node in matches if node.chunk_id not in below}


def _is_chunk(name: str) -> bool:
    """By the form of the id: `{doc_id}_chunk{n}`."""
    return name.rpartition("_chunk")[2].isdigit() and "_chunk" in name
