"""The state of the index that agents search, with the next step where it is missing or out of date."""

from __future__ import annotations

import streamlit as st

from chunking import indexing
from chunking.store import Workspace
from components.kit.empty_state import no_documents
from components.kit.wording import plain, quantity

__all__ = ["show_index_state"]

_NO_INDEX = (
    "No index yet: agents find whole documents by their words. Vector search, `related`, `show_chunks` and "
    "`evaluate` need one."
)


def show_index_state(target: Workspace) -> None:
    """Show what agents search, with a link to the page for the next step."""
    documents = target.documents()
    if not documents:
        no_documents("search")
        return
    if not target.indexes():
        _warn(_NO_INDEX)
        return
    row = target.index().row
    if stale := indexing.staleness(target, row):
        _warn(f"Agents search the index {plain(row.name)}. {plain(stale)}")
        return
    st.caption(
        (
            f"Agents search the index **{plain(row.name)}**: {quantity(row.chunks, 'chunk')} of "
            f"{quantity(row.documents, 'document')}, up to date."
        ),
        help="Agents search the newest index, with the search settings it was built with. Other settings on the "
        "Search page affect them only after you build the index again.",
    )


def _warn(sentence: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="agents.stale"):
        st.caption(f"⚠ {sentence}", width="content")
        st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")
