"""Sweeps of a workspace: create, estimate, start, watch and resume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError, QuestionError, QuotaError
from chunking.evaluation import EvaluationRun, Planned, Sweep, SweepReport, save_sweep, sweep_report
from chunking.evaluation.runs.loaded_chunks import LoadedChunks, config_of_loaded
from chunking.evaluation.sweep.sweep import PARSER
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import duration, plain, quantity
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.host import deployment
from components.session.jobs import SWEEP, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, job_notes, should_show_outcome, watch_outcome
from components.session.measured_documents import plan_of
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace
from components.tune.setting_words import spoken_title, without_k
from components.tune.sweep.sweep_results import LeaderboardView
from components.tune.sweep.value_chooser import SweepChoice

__all__ = [
    "StoredSweep",
    "SweepEstimate",
    "baseline_sweep",
    "begin_sweep",
    "estimate_sweep",
    "kept_sweeps",
    "running_sweep",
    "sweep_fault",
    "sweep_of",
    "sweep_of_few",
    "sweep_outcome",
    "unfinished_sweeps",
    "watch_sweep",
]

_PAGE, _DRAWN_VERSION = "tune", "tune.seen"

_SAMPLED = 3
"""Indexes planned for the estimate; the mean stands for the others."""
_SEARCH = 0.035
"""Seconds per search."""
_BUILD = 1.5
"""Seconds per index besides its embeddings."""
_NAME = "estimate"
"""Name of the planned index, which is never built."""

_LOADED = "loaded:"


def running_sweep(target: Workspace) -> ServerJob | None:
    """Return the sweep job in progress in the workspace, whoever started it, or None."""
    job = jobs().of(target.uri, SWEEP)
    return job if job is not None and job.active else None


def begin_sweep(target: Workspace, sweep: Sweep) -> None:
    """Start a sweep, or watch the one in progress; notify this session at its end, and rerun.

    Raises:
        ChunkscopeError: the sweep cannot be stored, or no process can be started.
    """
    watch_outcome(start_sweep(target, sweep), _PAGE)
    st.rerun()


@fragment(run_every=POLL)
def watch_sweep(address: str) -> None:
    """Draw the progress of the sweep; rerun the page after each configuration and at the end."""
    job = jobs().of(address, SWEEP)
    if job is None or not job.active or _measured(job):
        st.rerun()
    job_line(job, _PAGE, "Finished runs are saved; continue any time.")


def _measured(job: ServerJob) -> bool:
    """True if a configuration was measured since the page was drawn."""
    version = workspace().runs.version
    drawn = st.session_state.get(_DRAWN_VERSION)
    st.session_state[_DRAWN_VERSION] = (job.number, version)
    return drawn is not None and drawn[0] == job.number and drawn[1] != version


def sweep_outcome(target: Workspace) -> None:
    """Draw the result of the last sweep, if it has ended and this session watches it."""
    job = jobs().of(target.uri, SWEEP)
    if job is None or job.active or not should_show_outcome(job, _PAGE):
        return
    job_notes(job)
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. Finished runs are saved: continue any time.", icon=":material/cancel:")
    elif job.report:
        st.success(_done(job), icon=":material/check_circle:")
        for note in job.report.get("notes", ()):
            st.caption(plain(note))


def _done(job: ServerJob) -> str:
    report = job.report or {}
    measured, earlier = len(report["runs"]), report["known"]
    words = [f"Done in {duration(report['seconds'])}: {quantity(measured, 'configuration')} run on all questions"]
    if report["dropped"]:
        words.append(f"{len(report['dropped'])} dropped early")
    if earlier:
        words.append(f"{earlier} from earlier runs")
    words.append(f"{quantity(report['embedded'], 'text')} embedded")
    if report["failed"]:
        words.append(f"{len(report['failed'])} failed")
    return "; ".join(words) + "."


def unfinished_sweeps(target: Workspace, kept: Sequence[StoredSweep]) -> None:
    """Draw the unfinished sweeps with buttons to continue or discard them.

    A sweep interrupted by a server restart is left out: the page shows it elsewhere.
    """
    job = jobs().of(target.uri, SWEEP)
    interrupted = job.name if job is not None and job.interrupted else None
    for number, one in enumerate(one for one in kept if one.report is None and one.sweep.name != interrupted):
        _unfinished(target, one, number)


def _unfinished(target: Workspace, one: StoredSweep, number: int) -> None:
    name = one.sweep.name
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"tune.unfinished.{number}"):
        st.markdown(f":material/pause_circle: **{plain(name)}** did not finish.", width="content")
        if button("Continue", key=f"tune.resume.{number}", **editing(help="Finished runs are not repeated.")):
            with sentences():
                begin_sweep(target, one.sweep)
        if button("Discard", key=f"tune.forget.{number}", type="tertiary", **editing(help="Finished runs stay.")):
            target.sweeps.delete([name])
            st.rerun()


class SweepEstimate(NamedTuple):
    """Valid, invalid and evaluated configurations of a sweep, indexes to build, and seconds."""

    configurations: int
    """Number of valid configurations."""
    faulty: tuple[str, ...]
    """Errors of the invalid configurations, without duplicates."""
    evaluated: int
    """Configurations measured already."""
    indexes: int
    """Indexes to build for the rest."""
    seconds: float


def estimate_sweep(planned: Sequence[Planned], questions: int, runs: Sequence[EvaluationRun]) -> SweepEstimate:
    """Estimate the size and duration of a sweep; up to three of its indexes are planned for it.

    Args:
        planned: configurations of the sweep.
        questions: number of questions per configuration.
        runs: current runs, whose configurations need no new run.
    Raises:
        QuotaError: an index cannot be planned at present, as the server is busy.
    """
    earlier = {(run.parser, without_k(run.config).to_yaml()) for run in runs}
    valid = [(one.parser, one.config) for one in planned if one.config is not None]
    new = [(parser, config) for parser, config in valid if (parser, without_k(config).to_yaml()) not in earlier]
    indexes = {(parser, config.fingerprint()): config for parser, config in new}
    target = workspace()
    sampled = list(indexes.values())[:: max(1, len(indexes) // _SAMPLED)][:_SAMPLED]
    builds = [_planned(target.uri, target.version(), config) for config in sampled]
    mean = sum(builds) / len(builds) if builds else 0.0
    seconds = len(indexes) * (mean + _BUILD) + len(new) * questions * _SEARCH
    return SweepEstimate(
        len(valid),
        tuple(dict.fromkeys(one.error for one in planned if one.error)),
        len(valid) - len(new),
        len(indexes),
        seconds,
    )


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=64)
def _planned(address: str, version: str, config: Config) -> float:
    """Return the seconds to split and embed with a configuration; 0 if planning fails."""
    try:
        return plan_of(workspace(), config, _NAME).seconds_expected
    except QuotaError:  # temporary: do not cache
        raise
    except ChunkscopeError:
        return 0.0


class StoredSweep(NamedTuple):
    """A stored sweep with its report."""

    sweep: Sweep
    report: SweepReport | None
    """None until the sweep has finished."""


def sweep_of(choice: SweepChoice, question_set: str, base: Config, target: Workspace, view: LeaderboardView) -> Sweep:
    """Create a sweep from a choice; an identical stored sweep keeps its name, so that it resumes.

    With a time limit, successive halving goes by the metric that the page shows. Nothing is stored yet.
    """
    tries = [
        {},
        *(_settings_of(name, base, target) for name in choice.splitters),
    ]  # the present settings are always among them
    grid = {key: tuple(values) for key, values in choice.grid.items()}
    grid |= {PARSER: choice.parsers} if choice.parsers else {}
    titles = [spoken_title(key) for key in grid] or list(choice.splitters)
    sweep = Sweep(
        name="",
        question_set=question_set,
        base=base,
        grid=grid,
        tries=tuple(tries),
        minutes=choice.minutes,
        n=base.search.k,
        baseline=True,
    )
    if choice.minutes:
        measure = view.measure
        sweep = replace(sweep, metric=view.metric.name, budget=measure.budget or 0, expanded=measure.expanded)
    return _named(sweep, " × ".join(titles) or "Current settings", kept_sweeps(target))


def sweep_of_few(estimated: Sweep, settings: Sequence[Mapping[str, str]], target: Workspace) -> Sweep:
    """Create a sweep of the given settings out of an estimated sweep, without a time limit."""
    sweep = replace(estimated, name="", grid={}, tries=tuple(dict(one) for one in settings), minutes=0.0, baseline=True)
    return _named(sweep, f"{len(settings)} of {estimated.combinations:,} estimated", kept_sweeps(target))


def baseline_sweep(question_set: str, base: Config, target: Workspace) -> Sweep:
    """Create a sweep of the current settings and the baseline."""
    sweep = Sweep("", question_set, base, tries=({},), n=base.search.k, baseline=True)
    return _named(sweep, "Current settings and baseline", kept_sweeps(target))


def sweep_fault(sweep: Sweep) -> str:
    """Return why a sweep cannot run (invalid, or too many configurations), or "".

    Configurations are counted, not built: there may be millions.
    """
    try:
        sweep.check()
        deployment().quotas.check_configurations(sweep.combinations)
    except (QuestionError, QuotaError) as error:
        return str(error)
    return ""


def _settings_of(splitter: str, base: Config, target: Workspace) -> Mapping[str, str]:
    """Return the settings that make a configuration use this splitter."""
    if splitter.startswith(_LOADED):
        text = target.loaded_chunks.get(splitter.removeprefix(_LOADED))
        if text is not None:
            theirs, ours = config_of_loaded(LoadedChunks.from_json(text), base).changed(), base.changed()
            return {key: value for key, value in theirs.items() if ours.get(key) != value}
    return {"strategy": "custom", "splitter": splitter}


def _named(sweep: Sweep, title: str, kept: Sequence[StoredSweep]) -> Sweep:
    names = {one.sweep.name for one in kept}
    same = next((one.sweep for one in kept if replace(one.sweep, name="").to_json() == sweep.to_json()), None)
    if same is not None:
        return same
    base = f"{title} · {sweep.question_set}"
    number, name = 1, base
    while name in names:
        number += 1
        name = f"{base} ({number})"
    return replace(sweep, name=name)


def start_sweep(target: Workspace, sweep: Sweep) -> ServerJob:
    """Store and start a sweep, or return the job of the one in progress.

    Raises:
        ChunkscopeError: the sweep cannot be stored, has more configurations than allowed, or no process can be
            started.
    """
    present = jobs().of(target.uri, SWEEP)
    if present and present.active:
        return present
    deployment().quotas.check_configurations(sweep.combinations)
    save_sweep(target, sweep)
    return jobs().start_job(target.uri, SWEEP, {"name": sweep.name}, name=sweep.name)


def kept_sweeps(target: Workspace) -> tuple[StoredSweep, ...]:
    """Return the workspace's stored sweeps, newest first; unreadable ones are left out."""
    return _read(target.uri, target.sweeps.version)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=2)
def _read(address: str, version: str) -> tuple[StoredSweep, ...]:
    target = workspace()
    kept = []
    for name, text in target.sweeps.all().items():
        try:
            kept.append(StoredSweep(Sweep.from_json(text), sweep_report(target, name)))
        except QuestionError:
            continue  # of another version: it cannot be resumed; its runs stay
    return tuple(kept)
