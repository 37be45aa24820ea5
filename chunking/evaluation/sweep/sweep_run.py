"""Sweeps stored by name in the workspace, and their execution, which can be resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Unpack

from chunking.errors import NotFoundError
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.runs.evaluate import askable, refuse_unanswerable
from chunking.evaluation.runs.run import Cancel, OnProgress
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.sweep import Sweep, SweepReport
from chunking.evaluation.sweep.sweep_rounds import Rounds
from chunking.indexing.engine_options import EngineOptions, is_on_ray
from chunking.store import Workspace
from chunking.text.bounded_json import read_json

__all__ = ["load_sweep", "run_sweep", "save_sweep", "sweep_report"]


def save_sweep(workspace: Workspace, sweep: Sweep) -> None:
    """Store a sweep by name, to be run or resumed; replaces an earlier one and its report.

    The activity list notes it as started.
    """
    workspace.sweeps.put({sweep.name: sweep.to_json()}, done=("started the experiment", sweep.name))


def load_sweep(workspace: Workspace, name: str) -> Sweep:
    """Load a saved sweep.

    Raises:
        NotFoundError: there is none of that name.
        QuestionError: the stored record is not a sweep.
    """
    text = workspace.sweeps.get(name)
    if text is None:
        raise NotFoundError(f"There is no experiment '{name}' in {workspace.uri}; start a new one.", where=name)
    return Sweep.from_json(text)


def sweep_report(workspace: Workspace, name: str) -> SweepReport | None:
    """Return the report of a sweep's last completed run; None if never completed or stored."""
    text = workspace.sweeps.get(name)
    record = None if text is None else read_json(text).get("report")
    return None if record is None else SweepReport.from_record(record)


def run_sweep(
    workspace: Workspace,
    sweep: Sweep,
    questions: QuestionSet,
    *,
    trials: Trials | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
    **where: Unpack[EngineOptions],
) -> SweepReport:
    """Measure a sweep's configurations, reusing stored runs, and store runs, sweep and report.

    With `minutes`, the worse half is dropped after each sample of the questions, until the time suffices to ask the
    others everything. A failed configuration is recorded, and the others continue. After a stop or a kill, another call
    resumes it.

    Args:
        questions: the set; of one that is split, only the dev questions are asked.
        trials: where indexes are built; default: a temporary one.
        clock: returns seconds, for the time budget.
        where: engine `embedded`, this process; or `ray`, whose workers measure several configurations at the same
            time, with the same results.
    Raises:
        ConfigError: on Ray, a configuration needs what a cluster cannot do yet; or `where` is wrong.
        QuestionError: there is no question to ask, no configuration or too many, or no such metric.
        Cancelled: it was stopped; finished runs are kept.
        StoreError: the results cannot be saved; earlier ones are kept.
    """
    sweep.check()
    with nullcontext(trials) if trials is not None else Trials(workspace) as there:
        answerable, notes = askable(questions.of(QuestionPart.TUNE), there)
        refuse_unanswerable(answerable)
        with _rounds(where, there, sweep, answerable, notes, on_progress, cancelled, clock) as rounds:
            report = rounds.run()
    record = json.loads(sweep.to_json()) | {"report": report.as_record()}
    workspace.sweeps.put(
        {sweep.name: json.dumps(record, ensure_ascii=False)}, done=("finished the experiment", sweep.name)
    )
    return report


def _rounds(where: EngineOptions, *arguments: Any) -> AbstractContextManager[Rounds]:
    if not is_on_ray(where):
        return nullcontext(Rounds(*arguments))
    from chunking.evaluation.sweep.cluster_rounds import spread_rounds

    return spread_rounds(where.get("address"), where.get("workers"), *arguments)
