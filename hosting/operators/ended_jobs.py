"""How the last jobs of all people ended, without what only people of the workspace see: the names of indexes and
sweeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from chunking.deployment import SERVER
from components.kit.clock import clock_time
from components.kit.wording import duration, shortened
from components.server.jobs.ended_job import EndedJob
from components.server.jobs.job_kinds import KINDS
from hosting.people.identity import hosted

__all__ = ["ended_jobs", "who_and_where"]

_ROWS = 8
"""That are seen before the table scrolls."""


def ended_jobs(ended: Sequence[EndedJob], names: Mapping[str, str]) -> None:
    """A table of them; nothing where there are none.

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
            "Who": [who for who, _ in places],
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
    """The names of whoever started a job and of its workspace, or what stands for them where they are gone."""
    stand_in = "The server" if person == SERVER else "A deleted person"
    return shortened(people.get(person, stand_in), 40), names.get(Path(address).name, "a deleted workspace")
