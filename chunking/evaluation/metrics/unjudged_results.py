"""What of the results nobody has judged: questions that were labelled on pooled results say nothing about what no pool
held.

A metric counts such a result as one without an answer, so that recall and precision may be too low or too high; how
many there are is
told beside it (C. Buckley and E. Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.evaluation.metrics.character_spans import length, minus, union
from chunking.evaluation.metrics.counted_results import Measure, counted
from chunking.evaluation.questions.question import Question, QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["Unjudged", "unjudged_results"]


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
    for question, found in rows:
        shown = found[: counted(found, measure)]
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
