"""A job under way in a line, and whom its end is told: what every page does that starts one."""

from __future__ import annotations

import streamlit as st

from components.session.jobs import Job
from components.session.page_frame import arrival

__all__ = ["POLL", "job_line", "tells", "watched"]

POLL = 0.5
"""Seconds between two looks at a running job."""


def job_line(job: Job, page: str, kept: str) -> None:
    """How far it is, and the button that stops it.

    Args:
        job: one that is under way.
        page: names the page in the keys of its widgets.
        kept: a sentence about what stays when it is stopped.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key=f"{page}.progress"):
        st.button("Cancel", key=f"{page}.cancel", on_click=job.cancel, disabled=job.stopping, help=kept)
        st.progress(job.share, text=job.line)


def watched(job: Job, page: str) -> None:
    """This session is to be told how it ends."""
    st.session_state[f"{page}.mine"] = job.number
    st.session_state.pop(f"{page}.told", None)


def tells(job: Job, page: str, *about: object) -> bool:
    """Whether the end of a job is to be said: to who started or watched it, until they leave the page.

    Args:
        about: what its end is about; it is no longer said when that is another than when it was said first.
    """
    if st.session_state.get(f"{page}.mine") != job.number:
        return False
    now = (arrival(), *about)
    return bool(st.session_state.setdefault(f"{page}.told", now) == now)
