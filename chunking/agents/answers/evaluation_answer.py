"""The tool `evaluate`, and the last measured recall as a sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chunking.agents.answers.answer_models import Evaluated, MetricLine
from chunking.agents.long_calls import CallControl
from chunking.errors import AccessError, NotFoundError
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.evaluation import EvaluationRun, Interval
    from chunking.store import Workspace

__all__ = ["evaluate_settings", "measured_recall"]

_METRIC = "recall"
_MOST_RUNS = 50
"""Number of newest runs to search."""

_sentences: ByteCache[str] = ByteCache(f"{__name__}.sentences", MB)


def evaluate_settings(workspace: Workspace, name: str, part: str, control: CallControl) -> Evaluated:
    """Evaluate the index's settings, or look up the stored run; see `Toolbox.evaluate`."""
    from chunking import evaluation
    from chunking.store import Right

    config, sets = workspace.index().config, evaluation.set_names(workspace)
    if not sets:
        raise NotFoundError(
            "The workspace has no question set; import or write one on the Evaluate page of the app.", where=name
        )
    questions = evaluation.load_set(workspace, name or sets[0]).questions
    selected = questions.of(evaluation.QuestionPart(part)) if part else questions
    measure = evaluation.Measure(config.search.k)

    try:
        run = evaluation.evaluate(workspace, selected, config, on_progress=control.follow, cancelled=control.cancelled)
    except AccessError as error:
        if workspace.may(Right.WRITE):
            raise
        raise AccessError(
            (
                f"These settings have not been evaluated on '{questions.name}' yet, and evaluating writes to the "
                f"workspace; evaluate them in the app, or give this server the right to write."
            ),
            where=questions.name,
        ) from error
    scores = evaluation.score_run(run, selected, measure)
    unanswered = evaluation.unanswered(run, selected)
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


# -- recall in one sentence


def measured_recall(workspace: Workspace) -> str:
    """Return the newest index's recall in its newest run as a sentence; "" if not measured.

    A run counts if it would come out the same now: the same settings, documents, model and code. The answer is
    remembered until something is written to the workspace.

    Raises:
        StoreError: the workspace cannot be read.
    """
    if not workspace.indexes():
        return ""
    key = (workspace.uri, workspace.version(), workspace.runs.version)
    sentence = _sentences.get(key)
    if sentence is None:
        sentence = _sentence(workspace)
        _sentences.put(key, sentence)
    return sentence


def _sentence(workspace: Workspace) -> str:
    from chunking.errors import ChunkscopeError
    from chunking.evaluation import Measure, interval_in_words, load_set, score_run, summary

    run = _current_run(workspace, workspace.index().config)
    if run is None:
        return ""
    try:
        scores = score_run(run, load_set(workspace, run.question_set).questions, Measure(run.n))
    except ChunkscopeError:  # the set was deleted since
        return ""
    if not len(scores):
        return ""
    recall = interval_in_words(summary(scores)[_METRIC], _METRIC)
    return f"Measured recall of the first {run.n} results on the question set '{run.question_set}': {recall}."


def _current_run(workspace: Workspace, config: Config) -> EvaluationRun | None:
    from chunking.errors import QuestionError
    from chunking.evaluation import EvaluationRun, documents_key, is_current

    documents = documents_key(workspace.documents())
    for name in workspace.runs.names()[:_MOST_RUNS]:
        try:
            run = EvaluationRun.from_json(workspace.runs.get(name) or "")
        except QuestionError:  # of another version
            continue
        if not run.error and run.answered and _same_settings(run.config, config) and is_current(run, documents):
            return run
    return None


def _same_settings(one: Config, other: Config) -> bool:
    """True if two configurations differ at most in the number of results, which the sentence names."""
    return (
        one.fingerprint() == other.fingerprint() and one.search.model_copy(update={"k": other.search.k}) == other.search
    )
