"""Two ranked lists into one, every step of it kept.

A leg is one way of searching (by meaning, by words). Each hands over its candidates with scores of its own scale; fusion
puts them on one scale, weighs them and adds them up. Standardised scores measured 1 to 4 points of recall better than
reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), which stays as the other option.

>>> fused = fuse({"vector": {"a": 0.75, "b": 0.25}, "text": {"b": 7.0, "c": 1.0}}, {"vector": 0.5, "text": 0.5})
>>> [(hit.chunk_id, hit.score) for hit in fused]
[('a', 0.0), ('b', 0.0), ('c', -1.0)]
>>> for sentence in fused[1].explanation.split(". "):
...     print(sentence)
Meaning: rank 2 of 2, cosine 0.250, standardised -1.00 × 0.50 = -0.50
Words: rank 1 of 2, BM25 7.00, standardised +1.00 × 0.50 = +0.50
Sum 0.00.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from chunking.config import Fusion

__all__ = ["RANK_CONSTANT", "Addition", "Fused", "Leg", "fuse", "least", "ranked", "standardised"]

RANK_CONSTANT = 60
"""k of 1 / (k + rank), the value of the paper."""

_LABELS = {"vector": ("Meaning", "cosine", ".3f"), "text": ("Words", "BM25", ".2f")}


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg says about one candidate."""

    rank: int | None
    """From 1; None where the leg did not find it."""
    score: float | None
    """The leg's own: cosine for vectors, BM25 for text; None where it did not find it."""
    z: float
    """Standardised over the leg's candidates; the leg's minimum where it did not find it."""
    weight: float
    """Of this leg; the weights of all legs sum to 1."""
    part: float
    """What it adds to the fused score."""
    candidates: int
    """How many the leg found."""

    @property
    def found(self) -> bool:
        return self.rank is not None


@dataclass(frozen=True, slots=True)
class Addition:
    """What a later step adds to a fused score."""

    name: str
    amount: float
    """Below 0 where it takes."""
    because: Callable[[], str]
    """Makes the sentence; called for what is shown only, since most candidates never are."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate with its score and where that came from."""

    chunk_id: str
    score: float
    """Sum of the legs' parts and of what was added."""
    legs: Mapping[str, Leg]
    """By name (`vector`, `text`), those that were searched."""
    fusion: Fusion
    added: tuple[Addition, ...] = ()
    """By later steps, in their order: larger sizes, second looks."""
    raw: bool = False
    """The only leg's own score, not put on another scale."""

    def plus(self, *additions: Addition) -> Fused:
        """The same candidate with more added to its score."""
        score = _rounded(math.fsum([self.score, *(addition.amount for addition in additions)]))
        return replace(self, score=score, added=(*self.added, *additions))

    @property
    def parts(self) -> tuple[tuple[str, float, str], ...]:
        """(name, amount, sentence) of everything the score is the sum of."""
        legs = [(name, leg.part, self._sentence(name, leg)) for name, leg in self.legs.items()]
        return (*legs, *((addition.name, addition.amount, addition.because()) for addition in self.added))

    @property
    def explanation(self) -> str:
        """The sum as sentences; made when asked, since most candidates are never shown."""
        sentences = " ".join(sentence for _, _, sentence in self.parts)
        return sentences if self.raw and not self.added else f"{sentences} Sum {self.score:{self._digits}}."

    @property
    def _digits(self) -> str:
        return ".2f" if self.fusion is Fusion.STANDARDISED else ".4f"

    def _sentence(self, name: str, leg: Leg) -> str:
        return f"{_found(name, leg)}; the score as it is." if self.raw else f"{_found(name, leg)}{_sum(leg, self.fusion, self._digits)}."


def fuse(
    legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], fusion: Fusion = Fusion.STANDARDISED, *, raw: bool = True
) -> tuple[Fused, ...]:
    """One list from the candidates of each leg, best first; ties by id, so that the order never depends on a leg's.

    A single leg keeps its own scores: there is nothing to put on one scale with. A leg of weight 0 is explained but
    brings no candidates of its own.

    Args:
        legs: for each leg, candidate id to score (higher is better, finite).
        weights: for each leg, its share (0 to 1).
        fusion: how scores become comparable.
        raw: False puts the scores of a single leg on the common scale too, for adding other lists' to them.
    """
    alone = raw and len(legs) == 1
    wanted = sorted({chunk_id for name, scores in legs.items() if weights[name] > 0 for chunk_id in scores})
    columns = {name: _column(scores, wanted, weights[name], fusion, alone=alone) for name, scores in legs.items()}
    rows = ({name: column[chunk_id] for name, column in columns.items()} for chunk_id in wanted)
    fused = [_fused(chunk_id, row, fusion, alone) for chunk_id, row in zip(wanted, rows, strict=True)]
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.chunk_id)))


