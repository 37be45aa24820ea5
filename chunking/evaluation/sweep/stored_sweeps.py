"""Sweeps in a workspace: kept by name, run, and gone on with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from chunking.errors import NotFoundError
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.runs.evaluate import askable, refuse_unanswerable
from chunking.evaluation.runs.run_progress import Cancel, OnProgress
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.sweep import Sweep, SweepReport
from chunking.evaluation.sweep.sweep_rounds import Rounds
from chunking.store import Workspace
from chunking.text.bounded_json import read_json

__all__ = ["load_sweep", "run_sweep", "save_sweep", "sweep_report"]


def save_sweep(workspace: Workspace, sweep: Sweep) -> None:
    """Keep a sweep, so that it can be run and gone on with; the report of an earlier one of its name is forgotten."""
    workspace.sweeps.put({sweep.name: sweep.to_json()}, done=("started the experiment", sweep.name))


def load_sweep(workspace: Workspace, name: str) -> Sweep:
    """A saved sweep.

    Raises:
        NotFoundError: there is none of that name.
        QuestionError: what is kept under the name is none.
    """
    text = workspace.sweeps.get(name)
    if text is None:
        raise NotFoundError(f"There is no experiment '{name}' in {workspace.uri}; start a new one.", where=name)
    return Sweep.from_json(text)


def sweep_report(workspace: Workspace, name: str) -> SweepReport | None:
    """What a sweep came to when it last ended; None where it has not."""
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
) -> SweepReport:
    """Measure every configuration; run again after a stop or a kill, it goes on from what is kept.

    Args:
        questions: the set; of one that is split, only those for tuning are asked.
        trials: where indexes are built; an own one where there is none.
        clock: seconds, for the time budget.
    Raises:
        QuestionError: there is no question to ask, no configuration or too many, or no such metric.
        Cancelled: it was stopped; finished runs are kept.
        StoreError: the results cannot be saved; those before are kept.
    """
    sweep.check()
    own = None if trials is not None else Trials(workspace)
    there = trials if trials is not None else own
    assert there is not None
    try:
        asked, notes = askable(questions.of(QuestionPart.TUNE), there)
        refuse_unanswerable(asked)
        report = Rounds(there, sweep, asked, notes, on_progress, cancelled, clock).whole()
    finally:
        if own is not None:
            own.close()
    record = json.loads(sweep.to_json()) | {"report": report.as_record()}
    workspace.sweeps.put(
        {sweep.name: json.dumps(record, ensure_ascii=False)}, done=("finished the experiment", sweep.name)
    )
    return report
