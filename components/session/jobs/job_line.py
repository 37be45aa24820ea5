"""A job under way in a line, and whom its end is told: what every page does that starts one."""

from __future__ import annotations

import streamlit as st

from components.kit.wording import plain
from components.server.jobs.job_kinds import KINDS
from components.session.current_workspace import editing
from components.session.jobs import ServerJob, jobs, may_stop
from components.session.page.page_frame import arrival, sentences

__all__ = ["NOT_YOURS", "POLL", "interrupted_box", "job_line", "job_notes", "put_away", "stop", "tells", "watched"]

POLL = 0.5
"""Seconds between two looks at a running job."""
NOT_YOURS = "Only the person who started it, owners of the workspace and operators can cancel it."
_LEAVE = "Takes it out of the queue; it has not started."


def job_line(job: ServerJob, page: str, kept: str) -> None:
    """How far it is, and the button that stops it.

    Args:
        job: one that is under way.
        page: names the page in the keys of its widgets.
        kept: a sentence about what stays when it is stopped.
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
    """What whoever started it should know besides, such as that the documents changed while it stood in the queue."""
    for note in job.notes:
        st.caption(plain(note))


def interrupted_box(job: ServerJob) -> None:
    """A job that the end of the server cut short: it goes on when somebody says so, and never by itself."""
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
            on_click=put_away,
            args=(job,),
            disabled=not allowed,
        )


def stop(job: ServerJob) -> None:
    """Cancel it, as a callback; where that is not allowed any more, the page says so."""
    with sentences():
        jobs().cancel(job)


def put_away(job: ServerJob) -> None:
    """Say nothing more of an interrupted job, in the same way."""
    with sentences():
        jobs().put_away(job)


def _again(job: ServerJob) -> None:
    with sentences():
        jobs().again(job)


def watched(job: ServerJob, page: str) -> None:
    """This session is to be told how it ends."""
    st.session_state[f"{page}.mine"] = job.number
    st.session_state.pop(f"{page}.told", None)


def tells(job: ServerJob, page: str, *about: object) -> bool:
    """Whether the end of a job is to be said: to who started or watched it, until they leave the page.

    Args:
        about: what its end is about; it is no longer said when that is another than when it was said first.
    """
    if st.session_state.get(f"{page}.mine") != job.number:
        return False
    now = (arrival(), *about)
    return bool(st.session_state.setdefault(f"{page}.told", now) == now)
