"""Questions and results outside the metrics: unanswerable questions, and results nobody has judged.

A metric counts an unjudged result as not relevant, so recall and precision may be too low or too high; their number is
reported with it (C. Buckley and E. Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004).
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
    """Shares of questions for which a run reported no answer, rightly and wrongly."""

    correct: Interval
    """Share of these questions that the search left unanswered, 0 to 1, with `n` their number."""
    wrong: Interval | None
    """Share of the answerable questions left unanswered; None if there are none, or the run did not record it."""
    missed: tuple[Question, ...]
    """Unanswerable questions that were answered nevertheless, in the order of the run."""

    @property
    def right(self) -> int:
        """Number of correctly unanswered questions."""
        return self.correct.n - len(self.missed)

    @property
    def sentence(self) -> str:
        """Sentence such as `3 of 4 questions without an answer were correctly unanswered.`"""
        noun = "question" if self.correct.n == 1 else "questions"
        return (
            f"{self.right:,} of {self.correct.n:,} {noun} without an answer {'was' if self.right == 1 else 'were'} "
            "correctly unanswered."
        )


def unanswered(run: EvaluationRun, questions: QuestionSet) -> Unanswered | None:
    """Summarise how often a run reported no answer; None without an unanswerable question.

    Questions outside the set, or of older runs that did not record it (`Answered.absent`), are ignored.
    """
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
    """Number of unjudged results, over the questions labelled on results."""

    hits: int
    """Number of results that count."""
    unjudged: int
    """Number of those that nobody judged."""
    questions: int
    depths: tuple[int, ...]
    """Distinct pool depths, ascending; empty if the questions were labelled on a search."""

    @property
    def sentence(self) -> str:
        """Sentence with the number of unjudged hits and the pool depths; empty without any."""
        if not self.unjudged:
            return ""
        depths = " and ".join(f"{depth:,}" for depth in self.depths)
        pool = f"pool depth {depths}" if depths else "labelled on search results"
        share = f"{self.unjudged:,} of {self.hits:,} {'hit was' if self.hits == 1 else 'hits were'} never judged"
        return f"{share} ({pool}); they count as not relevant, so this metric may be too low."


def unjudged_results(run: EvaluationRun, questions: QuestionSet, measure: Measure | None = None) -> Unjudged | None:
    """Count the results within the cutoff nobody has judged; None without a labelled question.

    A result counts as judged if it shows part of a gold answer, or if half of its text lies in judged passages.
    """
    measure = measure or Measure()
    labelled = {one.id: one for one in questions.questions if one.labelled and (one.answers or one.unanswerable)}
    rows = [(labelled[one.question_id], one.results) for one in run.answered if one.question_id in labelled]
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
