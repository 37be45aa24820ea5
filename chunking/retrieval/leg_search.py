"""The legs of a search: which are searched, with which weights, and the candidates of each.

What a mode of retrieval makes of them stands in `retrieval_modes.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from chunking.config import FullTextTokenizer
from chunking.model import CHUNK, Chunk
from chunking.retrieval.query_vectors import query_vector
from chunking.retrieval.ranking.character_hits import held_words, letter_cases, unknown_words, with_characters
from chunking.retrieval.ranking.fused_hits import Fused, fuse
from chunking.retrieval.ranking.readability import Weighing, unread_share, weigh
from chunking.retrieval.results.highlights import holds, terms
from chunking.retrieval.search_request import Candidates, SearchRequest, Trace

if TYPE_CHECKING:
    import numpy as np

    from chunking.store import StoreHit

__all__ = ["LegHits", "LegScores", "LegSearch"]

_NO_WORD = "There is no word in the query that full text could look up."
_EXACT = "Full text knows no such word; shown are chunks that hold exactly these characters."
_UNKNOWN = "Full text does not know {words}; chunks that hold these characters count instead."

_NAMED = 4
"""Unknown words that are named."""

LegScores = Mapping[str, Mapping[str, float]]
"""Scores of each leg's candidates, by name and id."""


@dataclass(frozen=True, slots=True)
class LegHits:
    """The candidates of all legs."""

    scores: LegScores
    chunks: Mapping[str, Chunk]
    """By id."""
    by_words: frozenset[str] = frozenset()
    """Ids that full text found."""
    exact: bool = False
    """The text leg looked for the query's characters, and found some."""


