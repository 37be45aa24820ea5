"""Questions and results outside the metrics: questions without an answer, and passages nobody has judged.

A metric counts an unjudged result as one without an answer, so recall and precision may be too low or too high; their
number is reported beside it (C. Buckley and E. Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.evaluation.analysis.statistics import SHARE, Interval, interval
from chunking.evaluation.metrics.counted_results import Measure, counted, length, minus, union
from chunking.evaluation.questions.question import Question, QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["CORRECTLY_UNANSWERED", "WRONGLY_UNANSWERED", "Unanswered", "Unjudged", "unanswered", "unjudged_results"]

CORRECTLY_UNANSWERED = (
    "The share of questions without an answer in the documents for which the search says so: it finds nothing, "
    "or shows “Probably not in these documents”."
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
            f"{self.right:,} of {self.correct.n:,} {noun} without an answer {'was' if self.right == 1 else 'were'} "
            "correctly unanswered."
        )


def unanswered(run: EvaluationRun, questions: QuestionSet) -> Unanswered | None:
    """How questions without an answer fared; None where the run asked none."""
    by_id = {one.id: one for one in questions.questions}
    judged = [
        (by_id[one.question_id], one.absent)
        for one in run.answered
        if one.question_id in by_id and one.absent is not None
    ]
    without = [(question, absent) for question, absent in judged if question.unanswerable]
    if not without:
        return None
    others = [float(absent) for question, absent in judged if question.answers]
    return Unanswered(
        interval([float(absent) for _, absent in without], bounds=SHARE),
        interval(others, bounds=SHARE) if others else None,
        tuple(question for question, absent in without if not absent),
    )


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Of the questions that were labelled on results."""

    hits: int
    """Results that count, of all of them."""
    unjudged: int
    """Those that nobody has judged."""
    questions: int
    depths: tuple[int, ...]
    """Depths of their pools, ascending, each once; empty where they were labelled on a search."""

    @property
    def sentence(self) -> str:
        """What to say beside a metric; empty where everything was judged."""
        if not self.unjudged:
            return ""
        depths = " and ".join(f"{depth:,}" for depth in self.depths)
        pool = f"pool depth {depths}" if depths else "labelled on search results"
        share = f"{self.unjudged:,} of {self.hits:,} {'hit was' if self.hits == 1 else 'hits were'} never judged"
        return f"{share} ({pool}); they count as not relevant, so this metric may be too low."


def unjudged_results(run: EvaluationRun, questions: QuestionSet, measure: Measure | None = None) -> Unjudged | None:
    """How many of the results that count were never judged; None where no question was labelled on results.

    A result was judged where it shows a part of a gold answer, or where half of its text stands in passages that were
    judged.
    """
    measure = measure or Measure()
    labelled = {one.id: one for one in questions.questions if one.labelled and (one.answers or one.unanswerable)}
    rows = [(labelled[one.question_id], one.found) for one in run.answered if one.question_id in labelled]
    if not rows:
        return None
    hits = unjudged = 0
    for question, results in rows:
        shown = results[: counted(results, measure)]
        hits += len(shown)
        unjudged += sum(not _judged(question, one) for one in shown)
    depths = sorted({question.pool.depth for question, _ in rows if question.pool is not None})
    return Unjudged(hits, unjudged, len(rows), tuple(depths))


def _judged(question: Question, one: Found) -> bool:
    if any(
        answer.doc_id == one.doc_id and answer.start < one.end and one.start < answer.end for answer in question.answers
    ):
        return True
    left: Sequence[tuple[int, int]] = [(one.start, one.end)]
    for start, end in union((judged.start, judged.end) for judged in question.judged if judged.doc_id == one.doc_id):
        left = minus(left, start, end)
    return bool(one.doc_id) and 2 * length(left) <= one.end - one.start
