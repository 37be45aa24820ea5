"""Answers of a run: each question's ranking, and the diagnosis of failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from chunking.evaluation.questions.question import AnswerSpan

__all__ = ["CAUSES", "Answered", "AnsweredQuestions", "Cause", "CauseWording", "Diagnosis", "Found"]


class Cause(StrEnum):
    """Reason why the results that count lack part of an answer."""

    NOT_IN_PARSE = "not_in_parse"
    """The answer was left out of the parse, or is not in the text (any more)."""
    SPLIT = "split"
    """No chunk holds the entire answer, and not all chunks with its parts were returned."""
    CUT_OFF = "cut_off"
    """The chunk is longer than the model's limit, and the answer lies beyond it."""
    RANKED_BELOW = "ranked_below"
    """A chunk holds the answer, but ranks below the cutoff, or no leg returned it."""
    REPEAT = "repeat"
    """The chunk was deduplicated in favour of a returned chunk."""
    EVIDENCE = "evidence"
    """The result with the answer was left out, or the answer trimmed, for too little evidence."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Cause of a question's failure, its chunk's ranks, and a setting likely to help."""

    cause: Cause
    sentence: str
    """What happened, with numbers."""
    rank: int | None = None
    """Rank of the best chunk with the answer among all candidates, from 1; None if it was no candidate."""
    legs: Mapping[str, int | None] = field(default_factory=dict)
    """Its rank in each leg, from 1; None if the leg did not return it."""
    higher_ranked: tuple[str, ...] = ()
    """Ids of the top chunks that ranked higher, best first; at most five."""
    help: str = ""
    """The setting most likely to help, as `key=value`; empty if none would."""


class Found(NamedTuple):
    """A result in a ranking, as a span of a document."""

    doc_id: str
    """Empty for a summary, which has no place in the text: `start` is 0 and `end` its length."""
    start: int
    end: int
    tokens: int
    """Tokens of prefix and content, as the embedding model counts."""
    first: int
    """Start of its passage, including the neighbours before."""
    last: int
    """End of its passage, including the neighbours behind."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Results and diagnosis of one question of a run."""

    question_id: str
    results: tuple[Found, ...]
    """Results in rank order, down to `EvaluationRun.depth`."""
    omega: float
    """Precision if exactly the chunks that touch an answer were returned (precision-omega), 0 to 1."""
    diagnosis: Diagnosis | None = None
    """Why the first `n` results lack part of an answer; None if they hold all."""
    context_tokens: tuple[int, ...] = ()
    """Context tokens of the first result, the first two, and so on (`retrieval.context.costs`); empty in older runs."""
    absent: bool | None = None
    """True if the search reports that the documents hold no answer: no result, or the sign of
    `retrieval.answers.absence`. None in older runs.
    """
    gold: tuple[AnswerSpan, ...] = ()
    """Gold answers in the text that was searched, if a sweep had the documents read by another parser; else empty, as
    they are where the question set says.
    """


class AnsweredQuestions(Protocol):
    """Protocol of a run to score: answered questions, and the results stored for each."""

    @property
    def answered(self) -> tuple[Answered, ...]:
        """Answered questions, in the order of the set."""

    @property
    def depth(self) -> int:
        """Maximum number of results that the run stores for a question."""


class CauseWording(NamedTuple):
    """Label and explanation of a cause of failure."""

    label: str
    meaning: str
    """Explanation in a sentence."""


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
    Cause.EVIDENCE: CauseWording(
        "Too little evidence", "The result with the answer was cut, or the answer was trimmed off it."
    ),
}
"""In pipeline order, from the file to the result."""
