"""The progress line of a page's own job, and the right session for its completion notice."""

from __future__ import annotations

import streamlit as st

from components.kit.wording import plain
from components.server.jobs.job_kinds import KINDS
from components.session.current_workspace import editing
from components.session.jobs import ServerJob, jobs, may_stop
from components.session.page.page_frame import arrival, sentences

__all__ = [
    "NOT_YOURS",
    "POLL",
    "dismiss",
    "interrupted_box",
    "job_line",
    "job_notes",
    "should_show_outcome",
    "stop",
    "watch_outcome",
]

POLL = 0.5
"""Seconds between two updates of a running job."""
NOT_YOURS = "Only the person who started it, owners of the workspace and operators can cancel it."
_LEAVE = "Takes it out of the queue; it has not started."


def job_line(job: ServerJob, page: str, kept: str) -> None:
    """Draw the Cancel button, the progress bar and the notes of an active job.

    Args:
        job: an active job.
        page: name of the page, the prefix of widget keys.
        kept: help of the button: what stays when the job is cancelled.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key=f"{page}.progress"):
        allowed = may_stop(job)
        st.button(
            "Cancel",
            key=f"{page}.cancel",
            on_click=stop,
            args=(job,),
            disabled=job.stopping or not allowed,
            help=NOT_YOURS if not allowed else _LEAVE if job.waiting else kept,
        )
        st.progress(job.share, text=job.line)
    job_notes(job)


def job_notes(job: ServerJob) -> None:
    """Draw the job's notes, such as that the documents changed while it was in the queue."""
    for note in job.notes:
        st.caption(plain(note))


def interrupted_box(job: ServerJob) -> None:
    """Draw a box with an interrupted job and buttons that restart or dismiss it."""
    kind = KINDS[job.kind]
    name = f" “{plain(job.name)}”" if job.name else ""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"interrupted.{job.kind}"):
        st.markdown(
            (
                f":material/power_off: **The {kind.noun}{name} was interrupted** when the server stopped. It "
                f"does not restart automatically; finished work is saved."
            ),
            width="stretch",
        )
        allowed = may_stop(job)
        st.button(
            "Start it again",
            key=f"interrupted.again.{job.kind}",
            on_click=_again,
            args=(job,),
            **editing(
                disabled=not allowed,
                help="With its settings, and the documents as they are now." if allowed else NOT_YOURS,
            ),
        )
        st.button(
            "Dismiss",
            key=f"interrupted.dismiss.{job.kind}",
            type="tertiary",
            on_click=dismiss,
            args=(job,),
            disabled=not allowed,
        )


def stop(job: ServerJob) -> None:
    """Cancel a job, as a callback; errors are shown on the page."""
    with sentences():
        jobs().cancel(job)


def dismiss(job: ServerJob) -> None:
    """Dismiss an interrupted job, as a callback; errors are shown on the page."""
    with sentences():
        jobs().dismiss(job)


def _again(job: ServerJob) -> None:
    with sentences():
        jobs().restart(job)


def watch_outcome(job: ServerJob, page: str) -> None:
    """Make this session show the outcome of a job on a page; see `should_show_outcome`."""
    st.session_state[f"{page}.mine"] = job.number
    st.session_state.pop(f"{page}.told", None)


def should_show_outcome(job: ServerJob, page: str, *about: object) -> bool:
    """True if this session watches this job, from the first call until it leaves the page.

    Args:
        about: subject of the outcome; a change of it ends the notice.
    """
    if st.session_state.get(f"{page}.mine") != job.number:
        return False
    now = (arrival(), *about)
    return bool(st.session_state.setdefault(f"{page}.told", now) == now)
