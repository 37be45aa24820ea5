"""What `retrieval` does with the candidates of one query, for all questions of a set at once.

Arrays are (q, n): a row a question, a column a chunk. Fusion is that of `retrieval.ranking.fusion`: the best candidates of each leg,
their scores standardised over these, what a leg has not found counted as its least; larger sizes are that of
`retrieval.ranking.multisize`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import Fusion
from chunking.retrieval.ranking.fusion import RANK_CONSTANT

__all__ = ["LegScores", "best_first", "fused", "with_larger"]

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LegScores:
    """What one leg says of every chunk."""

    scores: Floats
    """(q, n), higher is better."""
    weights: Floats
    """(q,) share of the leg in each question's sum; 0 where it is not searched."""
    above: float
    """Scores at or under it are no candidates."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    columns: Rows
    """(q, c)"""
    scores: Floats
    """(q, c)"""
    found: NDArray[np.bool_]
    """(q, c) False for what fills the row up."""


def fused(legs: Sequence[LegScores], count: int, fusion: Fusion) -> tuple[Floats, NDArray[np.bool_]]:
    """One score for every chunk, and which chunks are candidates of a leg; others have the least score there is.

    Args:
        count: candidates that a leg hands over at most.
    """
    total, candidates = np.zeros(legs[0].scores.shape, np.float32), np.zeros(legs[0].scores.shape, np.bool_)
    for leg in legs:
        best = _candidates(leg, count)
        if not best.columns.size:
            continue
        points, least = _POINTS[fusion](best)
        weighed = leg.weights[:, None]
        dense = np.broadcast_to(least[:, None], total.shape).copy()
        np.put_along_axis(dense, best.columns, np.where(best.found, points, least[:, None]), axis=1)
        total += weighed * dense
        searched = best.found & (weighed > 0)
        np.put_along_axis(candidates, best.columns, np.take_along_axis(candidates, best.columns, axis=1) | searched, axis=1)
    return total, candidates


def with_larger(own: Floats, larger: Mapping[int, Floats], around: Mapping[int, NDArray[np.int32]], weight: float) -> Floats:
    """The scores of chunks with those of the larger ones they stand in.

    Args:
        larger: (q, m) by multiple.
        around: (n,) by multiple: columns of these, -1 where there is none: then its own score counts again.
    """
    total = own.copy()
    for multiple, scores in larger.items():
        column = around[multiple]
        added = scores[:, np.maximum(column, 0)] if scores.shape[1] else own
        total += np.float32(weight) * (np.where(column >= 0, added, own) if (column < 0).any() else added)
    return total


def best_first(scores: Floats, candidates: NDArray[np.bool_], most: int) -> tuple[Rows, Floats]:
    """The columns of the best candidates of each row, best first; ties by place. Scores of -inf fill a row up."""
    scores = np.where(candidates, scores, -np.inf)
    most = min(most, scores.shape[1])
    if most < scores.shape[1]:
        columns = np.sort(np.argpartition(scores, -most, axis=1)[:, -most:], axis=1)
    else:
        columns = np.broadcast_to(np.arange(most), scores.shape)
    there = np.round(np.take_along_axis(scores, columns, axis=1), 5)
    order = np.argsort(-there, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(there, order, axis=1)


def _candidates(leg: LegScores, count: int) -> _Candidates:
    n = leg.scores.shape[1]
    if count < n:
        columns = np.argpartition(leg.scores, n - count, axis=1)[:, n - count :]
        scores = np.take_along_axis(leg.scores, columns, axis=1)
    else:
        columns, scores = np.broadcast_to(np.arange(n), leg.scores.shape), leg.scores
    return _Candidates(columns, scores, scores > leg.above)


def _standardised(best: _Candidates) -> tuple[Floats, Floats]:
    """(q, c) z-scores, and (q,) that of what was not found; where all are alike, found is 1 and the rest -1."""
    found = best.found
    number = np.maximum(found.sum(axis=1, keepdims=True), 1).astype(np.float32)
    scores = np.where(found, best.scores, 0.0)
    mean = scores.sum(axis=1, keepdims=True) / number
    apart = np.where(found, scores - mean, 0.0)
    deviation = np.sqrt((apart * apart).sum(axis=1, keepdims=True) / number)
    alike = deviation <= 1e-6 * np.maximum(np.abs(scores).max(axis=1, keepdims=True), 1.0)
    z = np.where(alike, 1.0, apart / np.where(alike, 1.0, deviation)).astype(np.float32)
    least = np.where(found, z, np.inf).min(axis=1)
    least = np.where(alike[:, 0], -1.0, least)
    return z, np.where(found.any(axis=1), least, 0.0).astype(np.float32)


def _by_rank(best: _Candidates) -> tuple[Floats, Floats]:
    """(q, c) 1 / (60 + rank), and nothing for what was not found."""
    order = np.argsort(-np.where(best.found, best.scores, -np.inf), axis=1, kind="stable")
    ranks = np.empty(order.shape, np.float32)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1, order.shape[1] + 1, dtype=np.float32), order.shape), axis=1)
    return np.where(best.found, 1 / (RANK_CONSTANT + ranks), 0.0).astype(np.float32), np.zeros(len(ranks), np.float32)


_POINTS = {Fusion.STANDARDISED: _standardised, Fusion.RECIPROCAL_RANK: _by_rank}
