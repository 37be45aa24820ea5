"""A configuration's search over arrays: which legs are weighed how, larger sizes, and the ranking of every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chunking.config import EmbeddingConfig, SearchConfig, SearchMode
from chunking.evaluation.live.live_levels import SplitDocuments
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.ranking.fusion import LegCandidates, best_first, from_larger, fused
from chunking.retrieval.ranking.readability import Weighing, weigh

__all__ = ["LiveMatches", "LiveQuestions", "Ranking", "candidates_of", "ranked", "weighings"]

Floats = NDArray[np.float32]
_MOST_WEIGHTS = 100
_DIGITS = 5
"""Of a score that count: what float32 sums can tell apart."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveQuestions:
    """The questions as they are searched."""

    queries: tuple[QueryParts, ...]
    vectors: Floats
    """(q, d); no columns where the model's vectors cannot be pooled."""
    unknown: tuple[float, ...]
    """Share of each question's words that the model cannot read."""
    corpus_unknown: float
    """The same of the documents."""
    weighed: dict[tuple[SearchMode, float], tuple[Weighing, ...]] = field(default_factory=dict)
    """What `weighings` has made, by mode and weight of meaning."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveMatches:
    """The documents cut by a configuration, and what both legs say of every chunk."""

    cut: SplitDocuments
    meaning: tuple[Floats, ...]
    """(q, n) cosines of the chunks, then of each larger size."""
    words: tuple[Floats, ...]
    """(q, n) BM25, 0 where no word is held."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """(q, c) chunks, best first, with their scores."""

    scores: Floats
    """(q, n) of all chunks."""
    candidates: NDArray[np.bool_]
    """(q, n)"""

    def best(self, most: int) -> tuple[NDArray[np.int64], Floats]:
        """(q, c) the best of each question; a score of -inf fills a row up."""
        return best_first(self.scores, self.candidates, most, digits=_DIGITS)


def weighings(search: SearchConfig, embedding: EmbeddingConfig, asked: LiveQuestions) -> tuple[Weighing, ...]:
    """Of each question, as a search weighs its legs: not by meaning where the model cannot read it."""
    key = search.mode, search.vector_weight
    known = asked.weighed.get(key)
    if known is None:
        if len(asked.weighed) > _MOST_WEIGHTS:
            asked.weighed.clear()
        known = asked.weighed[key] = _weighed(search, embedding, asked)
    return known


def _weighed(search: SearchConfig, embedding: EmbeddingConfig, asked: LiveQuestions) -> tuple[Weighing, ...]:
    pooled = asked.vectors.shape[1] > 0
    only_words = Weighing({"text": 1.0})
    if not pooled or search.mode is SearchMode.TEXT or (search.mode is SearchMode.HYBRID and not search.vector_weight):
        return (only_words,) * len(asked.queries)
    found = []
    for query, unknown in zip(asked.queries, asked.unknown, strict=True):
        one = weigh(search, embedding.model, unknown, asked.corpus_unknown)
        found.append(Weighing({"vector": 1.0}) if "vector" in one.weights and not query.searchable else one)
    return tuple(found)


def ranked(matched: LiveMatches, weights: Sequence[Weighing], search: SearchConfig) -> Ranking:
    """The candidates of every question, as the mode of retrieval ranks them."""
    by_leg = {
        name: np.array([one.weights.get(name, 0.0) for one in weights], np.float32) for name in ("vector", "text")
    }
    floors = {"vector": search.min_similarity or -np.inf, "text": 0.0}
    scores = {"vector": matched.meaning, "text": matched.words}
    used = [name for name in by_leg if by_leg[name].any()]

    def level(number: int) -> tuple[Floats, NDArray[np.bool_]]:
        legs = [
            candidates_of(scores[name][number], by_leg[name], floors[name], search.candidate_count) for name in used
        ]
        made = fused(legs, scores[used[0]][number].shape[1], search.fusion)
        return made.totals, made.candidates

    own, candidates = level(0)
    if not MODES[search.retrieval].larger_scores:
        return Ranking(own, candidates)
    total = own.copy()
    for number, multiple in enumerate(matched.cut.larger, start=1):
        total += np.float32(search.granularity_weight) * from_larger(
            own, level(number)[0], matched.cut.around[multiple]
        )
    return Ranking(total, candidates)


def candidates_of(scores: Floats, weights: Floats, floor: float, count: int) -> LegCandidates:
    """What a leg would hand over: its best chunks of each question.

    Args:
        scores: (q, n) of every chunk.
        weights: (q,)
        floor: scores at or under it are no candidates.
        count: candidates at most.
    """
    n = scores.shape[1]
    if count < n:
        columns = np.argpartition(scores, n - count, axis=1)[:, n - count :]
        scores = np.take_along_axis(scores, columns, axis=1)
    else:
        columns = np.broadcast_to(np.arange(n), scores.shape)
    return LegCandidates(columns, scores, scores > floor, weights)
