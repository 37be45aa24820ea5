"""Query vectors, remembered: the same question is encoded once a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder

__all__ = ["query_vector", "remember"]

_kept: ByteCache[np.ndarray] = ByteCache(f"{__name__}.query_vector", 2 * MB, holds_text=False)
"""Some thousand vectors: a person goes back and forth between a few questions."""
_shipped: dict[str, np.ndarray] = {}
"""Of the questions that came with the program."""


def query_vector(embedder: Embedder, text: str) -> np.ndarray:
    """The vector of a query, (d,) float32 of unit length.

    Kept in memory, not in the workspace's cache: a search must not write, and reading there would be one storage call
    more (law 8).
    """
    key = embedder.cache_key(text, "query")
    known = _shipped.get(key)
    known = _kept.get(key) if known is None else known
    if known is None:
        known = embedder.embed([text], role="query")[0].copy()  # a row of a batch holds all of it
        _kept.put(key, known)
    return known


def remember(embedder: Embedder, text: str, vector: np.ndarray) -> None:
    """Take the vector of a query that will be searched as it came with the program: it then needs no model.

    Everybody's searches of this process use it. So it is never taken from a workspace, whose cache may have come with a
    file and
    hold anything under a key.

    Args:
        vector: (d,) float32, of unit length.
    """
    _shipped[embedder.cache_key(text, "query")] = vector
