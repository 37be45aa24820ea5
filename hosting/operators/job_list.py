"""Jobs of all people: queued and running ones with Cancel, and the last outcomes.

Names of indexes and sweeps are left out: only people of the workspace see them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from chunking.deployment import SERVER
from components.kit.clock import clock_time
from components.kit.wording import duration, plain, quantity, shortened
from components.server.jobs.job import EndedJob
from components.server.jobs.job_kinds import KINDS
from components.session.jobs import ServerJob, jobs
from components.session.jobs.job_line import stop
from components.session.page.page_frame import sentences
from hosting.people.identity import hosted, operator_actions

__all__ = ["job_list"]

LOOK = 2.0
"""Seconds between two refreshes while jobs are queued."""
_SHOWN = 50
_SCROLLS = 8
"""Jobs shown before the list scrolls."""

_ROWS = 8
"""Rows shown before the table scrolls."""


def job_list() -> None:
    """Draw running and waiting jobs with Cancel, and the last ended ones.

    Refreshes every `LOOK` seconds if jobs ran or waited when it was drawn.
    """
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
    """Return how long a job has run or waited, and its progress."""
    now = job.progress
    if job.waiting:
        place = job.place.sentence if job.place else "In the queue"
        return f"{place} · waiting for {duration(time.time() - job.queued_at)}"
    since = f"running for {duration(time.monotonic() - job.began)}" if job.began is not None else "running"
    return " · ".join(part for part in (now.stage, f"{now.share:.0%}", since, now.time_left) if part)


def ended_jobs(ended: Sequence[EndedJob], names: Mapping[str, str]) -> None:
    """Draw a table of ended jobs, if any.

    Args:
        names: workspace id to name.
    """
    if not ended:
        return
    people = hosted().people.names()
    places = [who_and_where(job.person, job.address, people, names) for job in ended]
    table = pd.DataFrame(
        {
            "Ended": [clock_time(job.at) for job in ended],
            "Job": [KINDS[job.kind].noun.capitalize() for job in ended],
            "Outcome": [job.why or job.outcome.capitalize() for job in ended],
            "Ran": ["Never began" if job.seconds is None else duration(job.seconds) for job in ended],
            "Who": [person for person, _ in places],
            "Workspace": [where for _, where in places],
        }
    )
    column = st.column_config
    st.caption("The last jobs that ended since the server started.")
    st.dataframe(
        table,
        hide_index=True,
        height=min(len(ended), _ROWS) * 35 + 38,
        key="operator.ended",
        column_config={
            "Ended": column.DatetimeColumn(width=150, format="D MMM YYYY, HH:mm", help="On your clock."),
            "Job": column.TextColumn(width=120),
            "Outcome": column.TextColumn(width=200),
            "Ran": column.TextColumn(width=100, help="From process start to end; time in the queue is not counted."),
            "Who": column.TextColumn(width=160),
            "Workspace": column.TextColumn(width=180),
        },
    )


def who_and_where(person: str, address: str, people: Mapping[str, str], names: Mapping[str, str]) -> tuple[str, str]:
    """Return names of the person and the workspace of a job, with stand-ins for deleted ones."""
    stand_in = "The server" if person == SERVER else "A deleted person"
    return shortened(people.get(person, stand_in), 40), names.get(Path(address).name, "a deleted workspace")
