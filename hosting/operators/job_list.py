"""Jobs of all people: those that run and wait, in the order in which they came, each with Cancel; and how the last ones
ended.
"""

from __future__ import annotations

import time

import streamlit as st

from components.kit.wording import duration, plain, quantity
from components.server.jobs.job_kinds import KINDS
from components.session.jobs import ServerJob, jobs
from components.session.jobs.job_line import stop
from components.session.page.page_frame import sentences
from hosting.operators.ended_jobs import ended_jobs, who_and_where
from hosting.people.identity import hosted, operator_actions

__all__ = ["job_list"]

LOOK = 2.0
"""Seconds between two looks, while there is something to see."""
_SHOWN = 50
_SCROLLS = 8
"""Jobs that are shown before the list scrolls."""


def job_list() -> None:
    """Follows the jobs by itself."""
    st.fragment(_draw, run_every=LOOK if jobs().queued else None)()


def _draw() -> None:
    with sentences():
        actions = operator_actions()
        queued, names = jobs().queued, actions.workspace_names()
        people = hosted().people.names()
        running, waiting = [job for job in queued if job.running], [job for job in queued if job.waiting]
        if not queued:
            st.caption("No jobs are running or waiting.")
            ended_jobs(jobs().ended, names)
            return
        places = sorted(waiting, key=lambda job: job.place.position if job.place else 0)
        with st.container(height=74 * _SCROLLS if len(queued) > _SCROLLS else "content", border=False, gap="small"):
            for job in [*running, *places][:_SHOWN]:
                _row(job, people, names)
        if len(queued) > _SHOWN:
            st.caption(f"{quantity(len(queued) - _SHOWN, 'more job')} in the queue.")
        ended_jobs(jobs().ended, names)


def _row(job: ServerJob, people: dict[str, str], names: dict[str, str]) -> None:
    name, where = who_and_where(job.person, job.address, people, names)
    icon = "hourglass_empty" if job.waiting else "progress_activity"
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        border=True,
        key=f"operator.job.{job.number}",
    ):
        with st.container(gap=None, width="stretch"):
            st.markdown(
                f":material/{icon}: **{KINDS[job.kind].noun.capitalize()}** · {plain(name)} · in {plain(where)}"
            )
            st.caption(_state(job))
        if job.running:
            st.progress(job.share, width=140)
        st.button(
            "Cancel",
            key=f"operator.cancel.{job.number}",
            icon=":material/close:",
            on_click=stop,
            args=(job,),
            disabled=job.stopping,
            help=f"Cancel this {KINDS[job.kind].noun}. Finished work is saved.",
        )


def _state(job: ServerJob) -> str:
    """How long it has run or waited, and how far it is."""
    now = job.progress
    if job.waiting:
        place = job.place.sentence if job.place else "In the queue"
        return f"{place} · waiting for {duration(time.time() - job.queued_at)}"
    since = f"running for {duration(time.monotonic() - job.began)}" if job.began is not None else "running"
    return " · ".join(part for part in (now.stage, f"{now.share:.0%}", since, now.time_left) if part)
