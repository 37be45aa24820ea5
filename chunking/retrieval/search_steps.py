"""The steps that every search is made of, each timed: which legs, their candidates, fusion, phrases, repeats, neighbours.

What a mode of retrieval makes of them stands in `retrieval_modes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from chunking.config import FullTextTokenizer, SearchConfig
from chunking.errors import ModelError
from chunking.model import CHUNK, Chunk
from chunking.model_folder import model_of, same_model
from chunking.retrieval.query_parts import Query
from chunking.retrieval.query_vectors import query_vector
from chunking.retrieval.ranking.fused_hits import Fused, fuse
from chunking.retrieval.ranking.readability import Weighing, unknown_share, weigh
from chunking.retrieval.ranking.repeats import drop_repeats
from chunking.retrieval.results.highlights import Terms, holds, terms
from chunking.retrieval.results.results import Phase, Place, Stage

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Hit, Index, Neighbours

__all__ = ["Legs", "Steps"]

_NO_WORD = "There is no word in the query that full text could look up."
_EXACT = "Full text knows no such word; shown are chunks that hold exactly these characters."
_ONLY_PHRASES = "Only chunks that hold what stands in quotation marks are shown."
_NO_PHRASES = "No chunk was found that holds what stands in quotation marks; shown are the nearest without it."

T = TypeVar("T")
Legs = Mapping[str, Mapping[str, float]]
"""Scores of each leg's candidates, by name and id."""


