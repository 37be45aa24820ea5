"""Measuring every configuration of a sweep: those that share an index together, known runs looked up."""

from __future__ import annotations

import json
import time
from dataclasses import replace

from chunking.errors import Cancelled, ChunkscopeError, NotFoundError, StoreError
from chunking.evaluation.evaluate import evaluate
from chunking.evaluation.progress import Cancel, OnProgress, Progress
from chunking.evaluation.questions import Part, QuestionSet
from chunking.evaluation.sweep import Failed, Sweep, SweepReport
from chunking.evaluation.trials import Trials
from chunking.store import Workspace

__all__ = ["load_sweep", "run_sweep", "save_sweep", "sweep_report"]


def save_sweep(workspace: Workspace, sweep: Sweep) -> None:
    """Keep a sweep, so that it can be run and gone on with; a report of the same sweep stays."""
    workspace.sweeps.put({sweep.name: sweep.to_json()})


def load_sweep(workspace: Workspace, name: str) -> Sweep:
    """A saved sweep. Raises NotFoundError."""
    text = workspace.sweeps.get(name)
    if text is None:
        raise NotFoundError(f"There is no sweep '{name}' in {workspace.uri}; start it anew.", where=name)
    return Sweep.from_json(text)


def sweep_report(workspace: Workspace, name: str) -> SweepReport | None:
    """What a sweep came to when it last ended; None where it has not."""
    text = workspace.sweeps.get(name)
    record = None if text is None else json.loads(text).get("report")
    return None if record is None else SweepReport.from_record(record)


def run_sweep(
    workspace: Workspace,
    sweep: Sweep,
    questions: QuestionSet,
    *,
    trials: Trials | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> SweepReport:
    """Measure every configuration; run again after a stop or a kill, it goes on from what is kept.

    Args:
        questions: the set; of one that is split, only those for tuning are asked.
    Raises:
        QuestionError: there is no question to ask.
        Cancelled: it was stopped; finished runs are kept.
        StoreError: the results cannot be saved; those before are kept.
    """
    started = time.perf_counter()
    asked = questions.of(Part.TUNE)
    planned = sweep.configs()
    failed = [Failed(one.label, one.settings, one.error) for one in planned if one.config is None]
    valid = sorted((one for one in planned if one.config is not None), key=lambda one: one.config.fingerprint() if one.config else "")
    runs, embedded, known = list[str](), 0, 0
    total = len(asked) * len(valid)
    began = time.perf_counter()
    with trials or Trials(workspace) as open_trials:
        for number, one in enumerate(valid):
            before = number * len(asked)

            def tell(progress: Progress, before: int = before, label: str = one.label) -> None:
                if on_progress is not None:
                    done = before + progress.done
                    left = (time.perf_counter() - began) / done * (total - done) if done else None
                    on_progress(Progress(done, total, f"{label}: {progress.message}", left))

            assert one.config is not None
            k = one.config.search.k if "search.k" in one.settings else sweep.n
            try:
                run = evaluate(
                    workspace, asked, one.config, trials=open_trials, n=k, label=one.label, on_progress=tell, cancelled=cancelled
                )
            except (Cancelled, StoreError):
                raise
            except ChunkscopeError as error:
                failed.append(Failed(one.label, one.settings, str(error)))
                continue
            runs.append(run.key)
            embedded += run.embedded
    report = SweepReport(sweep.name, tuple(runs), (), tuple(failed), embedded, known, (), time.perf_counter() - started)
    workspace.sweeps.put({sweep.name: json.dumps(json.loads(sweep.to_json()) | {"report": report.as_record()}, ensure_ascii=False)})
    return replace(report)
