"""What live evaluation says of a configuration, and how far that is from a run on the real index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunking.config import Config
from chunking.evaluation.analysis.answer_states import AnswerState
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.evaluation.runs.run import EvaluationRun

if TYPE_CHECKING:
    from chunking.evaluation.metrics.counted_results import Measure
    from chunking.evaluation.metrics.scoring import Scores

__all__ = ["LiveDifference", "LiveScores", "difference"]


@dataclass(frozen=True, slots=True)
class LiveScores:
    """Estimated scores of a configuration, without a model call; only a run on the index is exact."""

    config: Config
    measure: Measure
    question_ids: tuple[str, ...]
    """(q,) in the order of the set; `scores` and `found` have the same."""
    scores: Scores
    found: tuple[tuple[Found, ...], ...]
    """(q,) results of each question, best first."""
    answers: tuple[AnswerState, ...]
    """Of every answer of every document, in the order of the documents."""
    chunks: int
    """Of level chunk, over all documents."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: what of the configuration live numbers do not follow."""
    warnings: tuple[str, ...] = ()
    """What splitting had to say, as of a strategy that does not suit a document: it is so in an index, too."""


@dataclass(frozen=True, slots=True)
class LiveDifference:
    """Live minus measured, over the questions that both have; shares, 0.05 is five points."""

    questions: int
    recall: float
    iou: float
    apart: float
    """Mean distance of the recall of a single question, whichever way."""

    @property
    def sentence(self) -> str:
        """For the user, beside the live numbers."""
        return (
            f"Live estimate minus run on a real index: recall {100 * self.recall:+.1f} points, "
            f"IoU {100 * self.iou:+.1f} points ({self.questions} questions)."
        )


def difference(live: LiveScores, run: EvaluationRun, questions: QuestionSet) -> LiveDifference | None:
    """How far live numbers are from a run of the same configuration, by the measure of the live ones; None where no
    question is in both.
    """
    from chunking.evaluation.metrics.scoring import score_run

    real = score_run(run, questions, live.measure)
    rows = {question_id: row for row, question_id in enumerate(live.question_ids)}
    both = [(rows[question_id], row) for row, question_id in enumerate(real.ids) if question_id in rows]
    if not both:
        return None
    ours, theirs = np.array(both, np.int64).T
    recall = live.scores.recall[ours] - real.recall[theirs]
    iou = live.scores.iou[ours] - real.iou[theirs]
    return LiveDifference(len(both), float(recall.mean()), float(iou.mean()), float(np.abs(recall).mean()))
