"""One search as data: what is asked for, which never changes, what is found on the way, and a trace of the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from chunking.config import SearchConfig
from chunking.embedding.model_folder import model_of, same_model
from chunking.errors import ModelError
from chunking.model import Chunk
from chunking.retrieval.query_parts import QueryParts
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.highlights import Terms
from chunking.retrieval.results.results import Phase, RepeatedText, Stage

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Index

__all__ = ["Candidates", "SearchRequest", "Trace"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for, where and how."""

    index: Index
    query: QueryParts
    terms: Terms
    """What of the query is looked for in a text."""
    config: SearchConfig
    where: Mapping[str, str]
    """Conditions that every hit fulfils, by key."""
    embedder: Embedder | None = None
    """Makes the query's vector; the index's model where it is None."""
    vector: np.ndarray | None = None
    """(d,) the query's, where it is known already."""

    def model(self) -> Embedder:
        """The model whose vectors the index holds.

        Raises:
            ModelError: it is missing, or another one was given.
        """
        embedder = self.embedder
        if embedder is None:
            from chunking.embedding import load_embedder

            embedder = load_embedder(self.index.config.embedding)
        if not same_model(embedder.key, self.index.row.model_key):
            raise ModelError(
                f"The index '{self.index.name}' holds vectors of {model_of(self.index.row.model_key)}, not of "
                f"{model_of(embedder.key)}; search it with the model it was built with, or build it again.",
                where=self.index.name,
            )
        return embedder


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a search has found so far."""

    hits: tuple[Fused, ...]
    """Best first."""
    chunks: Mapping[str, Chunk]
    """Everything that a leg found, by id: the chunk of each hit, and summaries that led to some."""
    terms: Terms
    """What is looked for in a text: where hits hold the query's characters, those as well."""
    by_words: frozenset[str] = frozenset()
    """Ids that the text leg found, which hold the phrases by its own rules (stems, other accents)."""
    exact: bool = False
    """The hits hold the query's characters, not its words."""
    repeats: Mapping[str, tuple[RepeatedText, ...]] = field(default_factory=dict)
    """For some hits, where else their text stands."""


class Trace:
    """What a search says of itself: its stages, each with its time and count, and sentences for the user."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._notes: list[str] = []

    @property
    def stages(self) -> Sequence[Stage]:
        """In the order in which they ended."""
        return tuple(self._stages)

    @property
    def notes(self) -> Sequence[str]:
        """Sentences for the user about what was found."""
        return tuple(self._notes)

    def timed(self, name: str, phase: Phase, step: Callable[[], T], count: Callable[[T], int]) -> T:
        """What `step` makes; how long it took and how many came out is a stage."""
        started = perf_counter()
        made = step()
        self._stages.append(Stage(name, count(made), (perf_counter() - started) * 1000, phase))
        return made

    def note(self, sentence: str) -> None:
        """Tell the user."""
        self._notes.append(sentence)
