"""Successive halving: order of the questions, size of a sample, configurations that stay, and speed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chunking.evaluation.questions.question import Question

__all__ = ["FEWEST", "Speed", "Standing", "better_half", "first_sample", "in_strata", "next_step"]

FEWEST = 2
"""Minimum number of configurations asked every question, whatever the time."""
_SAMPLE = 30
"""Fewest questions of a sample; with fewer, chance decides."""
_SHARE = 8
"""A sample is at least 1/8 of all questions."""


def in_strata(questions: Sequence[Question], seed: int = 0) -> list[Question]:
    """Order questions so that every prefix is a sample stratified by document and language.

    Longer prefixes contain the shorter ones, so that no question is asked twice.
    """
    strata: dict[tuple[str, str], list[Question]] = {}
    for one in questions:
        strata.setdefault((min((answer.doc_id for answer in one.answers), default=""), one.language), []).append(one)
    placed = []
    for some in strata.values():
        for number, one in enumerate(sorted(some, key=lambda one: _chance(one.id, seed))):
            placed.append(((number + _chance(one.id, seed)) / len(some), one.id, one))
    return [one for *_, one in sorted(placed, key=lambda row: row[:2])]


def _chance(text: str, seed: int) -> float:
    """Return a reproducible pseudo-random number from 0 to 1."""
    return int.from_bytes(hashlib.sha256(f"{seed} {text}".encode("utf-8", "surrogatepass")).digest()[:6]) / 2**48


def first_sample(questions: int) -> int:
    """Return the number of questions of the first round: an eighth, but at least 30 or all.

    >>> first_sample(20), first_sample(117), first_sample(800)
    (20, 30, 100)
    """
    return min(questions, max(_SAMPLE, questions // _SHARE))


@dataclass(frozen=True, slots=True)
class Standing:
    """Score and cost of a configuration after a round."""

    number: int
    """Index of the configuration among those of the round."""
    score: float
    """Higher is better."""
    tokens: float
    """Context tokens per question; fewer are better at equal scores."""


def better_half(standings: Sequence[Standing]) -> list[Standing]:
    """Return the better half by score, then fewer tokens; best first, at least `FEWEST`.

    >>> standings = [Standing(0, 0.5, 9), Standing(1, 0.7, 9), Standing(2, 0.7, 5), Standing(3, 0.1, 1)]
    >>> [one.number for one in better_half(standings)]
    [2, 1]
    """
    ordered = sorted(standings, key=lambda one: (-one.score, one.tokens, one.number))
    return ordered[: max(FEWEST, (len(ordered) + 1) // 2)]


def next_step(left: int, missing: int, seconds_each: float, seconds: float) -> Literal["all", "half"]:
    """Decide after a round: ask all questions of all remaining configurations, or drop half first.

    Args:
        left: number of remaining configurations.
        missing: questions they have not been asked, in total.
        seconds_each: seconds per question.
        seconds: seconds left.

    >>> next_step(8, 700, 0.05, 60.0), next_step(8, 700, 0.1, 60.0), next_step(2, 700, 0.1, 0.0)
    ('all', 'half', 'all')
    """
    return "all" if left <= FEWEST or missing * seconds_each <= seconds else "half"


class Speed:
    """Average duration of one kind of work."""

    def __init__(self) -> None:
        self._took: list[tuple[int, float]] = []

    def add(self, count: int, seconds: float) -> None:
        """Record one timing sample: `count` items took `seconds`."""
        if count:
            self._took.append((count, seconds))

    @property
    def has_samples(self) -> bool:
        return bool(self._took)

    @property
    def each(self) -> float:
        """Average seconds per item; 0 without samples.

        The first sample is ignored once there are more, as it includes loading the model.
        """
        took = self._took[1:] or self._took
        return sum(seconds for _, seconds in took) / sum(count for count, _ in took) if took else 0.0
