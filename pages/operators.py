"""Operators: people and what they use, jobs, the server and its settings; for those whom the operator's settings name."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.operator import activity_list, job_list, overview, people_table, server_state, settings_table
from components.session.identity import operator_actions
from components.session.page.page_entry import show

PEOPLE, JOBS, SERVER, SETTINGS, ACTIVITY = "People", "Jobs", "Health and versions", "Settings", "Activity"


def page() -> None:
    """The page from top to bottom; nothing of it is made for who is no operator."""
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
