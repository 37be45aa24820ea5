"""A run as a table: a row a question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import Answered, Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["run_table"]

_COLUMNS = ("question_id", "failed", "cause", "why", "suggestion", "results", "best_document", "best_start", "best_end", "absent")


def run_table(run: Run, questions: QuestionSet | None, measure: Measure | None) -> pd.DataFrame:
    """See `Run.to_pandas`; a metric that a question does not have is missing."""
    import pandas as pd

    if questions is None:
        return pd.DataFrame(map(_row, run.answered), columns=list(_COLUMNS))
    texts = {one.id: one.text for one in questions.questions}
    asked = replace(run, answered=tuple(one for one in run.answered if one.question_id in texts))
    scores = score_run(asked, questions, measure or Measure(run.n))
    metrics = {name: scores.at(place).as_record() for place, name in enumerate(scores.ids)}
    rows = [{"question": texts[one.question_id]} | _row(one) | metrics.get(one.question_id, {}) for one in asked.answered]
    return pd.DataFrame(rows, columns=["question_id", "question", *_COLUMNS[1:], *(metric.name for metric in METRICS)])


def _row(one: Answered) -> dict[str, Any]:
    why, first = one.diagnosis, one.found[0] if one.found else None
    return {
        "question_id": one.question_id,
        "failed": why is not None,
        "cause": why.cause.value if why else None,
        "why": why.sentence if why else None,
        "suggestion": why.help or None if why else None,
        "results": len(one.found),
        "best_document": first.doc_id if first else None,
        "best_start": first.start if first else None,
        "best_end": first.end if first else None,
        "absent": one.absent,
    }
