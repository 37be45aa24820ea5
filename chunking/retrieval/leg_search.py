"""Legs of a search: their choice, weights and candidates.

The retrieval modes (`modes/retrieval_modes.py`) rank the candidates.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from chunking.config import FullTextTokenizer
from chunking.model import CHUNK, Chunk
from chunking.retrieval.query.identifiers import identifiers
from chunking.retrieval.query.query import Query, load_model_for, query_vector
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import (
    QueryWord,
    contains_phrases,
    matching_stems,
    query_words,
    search_terms,
    text_stems,
    words_share,
)
from chunking.retrieval.ranking.fused_hits import Fused, fuse
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.readability import BEST_HITS, Weighing, unread_share, weigh, weigh_by_coverage
from chunking.retrieval.search_trace import Trace
from chunking.text.folding import fold

if TYPE_CHECKING:
    import numpy as np

    from chunking.store import StoreHit

__all__ = ["LegResults", "LegScores", "LegSearch"]

_NO_WORD = "The query has no word that full-text search could look up."
_EXACT = "The full-text index does not contain these words; chunks with exactly these characters are shown."
_UNKNOWN = "Full text does not know {words}; chunks that hold these characters count instead."

_NAMED = 4
"""Maximum unknown words named in a note."""

LegScores = Mapping[str, Mapping[str, float]]
"""Scores of each leg's candidates, by name and id."""

