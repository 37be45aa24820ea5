"""Result of an import: the questions, and the problems with the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from chunking.display import one_line, quantity, summary_line
from chunking.errors import QuestionError
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet, ordered_answers

__all__ = ["Imported", "Pending", "Problem", "ProblemKind", "accept"]

_MOST_SHOWN = 5
"""Most problems shown in `repr`."""


class ProblemKind(StrEnum):
    """Kind of an import problem."""

    UNREADABLE = "unreadable"
    """The line is no row, or no JSON of a question."""
    NO_QUESTION = "no_question"
    NO_ANSWER = "no_answer"
    NO_DOCUMENT = "no_document"
    """The named document is missing, or none is named and there are several."""
    NOT_FOUND = "not_found"
    """The quote is not in the document; near misses are offered."""
    OUT_OF_RANGE = "out_of_range"
    """The span lies outside the document, and there is no quote."""
    MOVED = "moved"
    """The quote is not at its span; the place found was used."""
    TWICE = "twice"
    """The quote occurs several times; the first was used, the others are offered."""
    DUPLICATE = "duplicate"
    """The question occurs earlier in the file."""
    SAME_ID = "same_id"
    """Another question has the id; a new one was assigned."""
    TOO_LONG = "too_long"
    """The question exceeds the maximum length."""
    POOR = "poor"
    """A language model's question that nobody would ask or could answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with an imported or generated question, and places offered for its answer."""

    line: int
    """Line in the file, 1-based; for generated questions, the number of the passage."""
    question: str
    """Beginning of the question; may be empty."""
    kind: ProblemKind
    sentence: str
    """The problem, and what to do or what was done."""
    offers: tuple[AnswerSpan, ...] = ()
    """Candidate places for the answer, the best first; `accept` takes one."""
    question_id: str = ""
    """Id of the question in the set, or of the pending question."""
    kept: bool = False
    """True if the question is in the set nevertheless."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question with answers not found; it joins the set once an offer is accepted for each."""

    question: Question
    missing: int


@dataclass(frozen=True, slots=True, repr=False)
class Imported:
    """Result of importing a file or generating questions: the set, problems, pending questions."""

    questions: QuestionSet
    """Questions with every answer located."""
    problems: tuple[Problem, ...] = ()
    """In file order."""
    pending: tuple[Pending, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes about the entire file: encoding, format."""

    @property
    def left_out(self) -> int:
        """Number of questions left out of the set; several problems of a question count once."""
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
    """Return the import with a problem solved by one of its offered places as the answer.

    A pending question joins the set once no answer is missing; a question already in the set, because its quote occurs
    twice, gets the offered place instead of the first.

    Raises:
        QuestionError: the place was not offered, or the problem is not of this import.
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
        question = replace(one.question, answers=ordered_answers((*one.question.answers, offer)))
        if one.missing > 1:
            waiting.append(Pending(question, one.missing - 1))
        else:
            ready.append(question)
    questions = replace(imported.questions, questions=(*imported.questions.questions, *ready))
    return replace(imported, questions=questions, problems=problems, pending=tuple(waiting))


def _moved(question: Question, offer: AnswerSpan) -> Question:
    others = [answer for answer in question.answers if (answer.doc_id, answer.text) != (offer.doc_id, offer.text)]
    return replace(question, answers=ordered_answers([*others, offer]))
