"""What the present boundaries make of each answer: whole in a chunk, split between chunks, or in none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation.questions import Answer, QuestionSet
from chunking.model import Document

__all__ = ["AnswerFate", "AnswerState", "Cuts", "answer_states"]

Ints = NDArray[np.int32]


class AnswerFate(StrEnum):
    """What became of an answer."""

    WHOLE = "whole"
    """A chunk holds all of it."""
    SPLIT = "split"
    """Chunks hold parts of it, and none all."""
    LOST = "lost"
    """No chunk holds any of it: it is left out, or not in the text."""


class Cuts(Protocol):
    """Where chunks begin and end, such as `cutting.Boundaries`."""

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
    answer: Answer
    state: AnswerFate
    """Equal to the words `whole`, `split` and `lost`."""
    chunks: tuple[int, ...]
    """Numbers of the chunks that hold it whole, or where none does of those that hold a part; ascending."""


def answer_states(document: Document, boundaries: Cuts, questions: QuestionSet) -> tuple[AnswerState, ...]:
    """What becomes of every answer that stands in a document.

    White space around an answer is no part of it: no chunk begins or ends with any. Binary search, nothing is built.

    Args:
        boundaries: of this document; starts and ends both ascend (law 3).
        questions: of any documents; those of others are passed over.
    Returns:
        In the order of the questions and their answers.
    """
    found = [(question.id, answer) for question in questions.questions for answer in question.answers if answer.doc_id == document.doc_id]
    if not found:
        return ()
    spans = np.array([_trimmed(document.text, answer) for _, answer in found], np.int32)
    starts, ends = np.asarray(boundaries.starts, np.int32), np.asarray(boundaries.ends, np.int32)
    first = np.searchsorted(ends, spans[:, 0], side="right")  # the first chunk that ends behind its beginning
    after = np.searchsorted(starts, spans[:, 1])  # the first that begins at or behind its end
    whole_first = np.searchsorted(ends, spans[:, 1])
    whole_after = np.searchsorted(starts, spans[:, 0], side="right")
    columns = (first.tolist(), after.tolist(), whole_first.tolist(), whole_after.tolist(), (spans[:, 1] > spans[:, 0]).tolist())
    return tuple(_states(found, columns))


def _states(
    found: list[tuple[str, Answer]], columns: tuple[list[int], list[int], list[int], list[int], list[bool]]
) -> Iterator[AnswerState]:
    for (question_id, answer), first, after, whole_first, whole_after, visible in zip(found, *columns, strict=True):
        if not visible or first >= after:
            yield AnswerState(question_id, answer, AnswerFate.LOST, ())
        elif whole_first < whole_after:
            yield AnswerState(question_id, answer, AnswerFate.WHOLE, tuple(range(whole_first, whole_after)))
        else:
            yield AnswerState(question_id, answer, AnswerFate.SPLIT, tuple(range(first, after)))


def _trimmed(text: str, answer: Answer) -> tuple[int, int]:
    """The span without the white space around it; empty where nothing is left of it in this text."""
    start, end = max(answer.start, 0), min(answer.end, len(text))
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, max(start, end - (len(inside) - len(inside.rstrip())))
