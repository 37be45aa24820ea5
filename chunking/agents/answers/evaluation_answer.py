"""The index's settings measured on a saved question set, as an agent gets it: the metrics with their intervals, and
what failed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chunking.agents.answers.answer_models import Evaluated, MetricLine
from chunking.agents.call_control import CallControl
from chunking.errors import AccessError, NotFoundError

if TYPE_CHECKING:
    from chunking.evaluation import Interval
    from chunking.store import Workspace

__all__ = ["evaluated"]


def evaluated(workspace: Workspace, name: str, part: str, control: CallControl) -> Evaluated:
    """Measure, or look up what was measured; see `Toolbox.evaluate`."""
    from chunking import evaluation
    from chunking.store import Right

    config, sets = workspace.index().config, evaluation.set_names(workspace)
    if not sets:
        raise NotFoundError(
            "The workspace has no question set; import or write one on the Evaluate page of the app.", where=name
        )
    questions = evaluation.load_set(workspace, name or sets[0]).questions
    asked = questions.of(evaluation.QuestionPart(part)) if part else questions
    measure = evaluation.Measure(config.search.k)

    def on_progress(progress: evaluation.EvaluationProgress) -> None:
        control.report(progress.done, progress.total, progress.message)

    try:
        run = evaluation.evaluate(workspace, asked, config, on_progress=on_progress, cancelled=control.cancelled)
    except AccessError as error:
        if workspace.may(Right.WRITE):
            raise
        raise AccessError(
            f"These settings have not been evaluated on '{questions.name}' yet, and evaluating writes to the "
            "workspace; evaluate them in the app, or give this server the right to write.",
            where=questions.name,
        ) from error
    scores = evaluation.score_run(run, asked, measure)
    unanswered = evaluation.unanswered(run, asked)
    summary = evaluation.summary(scores) if len(scores) else {}
    return Evaluated(
        questions=questions.name,
        asked=len(run.answered),
        sets=sets,
        measure=measure.label,
        metrics={metric: _line(one) for metric, one in summary.items() if math.isfinite(one.mean)},
        failures={cause.value: count for cause, count in evaluation.causes(run).items() if count},
        settings=config.changed(),
        run=run.key,
        notes=[*run.notes, *([unanswered.sentence] if unanswered is not None and unanswered.sentence else [])],
    )


def _line(one: Interval) -> MetricLine:
    record = one.as_record()
    rounded = {name: None if (value := record[name]) is None else round(float(value), 4) for name in ("low", "high")}
    return MetricLine(mean=round(one.mean, 4), **rounded)
