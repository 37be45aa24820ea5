"""Query vectors, remembered: the same question is encoded once a process."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder

__all__ = ["query_vector", "remember"]

_MOST = 512
"""Vectors kept, about 1 MB: a person goes back and forth between a few questions."""
_kept: OrderedDict[str, np.ndarray] = OrderedDict()
_lock = Lock()


def query_vector(embedder: Embedder, text: str) -> np.ndarray:
    """The vector of a query, (d,) float32 of unit length.

    Kept in memory, not in the workspace's cache: a search must not write, and reading there would be one storage call
    more (law 8).
    """
    key = embedder.cache_key(text, "query")
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    vector: np.ndarray = embedder.embed([text], role="query")[0]
    _keep(key, vector)
    return vector


def remember(embedder: Embedder, text: str, vector: np.ndarray) -> None:
    """Take the vector of a query that will be searched as it came with the program: it then needs no model.

    Everybody's searches of this process use it. So it is never taken from a workspace, whose cache may have come with a file and
    hold anything under a key.

    Args:
        vector: (d,) float32, of unit length.
    """
    _keep(embedder.cache_key(text, "query"), vector)


def _keep(key: str, vector: np.ndarray) -> None:
    with _lock:
        _kept[key] = vector
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
