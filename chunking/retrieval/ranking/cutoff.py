"""Cut and trim: which hits have enough evidence, and which of their sentences stay.

Pure arithmetic on the evidence of sentences, for one question (search) or for many at once (live recall).

>>> scores = np.array([0.2, 0.8, 0.5, 0.1, 0.3], np.float32)
>>> kept = decide(scores, np.array([0, 3, 5]), np.array([0, 0]), cut=0.5, trim=0.6)
>>> kept.enough.tolist(), kept.first.tolist(), kept.after.tolist()
([True, False], [1, 4], [3, 5])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cutoff", "decide"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
_SLACK = np.float32(1e-6)
"""Tolerance of a comparison: a product in float32 must not drop the sentence that it was made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Cutoff:
    """Decision about h hits, each with at least one sentence."""

    best: Ints
    """(h,) number of each hit's best sentence; of equal ones the first."""
    scores: Floats
    """(h,) evidence of that sentence."""
    thresholds: Floats
    """(h,) evidence required; 0 if nothing is cut."""
    enough: NDArray[np.bool_]
    """(h,) True for hits that stay; of every question at least the best."""
    first: Ints
    """(h,) number of the first sentence that stays."""
    after: Ints
    """(h,) one past the last sentence that stays."""


def decide(scores: Floats, starts: Ints, questions: Ints, *, cut: float, trim: float) -> Cutoff:
    """Decide which hits stay, and which run of sentences of each.

    A hit stays if its best sentence has at least `cut` of the evidence of the best sentence of all hits of its
    question. In a hit, the run around its best sentence stays in which each has at least `trim` of its evidence.

    Args:
        scores: (n,) evidence of all sentences, hit after hit, in reading order; at least 0.
        starts: (h + 1,) first sentence of each hit, strictly ascending, then n.
        questions: (h,) number of each hit's question, from 0.
        cut: 0 to 1; 0 keeps all hits.
        trim: 0 to 1; 0 keeps all sentences.
    """
    starts = np.asarray(starts, np.int64)
    sizes, numbers = np.diff(starts), np.arange(len(scores))
    if not len(sizes):
        nothing, none = np.zeros(0, np.int64), np.zeros(0, np.float32)
        return Cutoff(nothing, none, none, np.zeros(0, np.bool_), nothing, nothing)
    tops = np.maximum.reduceat(scores, starts[:-1])
    is_top = scores == np.repeat(tops, sizes)
    best = np.minimum.reduceat(np.where(is_top, numbers, len(scores)), starts[:-1])
    peaks = np.zeros(int(questions.max()) + 1, np.float32)
    np.maximum.at(peaks, questions, tops)
    thresholds = (np.float32(cut) * peaks[questions]).astype(np.float32)
    weak = scores < np.repeat(np.float32(trim) * tops, sizes) - _SLACK
    before = np.maximum.accumulate(np.where(weak, numbers, -1))
    behind = np.minimum.accumulate(np.where(weak, numbers, len(scores))[::-1])[::-1]
    return Cutoff(
        best=best,
        scores=tops,
        thresholds=thresholds,
        enough=tops >= thresholds - _SLACK,
        first=np.maximum(before[best] + 1, starts[:-1]),
        after=np.minimum(behind[best], starts[1:]),
    )
