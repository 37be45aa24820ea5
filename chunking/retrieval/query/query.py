"""Input of one search, and the cache of query vectors: each question is encoded once per process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.config import SearchConfig
from chunking.embedding.model_folder import model_of, same_model
from chunking.errors import ModelError
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import Terms
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Index

__all__ = ["Query", "load_model_for", "query_vector", "ship_query_vector"]

_cache: ByteCache[np.ndarray] = ByteCache(f"{__name__}.query_vector", 2 * MB, holds_text=False)
"""Room for some thousand vectors, since a user alternates between a few questions."""
_shipped: dict[str, np.ndarray] = {}
"""Vectors of the questions shipped with the program."""


@dataclass(frozen=True, slots=True)
class Query:
    """Input of one search: query, index and settings."""

    index: Index
    parts: QueryParts
    terms: Terms
    """Terms to look for in a text."""
    config: SearchConfig
    where: Mapping[str, str]
    """Filters that every hit must match, by key."""
    embedder: Embedder | None = None
    """Model for the query's vector; None: the index's model."""
    vector: np.ndarray | None = None
    """(d,) query vector, if already computed."""

    def model(self) -> Embedder:
        """Return `embedder`, or load the embedding model of the index.

        Raises:
            ModelError: it is missing and may not be downloaded, or `embedder` is another model.
        """
        embedder = self.embedder
        if embedder is None:
            from chunking.embedding import load_embedder

            embedder = load_embedder(self.index.config.embedding)
        if not same_model(embedder.key, self.index.row.model_key):
            raise ModelError(
                (
                    f"The index '{self.index.name}' has vectors of {model_of(self.index.row.model_key)}, not of "
                    f"{model_of(embedder.key)}; search it with the model it was built with, or build it again."
                ),
                where=self.index.name,
            )
        return embedder


# -- vectors


def query_vector(embedder: Embedder, text: str) -> np.ndarray:
    """Return the vector of a query, (d,) float32 of unit length, from the cache or the model.

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
