"""Boxes for notes and for an empty workspace."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.kit.wording import plain

__all__ = ["no_documents", "notes_box"]


def notes_box(notes: Iterable[str], *, key: str, title: str = "Notes") -> None:
    """Draw notes as a list under a title; nothing if there are none.

    Args:
        notes: sentences of the library; duplicates are dropped, Markdown is escaped.
        key: key of the box.
    """
    lines = [f"- {plain(note)}" for note in dict.fromkeys(notes) if note]
    if not lines:
        return
    with st.container(border=True, gap="xsmall", key=key):
        st.markdown(f":material/info: **{title}**")
        st.caption("\n".join(lines))


def no_documents(doing: str) -> None:
    """Draw that the workspace has no documents, with a link to the Documents page.

    Args:
        doing: verb of the page, such as `search`.
    """
    st.info(f"There is nothing to {doing} yet. Add a document or load the samples on the Documents page.")
    st.page_link("pages/documents.py", label="Go to Documents", icon=":material/arrow_forward:")
