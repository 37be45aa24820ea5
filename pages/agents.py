"""Agents: connect a client to this workspace, try what it can call, and see its last calls."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Mode
from components.agents import call_table, connect_panel, show_index_state, tool_panel
from components.session.host import deployment
from components.session.page.page_entry import show
from components.session.workspace import workspace


def page() -> None:
    """The page from top to bottom; only the open tab is drawn."""
    st.title("Agents", anchor=False)
    st.caption(
        "Let Claude, ChatGPT, VS Code and others search and read this workspace over the Model Context Protocol (MCP)."
    )
    show_index_state(workspace())
    views = {"Connect": connect_panel, "Try a tool": tool_panel}
    if (
        deployment().settings.sharing.mode is not Mode.DEMO
    ):  # there agents call what visitors get copies of, and none of the copies
        views["Last calls"] = call_table
    for tab, draw in zip(st.tabs(list(views), key="agents.view", on_change="rerun"), views.values(), strict=True):
        if tab.open:
            with tab:
                draw()


show(page)
