"""Cache of query vectors: each question is encoded once per process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder

__all__ = ["load_model_for", "query_vector", "ship_query_vector"]

_cache: ByteCache[np.ndarray] = ByteCache(f"{__name__}.query_vector", 2 * MB, holds_text=False)
"""Room for some thousand vectors, since a user alternates between a few questions."""
_shipped: dict[str, np.ndarray] = {}
"""Vectors of the questions shipped with the program."""


def query_vector(embedder: Embedder, text: str) -> np.ndarray:
    """The vector of a query, (d,) float32 of unit length.

    Cached in memory, not in the workspace: a search must not write, and reading there would cost another storage call
    (law 8).
    """
    vector = _cached(embedder, text)
    if vector is None:
        vector = embedder.embed([text], role="query")[0].copy()  # a row keeps its whole batch in memory
        _cache.put(embedder.cache_key(text, "query"), vector)
    return vector


def load_model_for(embedder: Embedder, text: str) -> None:
    """Load a local model, unless the query's vector is cached."""
    from chunking.embedding import LocalEmbedder

    if isinstance(embedder, LocalEmbedder) and _cached(embedder, text) is None:
        embedder.prepare()


def _cached(embedder: Embedder, text: str) -> np.ndarray | None:
    key = embedder.cache_key(text, "query")
    vector = _shipped.get(key)
    return _cache.get(key) if vector is None else vector


def ship_query_vector(embedder: Embedder, text: str, vector: np.ndarray) -> None:
    """Preset the vector of a query shipped with the program, which then needs no model.

    All searches of this process use it, so it must never come from a workspace: a cache from a file may hold anything.

    Args:
        vector: (d,) float32, of unit length.
    """
    _shipped[embedder.cache_key(text, "query")] = vector
