"""A sweep in progress: the estimate of its time, its progress, its end, and resuming it."""

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
from components.session.jobs.job_line import POLL, job_line, job_notes, should_show_outcome, watch_outcome
from components.session.measured_documents import plan_of
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace
from components.tune.setting_words import settled
from components.tune.sweep.sweep_list import StoredSweep, start

__all__ = ["SweepEstimate", "begin", "estimate", "outcome", "running", "unfinished", "watch"]

_PAGE, _SEEN = "tune", "tune.seen"

_SAMPLED = 3
"""Indexes that are planned for the estimate; the others are taken to be like them."""
_SEARCH = 0.035
"""Seconds of a search, where no run has been measured yet."""
_BUILD = 1.5
"""Seconds that an index takes besides its embeddings."""
_NAME = "estimate"
"""Of the index that is planned and never built."""


def running(target: Workspace) -> ServerJob | None:
    """The comparison that is under way in the workspace, whoever started it."""
    job = jobs().of(target.uri, SWEEP)
    return job if job is not None and job.active else None


def begin(target: Workspace, sweep: Sweep) -> None:
    """Run it beside the pages; this session is told how it ends.

    Raises:
        ChunkscopeError: it cannot be kept, or no process be started.
    """
    watch_outcome(start(target, sweep), _PAGE)
    st.rerun()


@fragment(run_every=POLL)
def watch(address: str) -> None:
    """Progress of the job, looked at twice a second."""
    job = jobs().of(address, SWEEP)
    if job is None or not job.active or _measured(job):
        st.rerun()
    job_line(job, _PAGE, "Finished runs are saved; continue any time.")


def _measured(job: ServerJob) -> bool:
    """One more configuration is measured than when the page was drawn: the leaderboard fills while the job runs."""
    version = workspace().runs.version
    drawn = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = (job.number, version)
    return drawn is not None and drawn[0] == job.number and drawn[1] != version


def outcome(target: Workspace) -> None:
    """How the last one ended: told to who started or watched it, until they leave the page."""
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


def unfinished(target: Workspace, kept: Sequence[StoredSweep]) -> None:
    """Comparisons that were stopped, each with the way to go on; what a restart of the server cut short is told above
    the page.
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
                begin(target, one.sweep)
        if button("Discard", key=f"tune.forget.{number}", type="tertiary", **editing(help="Finished runs stay.")):
            target.sweeps.delete([name])
            st.rerun()


class SweepEstimate(NamedTuple):
    """What is about to be done."""

    configurations: int
    """That can be made."""
    faulty: tuple[str, ...]
    """Why others cannot, a sentence each."""
    evaluated: int
    """Measured already."""
    indexes: int
    """That have to be built for the rest."""
    seconds: float


def estimate(planned: Sequence[Planned], questions: int, runs: Sequence[EvaluationRun]) -> SweepEstimate:
    """Of a sweep.

    Args:
        planned: its configurations.
        questions: how many each is asked.
        runs: those that are up to date.
    """
    earlier = {settled(run.config).to_yaml() for run in runs}
    valid = [one.config for one in planned if one.config is not None]
    new = [config for config in valid if settled(config).to_yaml() not in earlier]
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
    """Seconds to cut and embed with a configuration; 0 where that cannot be told before the run tells why."""
    try:
        return plan_of(workspace(), config, _NAME).seconds_expected
    except QuotaError:  # of the moment: not to be kept
        raise
    except ChunkscopeError:
        return 0.0
