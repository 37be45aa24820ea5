"""Questions that the documents do not answer: whether the search said so, and how often it said so of a question with
an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from chunking.evaluation.analysis.statistics import SHARE, Interval, interval
from chunking.evaluation.questions.question import Question, QuestionSet
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["CORRECTLY_UNANSWERED", "WRONGLY_UNANSWERED", "Unanswered", "unanswered"]

CORRECTLY_UNANSWERED = (
    "The share of questions without an answer in the documents for which the search says so: it finds nothing, or "
    "shows “Probably not in these documents”."
)
WRONGLY_UNANSWERED = "The share of questions with an answer for which the search wrongly says that there is none."


@dataclass(frozen=True, slots=True)
class Unanswered:
    """What a run said of the questions that nothing answers."""

    correct: Interval
    """Share of these that were correctly unanswered, 0 to 1; `n` of them."""
    wrong: Interval | None
    """Share of the others that were unanswered by mistake; None where there is none, or the run does not know."""
    missed: tuple[Question, ...]
    """Those without an answer that were answered all the same, in the order of the run."""

    @property
    def right(self) -> int:
        """How many were correctly unanswered."""
        return self.correct.n - len(self.missed)

    @property
    def sentence(self) -> str:
        """Such as `3 of 4 questions without an answer were correctly unanswered.`"""
        noun = "question" if self.correct.n == 1 else "questions"
        return (
            f"{self.right:,} of {self.correct.n:,} {noun} without an answer "
            f"{'was' if self.right == 1 else 'were'} correctly unanswered."
        )


def unanswered(run: EvaluationRun, questions: QuestionSet) -> Unanswered | None:
    """How questions without an answer fared; None where the run asked none."""
    by_id = {one.id: one for one in questions.questions}
    known = [
        (by_id[one.question_id], one.absent)
        for one in run.answered
        if one.question_id in by_id and one.absent is not None
    ]
    without = [(question, absent) for question, absent in known if question.unanswerable]
    if not without:
        return None
    others = [float(absent) for question, absent in known if question.answers]
    return Unanswered(
        interval([float(absent) for _, absent in without], bounds=SHARE),
        interval(others, bounds=SHARE) if others else None,
        tuple(question for question, absent in without if not absent),
    )