def least(legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], fusion: Fusion = Fusion.STANDARDISED) -> float:
    """The fused score of a candidate that no leg found: each leg's minimum, weighed.

    >>> least({"vector": {"a": 0.75, "b": 0.25}, "text": {}}, {"vector": 0.5, "text": 0.5})
    -0.5
    """
    if fusion is Fusion.RECIPROCAL_RANK:
        return 0.0
    return _rounded(math.fsum(weights[name] * standardised(scores)[1] for name, scores in legs.items()))


def standardised(scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """The z-score of each candidate, and the one of a candidate that is missing: the minimum.

    Where the candidates cannot be told apart (a single one, or all alike) there is no deviation to divide by. They are
    still told from what the leg did not find: found is +1 and missing -1, as for the better and worse of any two.

    >>> standardised({"a": 3.0, "b": 1.0}), standardised({"a": 3.0}), standardised({})
    (({'a': 1.0, 'b': -1.0}, -1.0), ({'a': 1.0}, -1.0), ({}, 0.0))
    """
    if not scores:
        return {}, 0.0
    mean = math.fsum(scores.values()) / len(scores)
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores.values()) / len(scores))
    if deviation <= 1e-9 * max(1.0, *map(abs, scores.values())):
        return dict.fromkeys(scores, 1.0), -1.0
    z = {chunk_id: (score - mean) / deviation for chunk_id, score in scores.items()}
    return z, min(z.values())


def ranked(scores: Mapping[str, float]) -> dict[str, int]:
    """Rank from 1 of each candidate, ties by id.

    >>> ranked({"b": 2.0, "a": 2.0, "c": 5.0})
    {'c': 1, 'a': 2, 'b': 3}
    """
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return {chunk_id: rank for rank, chunk_id in enumerate(order, start=1)}


def _column(scores: Mapping[str, float], wanted: list[str], weight: float, fusion: Fusion, *, alone: bool) -> dict[str, Leg]:
    """What one leg says about every candidate of any leg."""
    ranks, (z, missing) = ranked(scores), standardised(scores)

    def leg(chunk_id: str) -> Leg:
        rank, score, standard = ranks.get(chunk_id), scores.get(chunk_id), z.get(chunk_id, missing)
        if alone and score is not None:
            return Leg(rank, score, standard, weight, score, len(scores))
        points = standard if fusion is Fusion.STANDARDISED else 1 / (RANK_CONSTANT + rank) if rank else 0.0
        return Leg(rank, score, standard, weight, weight * points, len(scores))

    return {chunk_id: leg(chunk_id) for chunk_id in wanted}


def _fused(chunk_id: str, legs: Mapping[str, Leg], fusion: Fusion, raw: bool) -> Fused:
    parts = [leg.part for leg in legs.values()]
    return Fused(chunk_id, parts[0] if len(parts) == 1 else _rounded(math.fsum(parts)), legs, fusion, raw=raw)


def _rounded(score: float) -> float:
    """Rounded far below what any leg can tell apart: two equal sums must tie, and + 0.0 keeps -0.0 off the screen."""
    return round(score, 12) + 0.0


def _found(name: str, leg: Leg) -> str:
    label, unit, digits = _LABELS.get(name, (name, "score", ".3f"))
    if leg.rank is None:
        return f"{label}: not among its {leg.candidates}" if leg.candidates else f"{label}: found nothing"
    return f"{label}: rank {leg.rank} of {leg.candidates}, {unit} {leg.score:{digits}}"


def _sum(leg: Leg, fusion: Fusion, digits: str) -> str:
    if not leg.candidates:
        return ""
    if fusion is Fusion.STANDARDISED:
        least = "" if leg.found else ", counted as its least"
        return f"{least}, standardised {leg.z:+.2f} × {leg.weight:.2f} = {leg.part:+{digits}}"
    if leg.rank is None:
        return ", adds nothing"
    return f", {leg.weight:.2f} / ({RANK_CONSTANT} + {leg.rank}) = {leg.part:{digits}}"
