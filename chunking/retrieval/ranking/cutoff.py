"""Cut and trim: which hits are close enough to the best, and which of their sentences stay.

Pure arithmetic, for one question (search) or for many at once (live recall).

A hit is judged by its score, on the scale from the lowest candidate (0) to the best (1): on the tune halves of five
collections, sentences compared with the query decided no better than the score, which costs nothing
(`benchmarks.evidence`).

>>> relative_scores(np.array([3.0, 1.0, 0.0]), -1.0, 3.0).tolist()
[1.0, 0.5, 0.25]
>>> runs = sentence_runs(np.array([0.1, 0.8, 0.0, 0.5, 0.0, 0.0], np.float32), np.array([0, 6]), trim=0.4)
>>> runs.best.tolist(), runs.first.tolist(), runs.after.tolist()
([1], [0], [5])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FEWEST",
    "SentenceRuns",
    "adds_evidence",
    "comparable",
    "enough",
    "is_best",
    "relative_scores",
    "sentence_runs",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FEWEST = 2
"""Minimum candidates per requested result: among fewer, the lowest candidate is no measure of a bad one."""
_SLACK = 1e-6
"""Tolerance of a comparison: rounding must not drop what is exactly at a threshold."""
_ADJACENT = 0.45
"""Mean of a hit's relative score and twice its neighbour's required for the neighbour to come along.

The highest that loses at most one point of whole answers on each tune half, with either packaged model
(`benchmarks.neighbours`).
"""
_NEIGHBOUR = np.float32(0.7)
"""Share of a sentence's evidence that the sentences next to it receive: an answer often stands beside its words."""


def comparable(candidates: int, k: int) -> bool:
    """True if a search has enough candidates for its results to be compared with the lowest one."""
    return candidates >= FEWEST * k


def relative_scores(scores: Doubles, lowest: Doubles | float, best: Doubles | float) -> Doubles:
    """Return scores between the lowest candidate's (0) and the best's (1); 1 if all are equal."""
    spread = np.asarray(best - lowest, np.float64)
    relative = (scores - lowest) / np.where(spread > 0, spread, 1.0)
    return np.where(spread > 0, relative, 1.0)


def enough(relative: Doubles, cut: float) -> NDArray[np.bool_]:
    """Return True for the hits with at least `cut` of the best one's relative score; always for the best."""
    stays: NDArray[np.bool_] = relative >= cut - _SLACK
    return stays


def is_best(relative: float) -> bool:
    """True for the relative score of a best result."""
    return relative >= 1 - _SLACK


def adds_evidence(hit: float, neighbour: float) -> bool:
    """True if the chunk next to a hit has enough evidence to come along, by the relative scores of both.

    Args:
        neighbour: 0 for a chunk that is no candidate.

    >>> adds_evidence(0.9, 0.3), adds_evidence(0.3, 0.4), adds_evidence(0.9, 0.0)
    (True, False, False)
    """
    return (hit + 2 * neighbour) / 3 >= _ADJACENT - _SLACK


@dataclass(frozen=True, slots=True, eq=False)
class SentenceRuns:
    """Run of sentences that stays of each of h hits."""

    best: Ints
    """(h,) number of each hit's best sentence; of equal ones the first."""
    first: Ints
    """(h,) number of the first sentence that stays."""
    after: Ints
    """(h,) one past the last sentence that stays."""


def sentence_runs(
    scores: Floats, starts: Ints, *, trim: float, sparse: NDArray[np.bool_] | bool = False
) -> SentenceRuns:
    """Return the run around the best sentence of each hit in which all have enough evidence.

    That is `trim` of the best one's: of its own, or of 0.7 times that of a sentence next to it. Sparse evidence, which
    most sentences lack altogether, reaches one sentence further, at 0.7 times that again.

    Args:
        scores: (n,) evidence of all sentences, hit after hit, in reading order; at least 0.
        starts: (h + 1,) first sentence of each hit, strictly ascending, then n.
        trim: 0 to 1; 0 keeps all sentences.
        sparse: (h,) True for hits judged by words alone; or one value for all.
    """
    starts = np.asarray(starts, np.int64)
    sizes, numbers = np.diff(starts), np.arange(len(scores))
    if not len(sizes):
        nothing = np.zeros(0, np.int64)
        return SentenceRuns(nothing, nothing, nothing)
    tops = np.maximum.reduceat(scores, starts[:-1])
    is_top = scores == np.repeat(tops, sizes)
    best = np.minimum.reduceat(np.where(is_top, numbers, len(scores)), starts[:-1])
    smooth = _with_neighbours(scores, starts)
    if np.any(sparse):
        reaches = np.repeat(np.broadcast_to(sparse, sizes.shape), sizes)
        smooth = np.where(reaches, _with_neighbours(smooth, starts), smooth)
    weak = smooth < np.repeat(np.float32(trim) * tops, sizes) - _SLACK
    before = np.maximum.accumulate(np.where(weak, numbers, -1))
    behind = np.minimum.accumulate(np.where(weak, numbers, len(scores))[::-1])[::-1]
    return SentenceRuns(best, np.maximum(before[best] + 1, starts[:-1]), np.minimum(behind[best], starts[1:]))


def _with_neighbours(scores: Floats, starts: Ints) -> Floats:
    """Return the evidence of sentences, at least a share of that of those next to them in the same hit."""
    before, behind = np.roll(scores, 1), np.roll(scores, -1)
    before[starts[:-1]] = 0
    behind[starts[1:] - 1] = 0
    smooth: Floats = np.maximum(scores, _NEIGHBOUR * np.maximum(before, behind))
    return smooth
