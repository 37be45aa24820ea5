"""The operators' page: people and their usage, jobs, health, settings and activity."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.session.page.page_entry import show
from hosting.operators.job_list import job_list
from hosting.operators.overview import activity_list, overview, server_state, settings_table
from hosting.operators.people_table import people_table
from hosting.people.identity import operator_actions

PEOPLE, JOBS, SERVER, SETTINGS, ACTIVITY = "People", "Jobs", "Health and versions", "Settings", "Activity"


def page() -> None:
    """Draw the page; raises AccessError before anything is drawn unless the user is an operator."""
    actions = operator_actions()
    st.title("Operators", anchor=False)
    overview(actions)
    parts: dict[str, Callable[[], None]] = {
        PEOPLE: lambda: people_table(actions),
        JOBS: job_list,
        SERVER: server_state,
        SETTINGS: settings_table,
        ACTIVITY: lambda: activity_list(actions),
    }
    for tab, draw in zip(st.tabs(list(parts), key="operator.tab", on_change="rerun"), parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


show(page, needs_workspace=False)
