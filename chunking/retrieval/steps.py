"""The steps of a search, each timed: which legs, their candidates, fusion, repeats, neighbours, results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from chunking.config import FullTextTokenizer, SearchConfig
from chunking.errors import ModelError
from chunking.model import Chunk
from chunking.model_folder import model_of, same_model
from chunking.retrieval.citation import cite
from chunking.retrieval.fusion import Fused, fuse
from chunking.retrieval.highlights import Terms, highlights, holds, matched_fields, terms
from chunking.retrieval.query import Query
from chunking.retrieval.readability import Weighing, unknown_share, weigh
from chunking.retrieval.repeats import drop_repeats
from chunking.retrieval.results import Place, Result, Stage
from chunking.retrieval.vectors import query_vector

if TYPE_CHECKING:
    from chunking.embedding import Embedder
    from chunking.store import Hit, Index, Neighbours

__all__ = ["Steps"]

_NO_WORD = "There is no word in the query that full text could look up."
_EXACT = "Full text knows no such word; shown are chunks that hold exactly these characters."
_EXACTLY = "Holds exactly the characters of the query; no score tells such hits apart."
_ONLY_PHRASES = "Only chunks that hold what stands in quotation marks are shown."
_NO_PHRASES = "No chunk was found that holds what stands in quotation marks; shown are the nearest without it."

T = TypeVar("T")


@dataclass(slots=True)
class Steps:
    """One search, step by step."""

    index: Index
    query: Query
    config: SearchConfig
    where: Mapping[str, str]
    embedder: Embedder | None
    stages: list[Stage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for the user about what was found."""
    exact: bool = False
    """The hits hold the query's characters, not its words."""

    def timed(self, name: str, step: Callable[[], T], count: Callable[[T], int]) -> T:
        """What `step` makes; how long it took and how many came out is noted."""
        started = perf_counter()
        made = step()
        self.stages.append(Stage(name, count(made), (perf_counter() - started) * 1000))
        return made

    def weighing(self) -> Weighing:
        """The legs to search: not for words where there is no word (unless nothing else is left), not by meaning where
        the model cannot read."""
        weighing = self._weighed()
        if self.query.searchable or "text" not in weighing.weights:
            return weighing
        rest = {"vector": 1.0} if "vector" in weighing.weights else {"text": 1.0}
        return Weighing(rest, (*weighing.notes, _NO_WORD))

    def leg(self, name: str, *, alone: bool = False) -> list[Hit]:
        """A leg's candidates, best first.

        Args:
            alone: it is the only leg of this search. Words that full text does not find are then looked for as characters:
                Chinese words may be cut elsewhere than the query is.
        """
        if name == "text":
            found = self.timed("text", self._by_words, len)
            return found if found or not alone else self.timed("characters", self._by_characters, len)
        vector = self.timed("query vector", lambda: query_vector(self._model(), self.query.text), lambda made: 1)
        hits = self.timed("vector", lambda: self.index.vector_search(vector, self.config.candidate_count, self.where), len)
        return [hit for hit in hits if hit.score >= self.config.min_similarity] if self.config.min_similarity else hits

    def fused(self, legs: Mapping[str, Iterable[Hit]], weighing: Weighing) -> tuple[Fused, ...]:
        """The candidates of all legs as one list, best first."""
        scores = {name: {hit.chunk.chunk_id: hit.score for hit in hits} for name, hits in legs.items()}
        return self.timed("fusion", lambda: fuse(scores, weighing.weights, self.config.fusion), len)

    def with_phrases(self, fused: tuple[Fused, ...], by_words: Iterable[Hit], chunks: Mapping[str, Chunk]) -> tuple[Fused, ...]:
        """The candidates that hold the query's phrases, whichever leg found them; all of them where none does.

        Args:
            by_words: candidates of the text leg, which hold the phrases by its own rules (stems, other accents).
        """
        if not self.query.phrases or not fused:
            return fused
        known, phrases = {hit.chunk.chunk_id for hit in by_words}, terms(self.query).phrases
        kept = tuple(hit for hit in fused if hit.chunk_id in known or holds(chunks[hit.chunk_id], phrases))
        if len(kept) < len(fused):
            self.notes.append(_ONLY_PHRASES if kept else _NO_PHRASES)
        return kept or fused

    def distinct(self, fused: Sequence[Fused], chunks: Mapping[str, Chunk]) -> tuple[list[Fused], dict[str, tuple[Place, ...]]]:
        """The first k, without repeats where that is asked for."""
        if not self.config.drop_repeats:
            return list(fused[: self.config.k]), {}
        kept, repeats = self.timed("repeats dropped", lambda: drop_repeats(fused, chunks), lambda made: len(made[0]))
        return kept[: self.config.k], repeats

    def near(self, hits: Sequence[Chunk]) -> Neighbours:
        """What stands around each hit, and the outline of each document: one storage call for all of them."""
        config = self.config
        return self.timed(
            "neighbours",
            lambda: self.index.neighbours(hits, config.before, config.after, across_parents=config.across_parents),
            lambda found: len({chunk.chunk_id for chunks in found.around.values() for chunk in chunks}),
        )

    def results(
        self,
        kept: Iterable[Fused],
        repeats: Mapping[str, tuple[Place, ...]],
        chunks: Mapping[str, Chunk],
        around: Mapping[str, tuple[Chunk, ...]],
    ) -> tuple[Result, ...]:
        """What the user sees of each hit.

        Args:
            kept: the hits, best first.
            repeats: for some of them, where else their text stands.
            chunks: each one's chunk.
            around: each one's neighbours.
        """
        wanted = terms(self.query)
        rows = ((rank, hit, chunks[hit.chunk_id], around[hit.chunk_id]) for rank, hit in enumerate(kept, start=1))
        made = self.timed("results", lambda: tuple(_result(*row, repeats.get(row[1].chunk_id, ()), wanted) for row in rows), len)
        return tuple(replace(result, explanation=_EXACTLY, exact=True) for result in made) if self.exact else made

    def _weighed(self) -> Weighing:
        if self.config.mode == "text" or (self.config.mode == "hybrid" and not self.config.vector_weight):
            return Weighing({"text": 1.0})
        embedding = self.index.config.embedding
        return weigh(self.config, embedding.model, unknown_share(embedding, self.query.text), self.index.row.unknown_share)

    def _by_words(self) -> list[Hit]:
        from chunking.store import TextQuery

        words = TextQuery(self.query.words, self.query.phrases)
        found = self.index.text_search(words, self.config.candidate_count, self.where)
        if self.query.phrases and self.index.config.index.tokenizer is FullTextTokenizer.NGRAM:
            phrases = terms(self.query).phrases  # to pairs of characters a phrase is any text with most of its pairs
            return [hit for hit in found if holds(hit.chunk, phrases)]
        return found

    def _by_characters(self) -> list[Hit]:
        found = self.index.substring_search(self.query.text, self.config.candidate_count, self.where)
        if found:
            self.exact = True
            self.notes.append(_EXACT)
        return found

    def _model(self) -> Embedder:
        """The model whose vectors the index holds."""
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


def _result(rank: int, hit: Fused, chunk: Chunk, near: tuple[Chunk, ...], repeats: tuple[Place, ...], wanted: Terms) -> Result:
    return Result(
        rank=rank,
        chunk=chunk,
        score=hit.score,
        legs=hit.legs,
        explanation=hit.explanation,
        matched_fields=matched_fields(chunk, wanted),
        highlights=highlights(chunk, wanted),
        neighbours=near,
        repeats=repeats,
        citation=cite(chunk),
    )
