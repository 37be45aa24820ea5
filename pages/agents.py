"""Agents page: connect a client to this workspace, try its tools, and see the last calls."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Mode
from chunking.store import Workspace
from components.agents.call_table import call_table
from components.agents.connect_panel import connect_panel
from components.agents.tool_panel import tool_panel
from components.kit.notes import no_documents
from components.kit.wording import plain, quantity
from components.session.host import deployment
from components.session.index_state import documents_changed
from components.session.page.page_entry import show
from components.session.workspace import workspace


def show_index_state(target: Workspace) -> None:
    """Draw which index agents search, or what is missing or out of date, with a link."""
    documents = target.documents()
    if not documents:
        no_documents("search")
        return
    if not target.indexes():
        show_step(
            "No index yet: agents find whole documents by their words. Vector search, `related`, `show_chunks` and "
            "`evaluate` need one."
        )
        return
    row = target.index().row
    if stale := documents_changed(target, row):
        show_step(f"Agents search the index {plain(row.name)}. {plain(stale)}")
        return
    st.caption(
        (
            f"Agents search the index **{plain(row.name)}**: {quantity(row.chunks, 'chunk')} of "
            f"{quantity(row.documents, 'document')}, up to date."
        ),
        help=(
            "Agents search the newest index, with the search settings it was built with. Other settings on the "
            "Search page affect them only after you build the index again."
        ),
    )


def show_step(sentence: str) -> None:
    """Draw a warning with a link to the Index page."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="agents.stale"):
        st.caption(f"⚠ {sentence}", width="content")
        st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")


def page() -> None:
    """Draw the Agents page; only the open tab is computed."""
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
