"""A comparison under way: progress with the time left, its end, and going on after a stop."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import Sweep
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import duration, plain, quantity
from components.session.editing import editing
from components.session.jobs import SWEEP, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, job_notes, tells, watched
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace
from components.tune.sweep.sweep_list import StoredSweep, start

__all__ = ["begin", "outcome", "running", "unfinished", "watch"]

_PAGE, _SEEN = "tune", "tune.seen"


def running(target: Workspace) -> ServerJob | None:
    """The comparison that is under way in the workspace, whoever started it."""
    job = jobs().of(target.uri, SWEEP)
    return job if job is not None and job.active else None


def begin(target: Workspace, sweep: Sweep) -> None:
    """Run it beside the pages; this session is told how it ends.

    Raises:
        ChunkscopeError: it cannot be kept, or no process be started.
    """
    watched(start(target, sweep), _PAGE)
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
    seen = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = (job.number, version)
    return seen is not None and seen[0] == job.number and seen[1] != version


def outcome(target: Workspace) -> None:
    """How the last one ended: told to who started or watched it, until they leave the page."""
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
    measured, known = len(report["runs"]), report["known"]
    words = [f"Done in {duration(report['seconds'])}: {quantity(measured, 'configuration')} run on all questions"]
    if report["dropped"]:
        words.append(f"{len(report['dropped'])} dropped early")
    if known:
        words.append(f"{known} from earlier runs")
    words.append(f"{quantity(report['embedded'], 'text')} embedded")
    if report["failed"]:
        words.append(f"{len(report['failed'])} failed")
    return "; ".join(words) + "."


def unfinished(target: Workspace, kept: Sequence[StoredSweep]) -> None:
    """Comparisons that were stopped, each with the way to go on; what a restart of the server cut short is told above
    the page.
    """
    job = jobs().of(target.uri, SWEEP)
    told = job.name if job is not None and job.interrupted else None
    for number, one in enumerate(one for one in kept if one.report is None and one.sweep.name != told):
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
