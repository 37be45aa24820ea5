"""Fuse the candidates of a search's legs into one ranked list, in which every hit explains its score.

A leg is one way of searching (dense, full-text), with scores on its own scale; `fusion` puts them on one scale, weighs
and adds them.

>>> fused = fuse({"vector": {"a": 0.75, "b": 0.25}, "text": {"b": 7.0, "c": 1.0}}, {"vector": 0.5, "text": 0.5})
>>> [(hit.chunk_id, hit.score) for hit in fused]
[('a', 0.0), ('b', 0.0), ('c', -1.0)]
>>> for sentence in fused[1].explanation.split(". "):
...     print(sentence)
Vector: rank 2 of 2, cosine 0.250, standardised -1.00 × 0.50 = -0.50
Full text: rank 1 of 2, BM25 7.00, standardised +1.00 × 0.50 = +0.50
Sum 0.00.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from chunking.config import Fusion
from chunking.retrieval.ranking.fusion import (
    RANK_CONSTANT,
    Floats,
    LegCandidates,
    best_first,
    fused,
    ranks,
    standardised,
)

__all__ = ["Addition", "Fused", "Leg", "fuse", "least"]

_DIGITS = 12
"""Digits of a score that count: far below what any leg can distinguish."""
_LABELS = {"vector": ("Vector", "cosine", ".3f"), "text": ("Full text", "BM25", ".2f")}


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg's contribution to one candidate's score."""

    rank: int | None
    """Rank from 1; None if the leg did not match it."""
    score: float | None
    """Score of the leg: cosine for vectors, BM25 for text; None if it did not match."""
    z: float
    """z-score over the leg's candidates; the leg's minimum if it did not match."""
    weight: float
    """Weight of the leg; the weights of all legs sum to 1."""
    part: float
    """Amount added to the fused score."""
    candidates: int
    """Number of the leg's candidates."""

    @property
    def matched(self) -> bool:
        """True if the leg matched the candidate."""
        return self.rank is not None


@dataclass(frozen=True, slots=True)
class Addition:
    """An addition to a fused score by a later step."""

    name: str
    amount: float
    """Amount added; negative if it lowers the score."""
    because: Callable[[], str]
    """Function that makes the explanation; called only for shown candidates, which are few."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate with its fused score and the score's parts."""

    chunk_id: str
    score: float
    """Sum of the legs' parts and of later additions."""
    legs: Mapping[str, Leg]
    """Parts of the searched legs by name (`vector`, `text`)."""
    fusion: Fusion
    added: tuple[Addition, ...] = ()
    """Additions by later steps, in their order: larger sizes, rerankers."""
    raw: bool = False
    """True if the score is the only leg's own score, not standardised."""

    def plus(self, *additions: Addition) -> Fused:
        """Return the candidate with additions in its score and in the list of its parts."""
        score = _rounded(math.fsum([self.score, *(addition.amount for addition in additions)]))
        return replace(self, score=score, added=(*self.added, *additions))

    @property
    def parts(self) -> tuple[tuple[str, float, str], ...]:
        """(name, amount, sentence) of each part of the score."""
        legs = [(name, leg.part, self._sentence(name, leg)) for name, leg in self.legs.items()]
        return (*legs, *((addition.name, addition.amount, addition.because()) for addition in self.added))

    @property
    def explanation(self) -> str:
        """Sentences that explain each part of the score, then the sum; made on demand."""
        sentences = " ".join(sentence for _, _, sentence in self.parts)
        return sentences if self.raw and not self.added else f"{sentences} Sum {self.score:{self._digits}}."

    @property
    def _digits(self) -> str:
        return ".2f" if self.fusion is Fusion.STANDARDISED else ".4f"

    def _sentence(self, name: str, leg: Leg) -> str:
        return (
            f"{_rank_text(name, leg)}; the score as it is."
            if self.raw
            else f"{_rank_text(name, leg)}{_sum(leg, self.fusion, self._digits)}."
        )


