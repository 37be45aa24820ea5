"""The indexes of a workspace, each with its state and what can be done with it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from chunking.config import SearchConfig
from chunking.indexing import staleness
from chunking.store import IndexRow, Workspace
from components import share
from components.clock import said
from components.frame import sentences
from components.words import count, plain
from components.workspace import writing

__all__ = ["INDEX_NAME", "index_cards"]

INDEX_NAME = "index.name"
"""Session key of the field with the name of the index to build."""


def index_cards(target: Workspace) -> None:
    """The indexes of the workspace, newest first, each with its state and what can be done with it."""
    rows = target.indexes()
    if rows:
        st.subheader("Indexes", anchor=False)
    for row in rows:
        with st.container(border=True, key=f"index.card.{row.table}"):
            _card(target, row)


def _card(target: Workspace, row: IndexRow) -> None:
    """One index."""
    stale = staleness(target, row)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(row.name)}**", width="content")
            label, colour = _state(row, stale)
            st.badge(label, color=colour)
        if st.button("Use its settings", key=f"index.use.{row.table}", help="Make them the settings of all pages."):
            _use(row)
        if st.button("Delete", key=f"index.delete.{row.table}", help="Its embeddings are kept: built again, it costs little time."):
            _delete(target, row.name)
    if stale:
        st.caption(f"⚠ {plain(stale)}")
    own = row.config.model_copy(update={"search": SearchConfig()}).changed()
    chosen = ", ".join(f"{key} {value or 'empty'}" for key, value in own.items())
    st.caption(
        f"{count(row.chunks, 'chunk')} of {count(row.documents, 'document')} · {plain(chosen) or 'default settings'} "
        f"· built {said(row.updated)} · fingerprint `{row.fingerprint or 'none yet'}`",
        help="Only settings that differ from the defaults are named. The fingerprint is made of settings, code and documents: it is equal "
        "where the chunks are equal.",
    )


def _state(row: IndexRow, stale: str) -> tuple[str, Literal["green", "orange"]]:
    if not stale:
        return "up to date", "green"
    return ("not finished" if row.state == "incomplete" else "out of date"), "orange"


def _use(row: IndexRow) -> None:
    """Cut and search with what an index was built with; how to search stays as it is."""
    share.keep_config(row.config.model_copy(update={"search": share.config().search}))
    share.keep_view(index=row.name)
    st.session_state.pop(INDEX_NAME, None)
    st.rerun()


def _delete(target: Workspace, name: str) -> None:
    """Drop an index, and show the page anew."""
    with sentences():
        with writing(target):
            target.drop_index(name)
        if share.view("index") == name:
            share.keep_view(index=None)
        st.rerun()
