"""What an import says about a file: the questions it gave, and what was wrong with the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from chunking.display import one_line, quantity, summary_line
from chunking.errors import QuestionError
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet

__all__ = ["Imported", "Pending", "Problem", "ProblemKind", "accept"]

_MOST_SHOWN = 5
"""Problems in a shell."""


class ProblemKind(StrEnum):
    """What was wrong."""

    UNREADABLE = "unreadable"
    """The line is no row or no JSON of a question."""
    NO_QUESTION = "no_question"
    NO_ANSWER = "no_answer"
    NO_DOCUMENT = "no_document"
    """It names a document that is not here, or none where there are several."""
    NOT_FOUND = "not_found"
    """The quote is not in the document; what is near it is offered."""
    OUT_OF_RANGE = "out_of_range"
    """The span lies outside the document, and no quote says what was meant."""
    MOVED = "moved"
    """The quote stands elsewhere than its span says: taken from there."""
    TWICE = "twice"
    """The quote stands at several places: the first was taken, the others are offered."""
    DUPLICATE = "duplicate"
    """The same question stands in the file before."""
    SAME_ID = "same_id"
    """Another question has its id: it was given a new one."""
    TOO_LONG = "too_long"
    """The question is too long to be one."""
    POOR = "poor"
    """A question that a language model made, and that nobody would ask, or nobody could answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a file that the person who gave it should know."""

    line: int
    """Of the file, 1-based; for a language model, the number of the passage it was asked about."""
    question: str
    """Its text, the beginning of it where it is long; may be empty."""
    kind: ProblemKind
    sentence: str
    """What is wrong, and what to do or what was done."""
    offers: tuple[AnswerSpan, ...] = ()
    """Places that may be meant, the best first; `accept` takes one."""
    question_id: str = ""
    """Of the question in the set, or of the one that waits for an offer to be accepted."""
    kept: bool = False
    """The question is in the set all the same."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that lacks answers: it joins the set when an offer has been accepted for each."""

    question: Question
    missing: int


@dataclass(frozen=True, slots=True, repr=False)
class Imported:
    """What came of a file, or of generating."""

    questions: QuestionSet
    """Those with every answer in its place."""
    problems: tuple[Problem, ...] = ()
    """In the order of the file."""
    pending: tuple[Pending, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about all of it: how it was decoded, which form it has."""

    @property
    def left_out(self) -> int:
        """Questions that are not in the set; one with several problems counts once."""
        return len({(problem.line, problem.question) for problem in self.problems if not problem.kept})

    def __repr__(self) -> str:
        count = quantity(len(self.questions), "question")
        head = summary_line(
            "Imported", self.questions.name, count, f"{self.left_out:,} left out" if self.left_out else ""
        )
        rest = len(self.problems) - _MOST_SHOWN
        more = [f"… {quantity(rest, 'more problem')}"] if rest > 0 else []
        return "\n".join(
            [head, *(f"line {one.line:,}: {one_line(one.sentence, 200)}" for one in self.problems[:_MOST_SHOWN]), *more]
        )


def accept(imported: Imported, problem: Problem, offer: AnswerSpan) -> Imported:
    """The import with one of a problem's offers taken.

    A question that was waiting for it joins the set once nothing of it is missing; one that is in the set already,
    because its quote stands twice, gets the offered place instead of the one that was taken.

    Raises:
        QuestionError: it is no offer of that problem, or no problem of that import.
    """
    if problem not in imported.problems or offer not in problem.offers:
        raise QuestionError("That place was not offered for this question; choose one from the list.")
    problems = tuple(one for one in imported.problems if one != problem)
    if problem.kept:
        mended = (_moved(one, offer) if one.id == problem.question_id else one for one in imported.questions.questions)
        return replace(imported, problems=problems, questions=replace(imported.questions, questions=tuple(mended)))
    ready: list[Question] = []
    waiting: list[Pending] = []
    for one in imported.pending:
        if one.question.id != problem.question_id:
            waiting.append(one)
            continue
        question = replace(one.question, answers=_ordered((*one.question.answers, offer)))
        if one.missing > 1:
            waiting.append(Pending(question, one.missing - 1))
        else:
            ready.append(question)
    questions = replace(imported.questions, questions=(*imported.questions.questions, *ready))
    return replace(imported, questions=questions, problems=problems, pending=tuple(waiting))


def _moved(question: Question, offer: AnswerSpan) -> Question:
    others = [answer for answer in question.answers if (answer.doc_id, answer.text) != (offer.doc_id, offer.text)]
    return replace(question, answers=_ordered([*others, offer]))


def _ordered(answers: Iterable[AnswerSpan]) -> tuple[AnswerSpan, ...]:
    """In their order, each place once."""
    return tuple(sorted(set(answers), key=lambda one: (one.doc_id, one.start, one.end)))
