"""Which questions choose the settings, and which only check the choice."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from chunking.errors import QuestionError
from chunking.evaluation.questions.question import Question, QuestionPart, QuestionSet

__all__ = ["split"]


def split(questions: QuestionSet, *, holdout: float = 0.3, seed: int = 0) -> QuestionSet:
    """Mark each question as one to tune with or one held out, the same share of every document's.

    Which ones does not hang on their order: each has a place in line by the hash of its id and the seed. A question
    that is
    added or deleted therefore moves at most one other of its document.

    Args:
        holdout: share of the questions, 0 to 1.
        seed: another one, another choice.
    Raises:
        QuestionError: the share is out of range.
    """
    if not 0 <= holdout <= 1:
        raise QuestionError(f"A share of {holdout:g} cannot be held out; give a number from 0 to 1.")
    by_document: dict[str, list[Question]] = {}
    for question in questions.questions:
        by_document.setdefault(question.answers[0].doc_id if question.answers else "", []).append(question)
    held: set[str] = set()
    owed = 0.0
    for _, some in sorted(by_document.items()):
        owed += holdout * len(some)
        count = min(round(owed), len(some))
        owed -= count  # what rounding gave or took here is made up for by the next document
        held |= {question.id for question in sorted(some, key=lambda one: _place(one, seed))[:count]}
    marked = (
        replace(one, part=QuestionPart.HOLDOUT if one.id in held else QuestionPart.TUNE) for one in questions.questions
    )
    return replace(questions, questions=tuple(marked))


def _place(question: Question, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{question.id}".encode("utf-8", "surrogatepass")).digest()