_NOT_LATIN = re.compile(r"[^\W\d_a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_FEWEST = 2
"""Minimum characters of a word that is matched inside others."""


@dataclass(frozen=True, slots=True)
class LegResults:
    """Scores and chunks of all legs' candidates, and how full text matched them."""

    scores: LegScores
    chunks: Mapping[str, Chunk]
    """Chunks of the candidates by id."""
    by_words: frozenset[str] = frozenset()
    """Ids matched by full text."""
    exact: bool = False
    """True if the text leg matched the query's characters instead of its words."""


class LegSearch:
    """Searcher of one query's legs; computes the query's vector, and matches its characters, at most once."""

    def __init__(self, query: Query, trace: Trace) -> None:
        self.query = query
        self.trace = trace
        self._vector = query.vector
        self._characters: list[StoreHit] | None = None
        self._unknown: dict[tuple[str, ...], list[StoreHit]] = {}
        """Words unknown to full text, and the hits of their characters."""
        self._coverage = 1.0
        """Share of the query in one of the best hits of full text."""

    def weighing(self) -> Weighing:
        """Choose legs and weights; text that the model cannot read takes weight from vectors.

        A query without words (`->`) is matched as characters; vectors decide only where no chunk contains them.
        """
        weighing = self._weighed()
        if self.query.parts.searchable or "text" not in weighing.weights:
            return weighing
        rest = {"vector": 1.0} if "vector" in weighing.weights and not self._exact_hits() else {"text": 1.0}
        return Weighing(rest, (*weighing.notes, _NO_WORD))

    def adjusted(self, weighing: Weighing) -> Weighing:
        """Return the weights that the last search's hits of full text deserve."""
        return weigh_by_coverage(weighing, self._coverage)

    def search(
        self, weighing: Weighing, levels: Sequence[str] = (CHUNK,), *, ids: Collection[str] | None = None, of: str = ""
    ) -> LegResults:
        """Return the candidates of each leg: one storage call each, and one to match characters.

        Args:
            levels: searched together.
            ids: only rows of these ids.
            of: what the candidates are, for the names of the stages.
        """
        scores, chunks = dict[str, dict[str, float]](), dict[str, Chunk]()
        by_words, exact = frozenset[str](), False
        # Both legs run side by side: full text is started first, and waited for last.
        full_text = self._started_full_text(levels, ids) if "text" in weighing.weights else list
        for name in weighing.weights:
            if name == "text":
                hits, exact = self._text_hits(full_text, ids, of, alone=len(weighing.weights) == 1)
                self._coverage = self._covered(hits) if scores.get("vector") else 1.0
                by_words = frozenset() if exact else frozenset(hit.chunk.chunk_id for hit in hits)
            else:
                hits = self._vector_hits(levels, ids, of)
            chunks.update((hit.chunk.chunk_id, hit.chunk) for hit in hits)
            scores[name] = {hit.chunk.chunk_id: hit.score for hit in hits}
        return LegResults(scores, chunks, by_words, exact)

    def scores(self, weighing: Weighing, level: str) -> LegScores:
        """Return each leg's scores on a level that is not itself shown (a larger size): one storage call each.

        Both run side by side, as in `search`.
        """
        scored: dict[str, Callable[[], dict[str, float]]] = {"vector": partial(self._vector_scores, level)}
        if "text" in weighing.weights:
            scored["text"] = self._started_text_scores(level)
        return {name: self.trace.timed(f"{name} {level}", "legs", scored[name], len) for name in weighing.weights}

    def fused(self, scores: LegScores, weighing: Weighing, *, of: str = "", raw: bool = True) -> tuple[Fused, ...]:
        """Fuse the candidates of all legs into one list, best first.

        Args:
            of: what the candidates are, for the name of the stage.
            raw: False puts the scores of a single leg on the common scale, too (see `fuse`).
        """
        fusion = self.query.config.fusion
        return self.trace.timed(
            _stage_name("fusion", of),
            "fusion",
            lambda: fuse(scores, self.adjusted(weighing).weights, fusion, raw=raw),
            len,
        )

    def ranked(self, hits: Iterable[Fused], *results: LegResults) -> Ranked:
        """Combine ranked hits with their chunks and the terms to highlight.

        Args:
            results: of all searches that led to the hits.
        """
        chunks = {name: chunk for one in results for name, chunk in one.chunks.items()}
        by_words = frozenset().union(*(one.by_words for one in results))
        exact = any(one.exact for one in results)
        parts = self.query.parts
        characters = [parts.text] if exact else [word for words in self._unknown for word in words]
        terms = search_terms(replace(parts, phrases=(*parts.phrases, *characters))) if characters else self.query.terms
        return Ranked(tuple(hits), chunks, terms, by_words, exact)

    def query_vector(self) -> np.ndarray:
        """Return the (d,) vector of the query, computed at most once."""
        if self._vector is None:
            model, text = self.query.model(), self.query.parts.text
            load_model_for(model, text)  # before the stage: the time of a search is not that of loading a model
            self._vector = self.trace.timed("query vector", "legs", lambda: query_vector(model, text), lambda vector: 1)
        return self._vector

    def _covered(self, hits: Sequence[StoreHit]) -> float:
        """Return the largest share of the query in one of the best hits of full text; 1 for a query without words."""
        words, best = dict[str, tuple[QueryWord, ...]](), 0.0
        unknown = {word for words in self._unknown for word in words}
        for chunk in (hit.chunk for hit in hits[:BEST_HITS]):
            own = words.setdefault(chunk.language, query_words(self.query.parts, chunk.language))
            text = chunk.indexed_text if chunk.content else chunk.summary
            characters = [word.stem for word in own if word.text in unknown and _folded(word.text) in _folded(text)]
            best = max(best, words_share(own, matching_stems(own, text, chunk.language).union(characters)))
        return best if query_words(self.query.parts) else 1.0

    def _weighed(self) -> Weighing:
        config, index = self.query.config, self.query.index
        if config.mode == "text" or (config.mode == "hybrid" and not config.vector_weight):
            return Weighing({"text": 1.0})
        embedding = index.config.embedding
        return weigh(config, embedding.model, unread_share(embedding, self.query.parts.text), index.row.unknown_share)

    def _vector_hits(self, levels: Sequence[str], ids: Collection[str] | None, of: str) -> list[StoreHit]:
        vector, config, where = self.query_vector(), self.query.config, self.query.where
        search = self.query.index.vector_search
        hits = self.trace.timed(
            _stage_name("vector", of),
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

    def _vector_scores(self, level: str) -> dict[str, float]:
        config, least = self.query.config, self.query.config.min_similarity
        scores = self.query.index.vector_scores(
            self.query_vector(),
            config.candidate_count,
            self.query.where,
            levels=(level,),
            probes=config.probes,
            refine=config.refine,
            ef=config.ef_search,
        )
        return {name: score for name, score in scores.items() if score >= least} if least else scores

    def _started_text_scores(self, level: str) -> Callable[[], dict[str, float]]:
        from chunking.store import TextQuery

        query = self.query
        words = TextQuery(query.parts.words, query.parts.phrases)
        return query.index.start_text_scores(words, query.config.candidate_count, query.where, levels=(level,))

    def _text_hits(
        self, full_text: Callable[[], list[StoreHit]], ids: Collection[str] | None, of: str, *, alone: bool
    ) -> tuple[list[StoreHit], bool]:
        """Return full-text hits, and True if they matched the query's characters instead.

        Unknown words are matched as characters: the index does not know their endings, or they are written without
        spaces. The complete query is matched as characters if text is the only leg and has no hit.

        Args:
            full_text: waits for the hits of a search that runs already.
        """
        searchable = self.query.parts.searchable
        hits = self.trace.timed(_stage_name("text", of), "legs", full_text, len) if searchable else []
        if not hits and alone and (exact_hits := self._exact_hits()):
            return exact_hits, True
        if not searchable or self.query.parts.phrases:  # what holds a word as characters need not hold the phrases
            return hits, False
        unknown = unknown_words(self.query.parts, [hit.chunk for hit in hits])
        if unknown:
            hits = with_characters(hits, self._character_hits(unknown, ids), unknown, self.query.index.row.chunks)
        return hits, False

    def _character_hits(self, words: tuple[str, ...], ids: Collection[str] | None) -> list[StoreHit]:
        """Return chunks that contain the characters of any of these words."""
        if words not in self._unknown:
            query, forms = self.query, [form for word in words for form in letter_cases(word)]
            search, count = query.index.substring_search, query.config.candidate_count
            hits = self.trace.timed("characters", "legs", lambda: search(forms, count, query.where), len)
            self._unknown[words] = hits
            if hits:
                named = ", ".join(f"“{word}”" for word in matching_words(words, hits)[:_NAMED])
                self.trace.note(_UNKNOWN.format(words=named))
        return [hit for hit in self._unknown[words] if ids is None or hit.chunk.chunk_id in ids]

    def _started_full_text(self, levels: Sequence[str], ids: Collection[str] | None) -> Callable[[], list[StoreHit]]:
        """Start the full-text search, if the query has words; returns a function that waits for its hits."""
        from chunking.store import TextQuery

        query = self.query
        if not query.parts.searchable:
            return list
        words = TextQuery(query.parts.words, query.parts.phrases)
        hits = query.index.start_text_search(words, query.config.candidate_count, query.where, levels=levels, ids=ids)
        if query.parts.phrases and query.index.config.index.tokenizer is FullTextTokenizer.NGRAM:
            phrases = query.terms.phrases  # to pairs of characters a phrase is any text with most of its pairs
            return lambda: [hit for hit in hits() if contains_phrases(hit.chunk, phrases)]
        return hits

    def _exact_hits(self) -> list[StoreHit]:
        """Return chunks that contain the query's text character for character."""
        if self._characters is None:
            query = self.query
            search, text, count = query.index.substring_search, query.parts.text, query.config.candidate_count
            self._characters = self.trace.timed("characters", "legs", lambda: search(text, count, query.where), len)
            if self._characters:
                self.trace.note(_EXACT)
        return self._characters


def _stage_name(stage: str, of: str) -> str:
    return f"{stage} {of}" if of else stage


# -- words that full text does not know, matched by their characters


def unknown_words(query: QueryParts, hits: Iterable[Chunk]) -> tuple[str, ...]:
    """Return the words and identifiers of a query of which no chunk matched by full text has a form.

    Other Latin words are left out: the index knows their forms, and half of one is another word. So are Chinese and
    Japanese words if there is a hit: the dictionary separated them.
    """
    words = [word for word in query_words(query) if len(word.text) >= _FEWEST and _NOT_LATIN.search(word.text)]
    codes = [name for name in identifiers(query.text) if len(name) >= _FEWEST]
    if not (words or codes):
        return ()
    texts = [chunk.indexed_text for chunk in hits]
    folded = list(map(_folded, texts))
    codes = [name for name in codes if not any(_folded(name) in text for text in folded)]
    candidates = [word for word in words if word.spaced or not texts or _HANGUL.search(word.text)]
    unknown = [word for word in candidates if not any(_folded(word.text) in text for text in folded)]
    for text in texts:
        if not any(word.spaced for word in unknown):
            break
        stems = text_stems(text)
        unknown = [word for word in unknown if not (word.spaced and word.stem in stems)]
    return tuple(dict.fromkeys((*(word.text for word in unknown), *codes)))


def letter_cases(word: str) -> tuple[str, ...]:
    """Return a word as written, in lower case, upper case and capitalised."""
    return tuple(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


def matching_words(words: Iterable[str], hits: Sequence[StoreHit]) -> list[str]:
    """Return the words whose characters at least one hit contains."""
    texts = [_folded(hit.chunk.indexed_text) for hit in hits]
    return [word for word in words if any(_folded(word) in text for text in texts)]


def with_characters(
    text_hits: Sequence[StoreHit], character_hits: Sequence[StoreHit], words: Sequence[str], chunks: int
) -> list[StoreHit]:
    """Merge hits of full text with hits of words as characters, best first.

    A word matched by characters adds what BM25 gives a rare word that occurs once in a chunk of usual length.

    Args:
        character_hits: chunks that contain any of the words.
        chunks: number of chunks in the index.
    """
    matches = [
        (hit, [word for word in words if _folded(word) in _folded(hit.chunk.indexed_text)]) for hit in character_hits
    ]
    often = Counter(word for _, some in matches for word in some)
    rarity = {word: math.log1p((max(chunks, times) - times + 0.5) / (times + 0.5)) for word, times in often.items()}
    hits = {hit.chunk.chunk_id: hit for hit in text_hits}
    for hit, some in matches:
        by_text, worth = hits.get(hit.chunk.chunk_id), sum(rarity[word] for word in some)
        if worth:
            hits[hit.chunk.chunk_id] = replace(hit, score=worth + (by_text.score if by_text else 0.0))
    ordered = sorted(
        hits.values(), key=lambda hit: (-hit.score, hit.chunk.doc_id, hit.chunk.level, hit.chunk.chunk_index)
    )
    return [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]


def _folded(text: str) -> str:
    return fold(text).casefold()