class LegSearch:
    """Searches the legs of one request. The query's vector, and what holds its characters, are asked for once."""

    def __init__(self, request: SearchRequest, trace: Trace) -> None:
        self.request = request
        self.trace = trace
        self._vector = request.vector
        self._characters: list[StoreHit] | None = None
        self._unknown: dict[tuple[str, ...], list[StoreHit]] = {}
        """Words that full text does not know, and what holds their characters."""

    def weighing(self) -> Weighing:
        """The legs to search: not by meaning where the model cannot read, and not for words where there is no word.

        A query without words (`->`) is looked for as characters; only where no chunk holds them, meaning has the say.
        """
        weighing = self._weighed()
        if self.request.query.searchable or "text" not in weighing.weights:
            return weighing
        rest = {"vector": 1.0} if "vector" in weighing.weights and not self._exactly() else {"text": 1.0}
        return Weighing(rest, (*weighing.notes, _NO_WORD))

    def search(
        self, weighing: Weighing, levels: Sequence[str] = (CHUNK,), *, ids: Collection[str] | None = None, of: str = ""
    ) -> LegHits:
        """The candidates of each leg: one storage call each.

        Args:
            levels: those that are searched together.
            ids: only rows of these ids.
            of: what they are of, in the names of the stages.
        """
        scores, chunks, by_words, exact = {}, dict[str, Chunk](), frozenset[str](), False
        for name in weighing.weights:
            if name == "text":
                hits, exact = self._words(levels, ids, of, alone=len(weighing.weights) == 1)
                by_words = frozenset() if exact else frozenset(hit.chunk.chunk_id for hit in hits)
            else:
                hits = self._meaning(levels, ids, of)
            chunks.update((hit.chunk.chunk_id, hit.chunk) for hit in hits)
            scores[name] = {hit.chunk.chunk_id: hit.score for hit in hits}
        return LegHits(scores, chunks, by_words, exact)

    def scores(self, weighing: Weighing, level: str) -> LegScores:
        """The scores of each leg on a level that is not shown itself, a larger size: one storage call each."""
        return {
            name: self.trace.timed(f"{name} {level}", "legs", partial(self._scored, name, level), len)
            for name in weighing.weights
        }

    def fused(self, scores: LegScores, weighing: Weighing, *, of: str = "", raw: bool = True) -> tuple[Fused, ...]:
        """The candidates of all legs as one list, best first."""
        fusion = self.request.config.fusion
        return self.trace.timed(
            _named("fusion", of), "fusion", lambda: fuse(scores, weighing.weights, fusion, raw=raw), len
        )

    def candidates(self, hits: Iterable[Fused], *found: LegHits) -> Candidates:
        """Ranked hits with what is known of them.

        Args:
            found: what was searched to find them.
        """
        chunks = {name: chunk for one in found for name, chunk in one.chunks.items()}
        by_words = frozenset().union(*(one.by_words for one in found))
        exact = any(one.exact for one in found)
        query = self.request.query
        characters = [query.text] if exact else [word for words in self._unknown for word in words]
        wanted = terms(replace(query, phrases=(*query.phrases, *characters))) if characters else self.request.terms
        return Candidates(tuple(hits), chunks, wanted, by_words, exact)

    def _weighed(self) -> Weighing:
        config, index = self.request.config, self.request.index
        if config.mode == "text" or (config.mode == "hybrid" and not config.vector_weight):
            return Weighing({"text": 1.0})
        embedding = index.config.embedding
        return weigh(config, embedding.model, unread_share(embedding, self.request.query.text), index.row.unknown_share)

    def _meaning(self, levels: Sequence[str], ids: Collection[str] | None, of: str) -> list[StoreHit]:
        vector, config, where = self._query_vector(), self.request.config, self.request.where
        search = self.request.index.vector_search
        hits = self.trace.timed(
            _named("vector", of),
            "legs",
            lambda: search(
                vector,
                config.candidate_count,
                where,
                levels=levels,
                ids=ids,
                probes=config.probes,
                refine=config.refine,
                ef=config.ef_search,
            ),
            len,
        )
        return [hit for hit in hits if hit.score >= config.min_similarity] if config.min_similarity else hits

    def _scored(self, name: str, level: str) -> dict[str, float]:
        from chunking.store import TextQuery

        config, query, where, index = self.request.config, self.request.query, self.request.where, self.request.index
        count = config.candidate_count
        if name == "text":
            return index.text_scores(TextQuery(query.words, query.phrases), count, where, levels=(level,))
        found = index.vector_scores(
            self._query_vector(),
            count,
            where,
            levels=(level,),
            probes=config.probes,
            refine=config.refine,
            ef=config.ef_search,
        )
        return (
            {name: score for name, score in found.items() if score >= config.min_similarity}
            if config.min_similarity
            else found
        )

    def _query_vector(self) -> np.ndarray:
        if self._vector is None:
            request = self.request
            self._vector = self.trace.timed(
                "query vector", "legs", lambda: query_vector(request.model(), request.query.text), lambda made: 1
            )
        return self._vector

    def _words(
        self, levels: Sequence[str], ids: Collection[str] | None, of: str, *, alone: bool
    ) -> tuple[list[StoreHit], bool]:
        """What full text finds, and whether all of that was looked for as characters.

        A word that it does not know is, where words have endings that the index does not take off, or stand together
        without spaces;
        and the whole query where no other leg is searched.
        """
        searchable = self.request.query.searchable
        found = (
            self.trace.timed(_named("text", of), "legs", lambda: self._full_text(levels, ids), len)
            if searchable
            else []
        )
        if not found and alone and (exactly := self._exactly()):
            return exactly, True
        if not searchable or self.request.query.phrases:  # what holds a word as characters need not hold the phrases
            return found, False
        unknown = unknown_words(self.request.query, [hit.chunk for hit in found])
        return (
            with_characters(found, self._holding(unknown, ids), unknown, self.request.index.row.chunks)
            if unknown
            else found
        ), False

    def _holding(self, words: tuple[str, ...], ids: Collection[str] | None) -> list[StoreHit]:
        """Chunks that hold the characters of any of these words; asked for once a search."""
        if words not in self._unknown:
            request, forms = self.request, [form for word in words for form in letter_cases(word)]
            search, count = request.index.substring_search, request.config.candidate_count
            found = self.trace.timed("characters", "legs", lambda: search(forms, count, request.where), len)
            self._unknown[words] = found
            if found:
                named = ", ".join(f"“{word}”" for word in held_words(words, found)[:_NAMED])
                self.trace.note(_UNKNOWN.format(words=named))
        return [hit for hit in self._unknown[words] if ids is None or hit.chunk.chunk_id in ids]

    def _full_text(self, levels: Sequence[str], ids: Collection[str] | None) -> list[StoreHit]:
        from chunking.store import TextQuery

        request = self.request
        words = TextQuery(request.query.words, request.query.phrases)
        found = request.index.text_search(words, request.config.candidate_count, request.where, levels=levels, ids=ids)
        if request.query.phrases and request.index.config.index.tokenizer is FullTextTokenizer.NGRAM:
            phrases = request.terms.phrases  # to pairs of characters a phrase is any text with most of its pairs
            return [hit for hit in found if holds(hit.chunk, phrases)]
        return found

    def _exactly(self) -> list[StoreHit]:
        """Chunks that hold exactly the query's characters; asked for once a search."""
        if self._characters is None:
            request = self.request
            search, text, count = request.index.substring_search, request.query.text, request.config.candidate_count
            self._characters = self.trace.timed("characters", "legs", lambda: search(text, count, request.where), len)
            if self._characters:
                self.trace.note(_EXACT)
        return self._characters


def _named(stage: str, of: str) -> str:
    return f"{stage} {of}" if of else stage
