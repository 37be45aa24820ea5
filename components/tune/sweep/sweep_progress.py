"""A sweep in progress: estimated time, progress, result and resumption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError, QuotaError
from chunking.evaluation import EvaluationRun, Planned, Sweep
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import duration, plain, quantity
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.jobs import SWEEP, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, job_notes, tells, watched
from components.session.measured_documents import plan_of
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace
from components.tune.setting_words import without_k
from components.tune.sweep.sweep_list import StoredSweep, start_sweep

__all__ = [
    "SweepEstimate",
    "begin_sweep",
    "estimate_sweep",
    "running_sweep",
    "sweep_outcome",
    "unfinished_sweeps",
    "watch_sweep",
]

_PAGE, _SEEN = "tune", "tune.seen"

_SAMPLED = 3
"""Indexes planned for the estimate; the mean stands for the others."""
_SEARCH = 0.035
"""Seconds per search."""
_BUILD = 1.5
"""Seconds per index besides its embeddings."""
_NAME = "estimate"
"""Name of the planned index, which is never built."""


def running_sweep(target: Workspace) -> ServerJob | None:
    """Return the sweep job in progress in the workspace, whoever started it."""
    job = jobs().of(target.uri, SWEEP)
    return job if job is not None and job.active else None


def begin_sweep(target: Workspace, sweep: Sweep) -> None:
    """Start a sweep, notify this session when it ends, and rerun the page.

    Raises:
        ChunkscopeError: the sweep cannot be stored, or no process can be started.
    """
    watched(start_sweep(target, sweep), _PAGE)
    st.rerun()


@fragment(run_every=POLL)
def watch_sweep(address: str) -> None:
    """Draw the progress of the sweep, and rerun the page after each configuration."""
    job = jobs().of(address, SWEEP)
    if job is None or not job.active or _measured(job):
        st.rerun()
    job_line(job, _PAGE, "Finished runs are saved; continue any time.")


def _measured(job: ServerJob) -> bool:
    """True if a configuration was measured since the page was drawn."""
    version = workspace().runs.version
    drawn = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = (job.number, version)
    return drawn is not None and drawn[0] == job.number and drawn[1] != version


def sweep_outcome(target: Workspace) -> None:
    """Draw the result of the last sweep in sessions that watch it."""
    job = jobs().of(target.uri, SWEEP)
    if job is None or job.active or not tells(job, _PAGE):
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
    """Size and duration of a sweep."""

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
    """Estimate the size and duration of a sweep.

    Args:
        planned: configurations of the sweep.
        questions: number of questions per configuration.
        runs: current runs.
    """
    earlier = {without_k(run.config).to_yaml() for run in runs}
    valid = [one.config for one in planned if one.config is not None]
    new = [config for config in valid if without_k(config).to_yaml() not in earlier]
    indexes = {config.fingerprint(): config for config in new}
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
