"""Agents: connect a client to this workspace, try what it can call, and see its last calls."""

from __future__ import annotations

import streamlit as st

from components.agents import call_table, connect_panel, tool_panel
from components.session.page import page_frame
from components.session.workspace import workspace


def page() -> None:
    """The page from top to bottom; only the open tab is drawn."""
    st.title("Agents", anchor=False)
    st.caption(
        "Agents search and read this workspace by the Model Context Protocol (MCP), with the rights of the person they act for. Texts of "
        "your documents reach the model that an agent uses."
    )
    workspace()
    views = {"Connect": connect_panel, "Try a tool": tool_panel, "Last calls": call_table}
    for tab, draw in zip(st.tabs(list(views), key="agents.view", on_change="rerun"), views.values(), strict=True):
        if tab.open:
            with tab:
                draw()


page_frame.show(page)
