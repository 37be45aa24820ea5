"""The state of each answer under the present boundaries (intact, split or missing), and how two splits differ in it."""

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
    """What became of an answer."""

    INTACT = "intact"
    """A chunk holds all of it."""
    SPLIT = "split"
    """Chunks hold parts of it, and none all."""
    MISSED = "missed"
    """No chunk holds any of it: it is left out, or not in the text."""


class ChunkBounds(Protocol):
    """Where chunks begin and end, such as `splitting.Boundaries`."""

    @property
    def starts(self) -> Ints:
        """(n,) ascending."""

    @property
    def ends(self) -> Ints:
        """(n,) ascending."""


@dataclass(frozen=True, slots=True)
class AnswerState:
    """One answer of a question, under some boundaries."""

    question_id: str
    answer: AnswerSpan
    state: AnswerFate
    """Equal to the words `whole`, `split` and `lost`."""
    chunks: tuple[int, ...]
    """Numbers of the chunks that hold it whole, or where none does of those that hold a part; ascending."""


class PlacedAnswers:
    """The answers that stand in a document, found once for any boundaries.

    White space around an answer is no part of it: no chunk begins or ends with any.
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
        """What becomes of them, in the order of the questions and their answers: binary search, nothing is built."""
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
    """What becomes of every answer that stands in a document.

    Args:
        boundaries: of this document; starts and ends both ascend (law 3).
        questions: of any documents; the answers in others are passed over.
    Returns:
        In the order of the questions and their answers.
    """
    return PlacedAnswers(document, questions).states(boundaries)


def _state(
    counts: tuple[str, AnswerSpan], first: int, after: int, whole_first: int, whole_after: int, visible: bool
) -> AnswerState:
    if not visible or first >= after:
        return AnswerState(*counts, AnswerFate.MISSED, ())
    if whole_first < whole_after:
        return AnswerState(*counts, AnswerFate.INTACT, tuple(range(whole_first, whole_after)))
    return AnswerState(*counts, AnswerFate.SPLIT, tuple(range(first, after)))


def _trimmed(text: str, answer: AnswerSpan) -> tuple[int, int]:
    """The span without the white space around it; empty where nothing is left of it in this text."""
    start, end = max(answer.start, 0), min(answer.end, len(text))
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, max(start, end - (len(inside) - len(inside.rstrip())))


@dataclass(frozen=True, slots=True)
class FateChange:
    """An answer whose fate differs."""

    a: AnswerState
    b: AnswerState
    """Of the same answer as `a`."""


@dataclass(frozen=True, slots=True)
class FateComparison:
    """The answers in one document under A and under B."""

    a: Mapping[AnswerFate, int]
    """Fate to number of answers; every fate is there."""
    b: Mapping[AnswerFate, int]
    changes: tuple[FateChange, ...]
    """In the order of the text."""


def compare_fates(a: Sequence[AnswerState], b: Sequence[AnswerState]) -> FateComparison:
    """Hold what A makes of the answers against what B makes of them.

    Args:
        a, b: what `answer_states` gives for each: of one document, with the same questions.
    Raises:
        ValueError: they are not about the same answers.
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