def fuse(
    legs: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    fusion: Fusion = Fusion.STANDARDISED,
    *,
    raw: bool = True,
) -> tuple[Fused, ...]:
    """Fuse the candidates of all legs into one list, best first, ties by id.

    A single leg keeps its own scores: there is nothing to put on one scale with. A leg of weight 0 is explained but
    brings no candidates of its own.

    Args:
        legs: for each leg, candidate id to score (higher is better, finite).
        weights: for each leg, its share (0 to 1).
        fusion: how scores become comparable.
        raw: False puts the scores of a single leg on the common scale too, for adding other lists' to them.
    """
    ids = sorted(set().union(*legs.values()))
    if not ids:
        return ()
    arrays = _arrays(legs, weights, {chunk_id: column for column, chunk_id in enumerate(ids)})
    sums = fused(arrays, len(ids), fusion)
    alone = raw and len(legs) == 1
    columns = {
        name: _leg_column(scores, leg, points, alone=alone)
        for (name, scores), leg, points in zip(legs.items(), arrays, sums.points, strict=True)
    }
    order, _ = best_first(arrays[0].scores if alone else sums.totals, sums.candidates, len(ids), digits=_DIGITS)
    best = [ids[column] for column in order[0].tolist() if sums.candidates[0, column]]
    rows = ({name: own.get(chunk_id, missing) for name, (own, missing) in columns.items()} for chunk_id in best)
    return tuple(_fused(chunk_id, row, fusion, alone) for chunk_id, row in zip(best, rows, strict=True))


def least(
    legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], fusion: Fusion = Fusion.STANDARDISED
) -> float:
    """Return the fused score of a candidate that no leg found: the weighted sum of each leg's minimum.

    >>> least({"vector": {"a": 0.75, "b": 0.25}, "text": {}}, {"vector": 0.5, "text": 0.5})
    -0.5
    """
    columns = {chunk_id: column for column, chunk_id in enumerate(sorted(set().union(*legs.values())))}
    return _rounded(float(fused(_arrays(legs, weights, columns), len(columns), fusion).least[0]))


def _arrays(
    legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], columns: Mapping[str, int]
) -> tuple[LegCandidates, ...]:
    """Return each leg as arrays of one row, in the order of the ids."""
    rows = []
    for name, scores in legs.items():
        ids = sorted(scores)
        values = np.array([[scores[chunk_id] for chunk_id in ids]], np.float64)
        places = np.array([[columns[chunk_id] for chunk_id in ids]], np.int64)
        rows.append(LegCandidates(places, values, np.ones(values.shape, np.bool_), np.array([weights[name]])))
    return tuple(rows)


def _leg_column(
    scores: Mapping[str, float], leg: LegCandidates, points: tuple[Floats, Floats], *, alone: bool
) -> tuple[dict[str, Leg], Leg]:
    """Return a leg's parts for each of its candidates, and for any other candidate."""
    weight, count = float(leg.weights[0]), len(scores)
    z, missing = standardised(leg.scores, leg.valid)
    parts = leg.scores if alone else weight * points[0]
    rows = zip(
        sorted(scores), ranks(leg)[0].tolist(), leg.scores[0].tolist(), z[0].tolist(), parts[0].tolist(), strict=True
    )
    own = {chunk_id: Leg(rank, score, standard, weight, part, count) for chunk_id, rank, score, standard, part in rows}
    return own, Leg(None, None, float(missing[0]), weight, weight * float(points[1][0]), count)


def _fused(chunk_id: str, legs: Mapping[str, Leg], fusion: Fusion, raw: bool) -> Fused:
    parts = [leg.part for leg in legs.values()]
    return Fused(chunk_id, parts[0] if len(parts) == 1 else _rounded(math.fsum(parts)), legs, fusion, raw=raw)


def _rounded(score: float) -> float:
    """Round a score far below what any leg can distinguish.

    Equal sums must tie, and + 0.0 keeps -0.0 off the screen.
    """
    return round(score, _DIGITS) + 0.0


def _rank_text(name: str, leg: Leg) -> str:
    label, unit, digits = _LABELS.get(name, (name, "score", ".3f"))
    if leg.rank is None:
        return f"{label}: not among its {leg.candidates}" if leg.candidates else f"{label}: found nothing"
    return f"{label}: rank {leg.rank} of {leg.candidates}, {unit} {leg.score:{digits}}"


def _sum(leg: Leg, fusion: Fusion, digits: str) -> str:
    if not leg.candidates:
        return ""
    if fusion is Fusion.STANDARDISED:
        least = "" if leg.matched else ", counted as its least"
        return f"{least}, standardised {leg.z:+.2f} × {leg.weight:.2f} = {leg.part:+{digits}}"
    if leg.rank is None:
        return ", adds nothing"
    return f", {leg.weight:.2f} / ({RANK_CONSTANT} + {leg.rank}) = {leg.part:{digits}}"
