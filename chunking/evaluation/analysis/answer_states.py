"""State of answers (intact, split or missed) under given chunk boundaries, compared for two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation.questions.question import AnswerSpan, QuestionSet
from chunking.model import Document

__all__ = [
    "AnswerFate",
    "AnswerState",
    "ChunkBounds",
    "FateChange",
    "FateComparison",
    "PlacedAnswers",
    "answer_states",
    "compare_fates",
]

Ints = NDArray[np.int32]


class AnswerFate(StrEnum):
    """State of an answer under some chunk boundaries."""

    INTACT = "intact"
    """One chunk holds the entire answer."""
    SPLIT = "split"
    """Several chunks hold parts of the answer, none holds it entirely."""
    MISSED = "missed"
    """No chunk holds any part: the passage was left out of the chunks, or is not in the text."""


class ChunkBounds(Protocol):
    """Start and end offsets of the chunks of a document, such as `splitting.Boundaries`."""

    @property
    def starts(self) -> Ints:
        """(n,) start offsets, ascending."""

    @property
    def ends(self) -> Ints:
        """(n,) end offsets, ascending."""


@dataclass(frozen=True, slots=True)
class AnswerState:
    """State of one answer of a question under some chunk boundaries."""

    question_id: str
    answer: AnswerSpan
    state: AnswerFate
    chunks: tuple[int, ...]
    """Numbers of the chunks with the entire answer, or else of those with a part; ascending."""


class PlacedAnswers:
    """Answers located in a document, reusable for any chunk boundaries.

    White space around an answer is ignored: no chunk begins or ends with any.
    """

    def __init__(self, document: Document, questions: QuestionSet) -> None:
        self._placed = [
            (one.id, answer)
            for one in questions.questions
            for answer in one.answers
            if answer.doc_id == document.doc_id
        ]
        spans = np.array([_trimmed(document.text, answer) for _, answer in self._placed], np.int32).reshape(-1, 2)
        self._starts, self._ends = np.ascontiguousarray(spans.T)

    def states(self, boundaries: ChunkBounds) -> tuple[AnswerState, ...]:
        """Return the state of each answer, in the order of the questions and their answers."""
        starts, ends = np.asarray(boundaries.starts, np.int32), np.asarray(boundaries.ends, np.int32)
        columns = (
            np.searchsorted(ends, self._starts, side="right"),  # the first chunk that ends behind its beginning
            np.searchsorted(starts, self._ends),  # the first that begins at or behind its end
            np.searchsorted(ends, self._ends),  # of those that hold it whole the first, and one past the last
            np.searchsorted(starts, self._starts, side="right"),
            self._ends > self._starts,
        )
        return tuple(map(_state, self._placed, *(column.tolist() for column in columns)))


def answer_states(document: Document, boundaries: ChunkBounds, questions: QuestionSet) -> tuple[AnswerState, ...]:
    """Return the state (intact, split, missed) of each answer in a document under chunk boundaries.

    Args:
        boundaries: chunk boundaries of this document; starts and ends both ascend (law 3).
        questions: answers in other documents are ignored.
    Returns:
        In the order of the questions and their answers.
    """
    return PlacedAnswers(document, questions).states(boundaries)


def _state(
    placed: tuple[str, AnswerSpan], first: int, after: int, whole_first: int, whole_after: int, visible: bool
) -> AnswerState:
    if not visible or first >= after:
        return AnswerState(*placed, AnswerFate.MISSED, ())
    if whole_first < whole_after:
        return AnswerState(*placed, AnswerFate.INTACT, tuple(range(whole_first, whole_after)))
    return AnswerState(*placed, AnswerFate.SPLIT, tuple(range(first, after)))


def _trimmed(text: str, answer: AnswerSpan) -> tuple[int, int]:
    """Return the span without surrounding white space; empty if nothing remains."""
    start, end = max(answer.start, 0), min(answer.end, len(text))
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, max(start, end - (len(inside) - len(inside.rstrip())))


@dataclass(frozen=True, slots=True)
class FateChange:
    """An answer whose state differs between two splits."""

    a: AnswerState
    b: AnswerState
    """State of the same answer as in `a`."""


@dataclass(frozen=True, slots=True)
class FateComparison:
    """Answers of one document by state under splits A and B, and those whose state differs."""

    a: Mapping[AnswerFate, int]
    """Number of answers in each state; every state is a key."""
    b: Mapping[AnswerFate, int]
    changes: tuple[FateChange, ...]
    """Answers whose state differs, in text order."""


def compare_fates(a: Sequence[AnswerState], b: Sequence[AnswerState]) -> FateComparison:
    """Count the answer states under two splits of a document, and list the answers that differ.

    Args:
        a, b: results of `answer_states` for the same document and questions.
    Raises:
        ValueError: the states are of different answers.
    """
    changes = []
    for one, other in zip(a, b, strict=True):
        if (one.question_id, one.answer) != (other.question_id, other.answer):
            raise ValueError(f"The states are of different answers: {one.question_id} and {other.question_id}.")
        if one.state is not other.state:
            changes.append(FateChange(one, other))
    changes.sort(key=lambda change: change.a.answer.start)
    return FateComparison(_counts(a), _counts(b), tuple(changes))


def _counts(states: Sequence[AnswerState]) -> dict[AnswerFate, int]:
    counts = Counter(one.state for one in states)
    return {fate: counts[fate] for fate in AnswerFate}
