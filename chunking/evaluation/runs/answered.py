"""Answered questions of a run: the ranking of each, and why it failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

__all__ = ["CAUSES", "Answered", "AnsweredQuestions", "Cause", "CauseWording", "Diagnosis", "Found"]


class Cause(StrEnum):
    """Why a question was not answered whole by what was found."""

    NOT_IN_PARSE = "not_in_parse"
    """The answer is in a part of the document that was left out, or is not in its text (any more)."""
    SPLIT = "split"
    """No chunk holds it whole, and not all of the chunks that hold a part of it were found."""
    CUT_OFF = "cut_off"
    """The chunk is longer than the model reads, and the answer is behind what it reads."""
    RANKED_BELOW = "ranked_below"
    """A chunk holds it, and was ranked below the cut, or not found by any leg."""
    REPEAT = "repeat"
    """The chunk was dropped as a repeat of another that was shown."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a question failed, for the person who asks."""

    cause: Cause
    sentence: str
    """What happened, with its numbers."""
    rank: int | None = None
    """Of the best chunk that holds the answer, among all candidates, from 1; None where it was no candidate."""
    legs: Mapping[str, int | None] = field(default_factory=dict)
    """Its rank in each leg, from 1."""
    above: tuple[str, ...] = ()
    """Ids of the chunks that stood where it should have, best first; five at most."""
    help: str = ""
    """The setting most likely to help, as `key=value`; empty where none would."""


class Found(NamedTuple):
    """A result in its place in the ranking."""

    doc_id: str
    """Empty for a summary, which stands nowhere: `start` is 0 and `end` its length."""
    start: int
    end: int
    tokens: int
    """Of prefix and content, as the embedding model counts."""
    first: int
    """Where its passage begins: the neighbours before it included."""
    last: int
    """Where its passage ends."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a run."""

    question_id: str
    found: tuple[Found, ...]
    """In rank order, down to `EvaluationRun.depth`."""
    omega: float
    """Precision if every chunk that touches an answer were retrieved, and nothing else (precision-omega), 0 to 1."""
    diagnosis: Diagnosis | None = None
    """Why it was not answered whole at the run's `n`; None where it was."""
    context_tokens: tuple[int, ...] = ()
    """Of the context of the first result, of the first two, and so on (`retrieval.context.costs`); empty where a run
    was made before they were counted."""
    absent: bool | None = None
    """Whether the search says that the documents hold no answer: it found nothing, or gave the sign
    (`retrieval.answers.absence`). None where a run was made before it was asked."""


class AnsweredQuestions(Protocol):
    """The part of a run that scores are computed from."""

    @property
    def answered(self) -> tuple[Answered, ...]:
        """In the order of the questions."""

    @property
    def depth(self) -> int:
        """Results kept per question."""


class CauseWording(NamedTuple):
    """A cause of failure as people read it."""

    label: str
    meaning: str
    """A sentence."""


CAUSES: Mapping[Cause, CauseWording] = {
    Cause.NOT_IN_PARSE: CauseWording(
        "Not parsed", "The answer was left out of the parse, or the file has changed since."
    ),
    Cause.REPEAT: CauseWording("Deduplicated", "The same text from another place was shown instead."),
    Cause.SPLIT: CauseWording("Split", "A chunk boundary splits the answer, and not all of its parts were found."),
    Cause.CUT_OFF: CauseWording(
        "Truncated", "The chunk is longer than the model's limit, and the answer lies beyond it."
    ),
    Cause.RANKED_BELOW: CauseWording("Outranked", "A chunk contains the whole answer, but others ranked above it."),
}
"""In the order of the way from the file to the result."""
