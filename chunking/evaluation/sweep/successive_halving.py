"""Successive halving: the worst are dropped on few questions, so that the time goes to those that may be the best.

Karnin, Koren and Somekh 2013 (Almost optimal exploration in multi-armed bandits); Jamieson and Talwalkar 2016
(Non-stochastic best arm identification). Each round keeps the better half and asks it twice as many questions; where
the
time is enough to ask all that are left every question, nothing more is dropped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chunking.evaluation.questions.question import Question

__all__ = ["FEWEST", "Standing", "better_half", "first_sample", "in_strata", "next_step"]

FEWEST = 2
"""Configurations that are asked every question, whatever the time."""
_SAMPLE = 30
"""Fewest questions of a sample: with less, chance decides."""
_SHARE = 8
"""A sample is at least this part of all questions."""


def in_strata(questions: Sequence[Question], seed: int = 0) -> list[Question]:
    """Questions in an order of which every beginning is a sample of all: each document and language has its share of
    it.

    Longer beginnings hold the shorter ones, so that no question is asked twice.
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
    """From 0 to 1, the same for a text and seed."""
    return int.from_bytes(hashlib.sha256(f"{seed} {text}".encode("utf-8", "surrogatepass")).digest()[:6]) / 2**48


def first_sample(questions: int) -> int:
    """Questions of the first round.

    >>> first_sample(20), first_sample(117), first_sample(800)
    (20, 30, 100)
    """
    return min(questions, max(_SAMPLE, questions // _SHARE))


@dataclass(frozen=True, slots=True)
class Standing:
    """A configuration after a round."""

    number: int
    score: float
    """More is better."""
    tokens: float
    """Of the context sent for a question; of equal scores fewer are better."""


def better_half(standings: Sequence[Standing]) -> list[Standing]:
    """Those that go on, best first, at least `FEWEST`.

    >>> standings = [Standing(0, 0.5, 9), Standing(1, 0.7, 9), Standing(2, 0.7, 5), Standing(3, 0.1, 1)]
    >>> [one.number for one in better_half(standings)]
    [2, 1]
    """
    ordered = sorted(standings, key=lambda one: (-one.score, one.tokens, one.number))
    return ordered[: max(FEWEST, (len(ordered) + 1) // 2)]


def next_step(left: int, missing: int, seconds_each: float, seconds: float) -> Literal["all", "half"]:
    """What to do after a round: ask all that are left everything, or drop half of them first.

    Args:
        left: configurations.
        missing: questions that they have not been asked, over all of them.
        seconds_each: that one of these takes.
        seconds: that are left.
    >>> next_step(8, 700, 0.05, 60.0), next_step(8, 700, 0.1, 60.0), next_step(2, 700, 0.1, 0.0)
    ('all', 'half', 'all')
    """
    return "all" if left <= FEWEST or missing * seconds_each <= seconds else "half"
