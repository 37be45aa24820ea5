"""One search's input: what to look for, where and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.config import SearchConfig
from chunking.embedding.model_folder import model_of, same_model
from chunking.errors import ModelError
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import Terms

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Index

__all__ = ["Query"]


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, where and how."""

    index: Index
    parts: QueryParts
    terms: Terms
    """What to look for in a text."""
    config: SearchConfig
    where: Mapping[str, str]
    """Conditions that every hit fulfils, by key."""
    embedder: Embedder | None = None
    """Makes the query's vector; None: the index's model."""
    vector: np.ndarray | None = None
    """(d,) the query's, where it was computed already."""

    def model(self) -> Embedder:
        """The model whose vectors the index holds.

        Raises:
            ModelError: it is missing, or `embedder` is another one.
        """
        embedder = self.embedder
        if embedder is None:
            from chunking.embedding import load_embedder

            embedder = load_embedder(self.index.config.embedding)
        if not same_model(embedder.key, self.index.row.model_key):
            raise ModelError(
                f"The index '{self.index.name}' has vectors of {model_of(self.index.row.model_key)}, not of "
                f"{model_of(embedder.key)}; search it with the model it was built with, or build it again.",
                where=self.index.name,
            )
        return embedder