@dataclass(slots=True)
class Steps:
    """One search, step by step."""

    index: Index
    query: Query
    config: SearchConfig
    where: Mapping[str, str]
    embedder: Embedder | None
    vector: np.ndarray | None = None
    """The query's, once it is known."""
    chunks: dict[str, Chunk] = field(default_factory=dict)
    """Everything that a leg found, by id."""
    stages: list[Stage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for the user about what was found."""
    exact: bool = False
    """The hits hold the query's characters, not its words."""
    repeats: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    """For some hits, where else their text stands."""
    _by_words: set[str] = field(default_factory=set)
    """Ids that the text leg found, which hold the phrases by its own rules (stems, other accents)."""
    _characters: list[Hit] | None = None
    """What holds the query's characters, once that was looked for."""
    _terms: dict[bool, Terms] = field(default_factory=dict)

    @property
    def terms(self) -> Terms:
        """What of the query is looked for in a text: where hits hold its characters, those as well."""
        if self.exact not in self._terms:
            phrases = (*self.query.phrases, self.query.text) if self.exact else self.query.phrases
            self._terms[self.exact] = terms(replace(self.query, phrases=phrases))
        return self._terms[self.exact]

    def timed(self, name: str, phase: Phase, step: Callable[[], T], count: Callable[[T], int]) -> T:
        """What `step` makes; how long it took and how many came out is noted."""
        started = perf_counter()
        made = step()
        self.stages.append(Stage(name, count(made), (perf_counter() - started) * 1000, phase))
        return made

    def weighing(self) -> Weighing:
        """The legs to search: not by meaning where the model cannot read, and not for words where there is no word.

        A query without words (`->`) is looked for as characters; only where no chunk holds them, meaning has the say.
        """
        weighing = self._weighed()
        if self.query.searchable or "text" not in weighing.weights:
            return weighing
        rest = {"vector": 1.0} if "vector" in weighing.weights and not self._exactly() else {"text": 1.0}
        return Weighing(rest, (*weighing.notes, _NO_WORD))

    def legs(self, weighing: Weighing, levels: Sequence[str] = (CHUNK,), *, ids: Collection[str] | None = None, of: str = "") -> Legs:
        """The candidates of each leg: one storage call each.

        Args:
            levels: those that are searched together.
            ids: only rows of these ids.
            of: what they are of, in the names of the stages.
        """
        return {name: self._leg(name, levels, ids, of, alone=len(weighing.weights) == 1) for name in weighing.weights}

    def scores(self, weighing: Weighing, level: str) -> Legs:
        """The scores of each leg on a level that is not shown itself, a larger size: one storage call each."""
        config = self.config
        return {name: self.timed(f"{name} {level}", "legs", partial(self._scored, name, level, config), len) for name in weighing.weights}

    def fused(self, legs: Legs, weighing: Weighing, *, of: str = "", raw: bool = True) -> tuple[Fused, ...]:
        """The candidates of all legs as one list, best first."""
        return self.timed(_named("fusion", of), "fusion", lambda: fuse(legs, weighing.weights, self.config.fusion, raw=raw), len)

    def with_phrases(self, fused: tuple[Fused, ...]) -> tuple[Fused, ...]:
        """The candidates that hold the query's phrases, whichever leg found them; all of them where none does."""
        if not self.query.phrases or not fused:
            return fused
        phrases = self.terms.phrases
        kept = tuple(hit for hit in fused if hit.chunk_id in self._by_words or holds(self.chunks[hit.chunk_id], phrases))
        if len(kept) < len(fused):
            self.notes.append(_ONLY_PHRASES if kept else _NO_PHRASES)
        return kept or fused

    def distinct(self, fused: Sequence[Fused]) -> list[Fused]:
        """The candidates without repeats, where that is asked for; where those stand is noted."""
        if not self.config.drop_repeats:
            return list(fused)
        kept, self.repeats = self.timed("repeats dropped", "fusion", lambda: drop_repeats(fused, self.chunks), lambda made: len(made[0]))
        return kept

    def near(self, hits: Sequence[Chunk], *, also: Iterable[str] = (), within: Iterable[str] = (), around: bool = True) -> Neighbours:
        """What stands around each hit, the outline of each document, and other rows: one storage call for all of them.

        Args:
            also: ids of rows that are wanted besides (parents).
            within: sections whose parts are wanted besides.
            around: False for the outlines and those rows only.
        """
        config = self.config
        before, after = (config.before, config.after) if around else (0, 0)
        return self.timed(
            "neighbours",
            "expand",
            lambda: self.index.neighbours(hits, before, after, across_parents=config.across_parents, also=also, within=within),
            lambda found: len({chunk.chunk_id for chunks in found.around.values() for chunk in chunks} | found.also.keys()),
        )

    def model(self) -> Embedder:
        """The model whose vectors the index holds.

        Raises:
            ModelError: it is missing, or another one was given.
        """
        if self.embedder is None:
            from chunking.embedding import load_embedder

            self.embedder = load_embedder(self.index.config.embedding)
        if not same_model(self.embedder.key, self.index.row.model_key):
            raise ModelError(
                f"The index '{self.index.name}' holds vectors of {model_of(self.index.row.model_key)}, not of "
                f"{model_of(self.embedder.key)}; search it with the model it was built with, or build it again.",
                where=self.index.name,
            )
        return self.embedder

    def _weighed(self) -> Weighing:
        if self.config.mode == "text" or (self.config.mode == "hybrid" and not self.config.vector_weight):
            return Weighing({"text": 1.0})
        embedding = self.index.config.embedding
        return weigh(self.config, embedding.model, unknown_share(embedding, self.query.text), self.index.row.unknown_share)

    def _leg(self, name: str, levels: Sequence[str], ids: Collection[str] | None, of: str, *, alone: bool) -> dict[str, float]:
        found = self._words(levels, ids, of, alone=alone) if name == "text" else self._meaning(levels, ids, of)
        self.chunks.update((hit.chunk.chunk_id, hit.chunk) for hit in found)
        return {hit.chunk.chunk_id: hit.score for hit in found}

    def _meaning(self, levels: Sequence[str], ids: Collection[str] | None, of: str) -> list[Hit]:
        vector, config = self._query_vector(), self.config
        search = self.index.vector_search
        hits = self.timed(
            _named("vector", of),
            "legs",
            lambda: search(vector, config.candidate_count, self.where, levels=levels, ids=ids, probes=config.probes, refine=config.refine),
            len,
        )
        return [hit for hit in hits if hit.score >= config.min_similarity] if config.min_similarity else hits

    def _scored(self, name: str, level: str, config: SearchConfig) -> dict[str, float]:
        from chunking.store import TextQuery

        count = config.candidate_count
        if name == "text":
            return self.index.text_scores(TextQuery(self.query.words, self.query.phrases), count, self.where, levels=(level,))
        search, vector = self.index.vector_scores, self._query_vector()
        found = search(vector, count, self.where, levels=(level,), probes=config.probes, refine=config.refine)
        return {name: score for name, score in found.items() if score >= config.min_similarity} if config.min_similarity else found

    def _query_vector(self) -> np.ndarray:
        if self.vector is None:
            self.vector = self.timed("query vector", "legs", lambda: query_vector(self.model(), self.query.text), lambda made: 1)
        return self.vector

    def _words(self, levels: Sequence[str], ids: Collection[str] | None, of: str, *, alone: bool) -> list[Hit]:
        """Words that full text does not find are looked for as characters, where no other leg is searched: Chinese words
        may be cut elsewhere than the query is."""
        if self.query.searchable:
            found = self.timed(_named("text", of), "legs", lambda: self._full_text(levels, ids), len)
            self._by_words.update(hit.chunk.chunk_id for hit in found)
            if found or not alone:
                return found
        return self._exactly()

    def _full_text(self, levels: Sequence[str], ids: Collection[str] | None) -> list[Hit]:
        from chunking.store import TextQuery

        words = TextQuery(self.query.words, self.query.phrases)
        found = self.index.text_search(words, self.config.candidate_count, self.where, levels=levels, ids=ids)
        if self.query.phrases and self.index.config.index.tokenizer is FullTextTokenizer.NGRAM:
            phrases = self.terms.phrases  # to pairs of characters a phrase is any text with most of its pairs
            return [hit for hit in found if holds(hit.chunk, phrases)]
        return found

    def _exactly(self) -> list[Hit]:
        """Chunks that hold exactly the query's characters; asked for once a search."""
        if self._characters is None:
            search, text = self.index.substring_search, self.query.text
            self._characters = self.timed("characters", "legs", lambda: search(text, self.config.candidate_count, self.where), len)
            if self._characters:
                self.exact = True
                self.notes.append(_EXACT)
        return self._characters


def _named(stage: str, of: str) -> str:
    return f"{stage} {of}" if of else stage
