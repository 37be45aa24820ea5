"""Staleness of an index, computed once per version of its workspace for all pages."""

from __future__ import annotations

import streamlit as st

from chunking import indexing
from chunking.store import IndexRow, Workspace
from chunking.versions import chunks_version
from components.session.document_caches import clear_when_unused
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = ["documents_changed"]


def documents_changed(target: Workspace, row: IndexRow) -> str:
    """Return why an index is out of date by its own settings, as a sentence; "" if it is current.

    See `indexing.staleness`, which compares every document.
    """
    return _staleness(target.uri, target.version(), chunks_version(), row.name)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=4 * MOST_WORKSPACES)
def _staleness(address: str, version: str, code: str, name: str) -> str:
    target = workspace()
    return indexing.staleness(target, target.index(name).row)
