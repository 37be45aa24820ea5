"""Chips in the header for jobs of other pages: progress, link, Cancel, and once the outcome."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from components.kit.wording import duration, plain
from components.session.current_workspace import current
from components.session.jobs import ESTIMATE, EVALUATE, INDEX, LIVE, REVIEW, SWEEP, ServerJob, jobs, may_stop
from components.session.jobs.job_line import NOT_YOURS, dismiss, interrupted_box, stop
from components.session.page.page_frame import fragment

__all__ = ["job_chips"]

LOOK = 1.0
"""Seconds between two updates while a job is active."""
_WATCHED = "chips.watched"
"""Session key: numbers of the active jobs shown, whose outcome is still to be shown."""


class Home(NamedTuple):
    """Title of a kind of job, and the page that shows it."""

    title: str
    page: str
    """File name of the page, without folder and extension."""


_HOMES = {
    INDEX: Home("Index", "index"),
    SWEEP: Home("Experiment", "tune"),
    ESTIMATE: Home("Estimation", "tune"),
    EVALUATE: Home("Evaluation", "evaluate"),
    LIVE: Home("Live recall", "chunks"),
    REVIEW: Home("Review", "index"),
}


def job_chips(page: str) -> None:
    """Draw chips of other pages' jobs, and a box for each interrupted job of this page.

    The chips show progress, then the outcome once; they update without the page while a job is active.

    Args:
        page: file name of the current page, which shows its own jobs itself.
    """
    every = _all()
    if any(job.active for job in every):
        fragment(run_every=LOOK)(_follow)(page)
    else:
        fragment()(_draw)(page)
    for job in every:
        if job.interrupted and _HOMES[job.kind].page == page:
            interrupted_box(job)


def _follow(page: str) -> None:
    """Draw the chips again, and rerun the page once no job is active, which ends the updates."""
    _draw(page)
    if not any(job.active for job in _all()):
        st.rerun()


def _all() -> list[ServerJob]:
    """Return the latest job of each kind, the newest first.

    Uses `current`, as `workspace()` would record a click.
    """
    address = current().uri
    latest = [jobs().of(address, kind) for kind in _HOMES]
    return sorted((job for job in latest if job is not None), key=lambda job: -job.number)


def _draw(page: str) -> None:
    watched: set[int] = st.session_state.setdefault(_WATCHED, set())
    with st.container(horizontal=True, gap="xsmall", key="job-chips"):
        st.html("<span></span>")  # an empty container is not rendered, so CSS could not keep it out of the page's flow
        for job in _all():
            if job.active:
                watched.add(job.number)
            if _HOMES[job.kind].page == page:
                if not job.active:
                    watched.discard(job.number)  # the page shows its outcome
            elif job.active:
                _running(job)
            elif job.interrupted:
                _interrupted(job)
            elif job.number in watched:
                _ended(job, watched)


def _running(job: ServerJob) -> None:
    """Draw an active job; progress and time left come first, as a small window cuts the end off."""
    home, now = _HOMES[job.kind], job.progress
    left = "estimating …" if now.seconds_left is None else f"{duration(now.seconds_left)} left"
    left = now.time_left if now.overdue else left
    far = [f"{now.share:.0%}", left] if job.total else [left]
    words = (
        [home.title, now.stage]
        if job.stopping
        else [now.stage, home.title]
        if job.waiting
        else [*far, home.title, now.stage]
    )
    icon, allowed = "hourglass_empty" if job.waiting else "progress_activity", may_stop(job)
    with st.container(horizontal=True, vertical_alignment="center", gap=None, key=f"job-chip-{job.kind}"):
        st.page_link(
            f"pages/{home.page}.py", label=" · ".join(words), icon=f":material/{icon}:", help=job.line, width="stretch"
        )
        st.button(
            "Cancel",
            icon=":material/close:",
            key=f"chip.cancel.{job.number}",
            type="tertiary",
            on_click=stop,
            args=(job,),
            disabled=job.stopping or not allowed,
            help="Cancel it. Finished work is saved." if allowed else NOT_YOURS,
        )


def _interrupted(job: ServerJob) -> None:
    """Draw a job interrupted by the end of the server, with a link to restart it."""
    home = _HOMES[job.kind]
    with st.container(horizontal=True, vertical_alignment="center", gap=None, key=f"job-chip-interrupted-{job.kind}"):
        st.page_link(
            f"pages/{home.page}.py",
            label=f"{home.title} interrupted",
            icon=":material/power_off:",
            help=f"The server stopped during this job. Start it again on {home.page.capitalize()}.",
            width="stretch",
        )
        st.button(
            "Dismiss",
            icon=":material/close:",
            key=f"chip.interrupted.{job.number}",
            type="tertiary",
            on_click=dismiss,
            args=(job,),
            disabled=not may_stop(job),
        )


def _ended(job: ServerJob, watched: set[int]) -> None:
    """Draw the outcome of a job until its user has opened its page or dismissed it."""
    home = _HOMES[job.kind]
    how, icon = (
        ("failed", "error") if job.error else ("cancelled", "cancel") if job.cancelled else ("done", "check_circle")
    )
    with st.container(horizontal=True, vertical_alignment="center", gap=None, key=f"job-chip-{how}-{job.kind}"):
        st.page_link(
            f"pages/{home.page}.py",
            label=f"{home.title} {how}",
            icon=f":material/{icon}:",
            help=plain(job.error) if job.error else f"Go to {home.page.capitalize()}.",
            width="stretch",
        )
        st.button(
            "Dismiss",
            icon=":material/close:",
            key=f"chip.seen.{job.number}",
            type="tertiary",
            on_click=watched.discard,
            args=(job.number,),
        )
