"""The rows of the table of documents: all, or of more than 500 a page of those found, in a chosen order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from chunking.store import DocumentRow, Workspace, documents_by_id
from components.kit.bounded_options import MOST_OPTIONS, document_names, matching
from components.session import share

__all__ = ["rows_of_page", "show_in_table"]

_FIND, _ORDER, _PAGE = "documents.find", "documents.order", "documents.page"
_TURNED = "documents.page.turned"
"""Session key: True if the user found, sorted or turned the page, so that the page does not follow the link."""


def _by_title(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    return sorted(rows, key=lambda row: row.title.casefold())


def _largest(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    return sorted(rows, key=lambda row: -row.characters)


def _latest(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    return sorted(rows, key=lambda row: row.updated_at, reverse=True)


def _with_notes(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    return sorted(rows, key=lambda row: not row.warnings)


_ORDERS: Mapping[str, Callable[[Sequence[DocumentRow]], Sequence[DocumentRow]]] = {
    "By file": tuple,
    "By title": _by_title,
    "Largest first": _largest,
    "Last changed first": _latest,
    "With notes first": _with_notes,
}
"""Orders of the table; each is computed once per version of the documents."""


def rows_of_page(target: Workspace) -> Sequence[DocumentRow]:
    """Return the rows to list; of many, draw the fields that find, sort and page them.

    The page with the linked document is shown until the user turns to another. Empty if no document matches.
    """
    every = target.derived(tuple)
    if len(every) <= MOST_OPTIONS:
        return every
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents.pages"):
        words = st.text_input(
            "Find documents",
            key=_FIND,
            placeholder=f"Find among {len(every):,} documents by title or path",
            label_visibility="collapsed",
            width=360,
            on_change=_turn,
        )
        order = st.selectbox(
            "Order", list(_ORDERS), key=_ORDER, label_visibility="collapsed", width=190, on_change=_turn
        )
        rows = _found(target, words, target.derived(_ORDERS[order]))
        if not rows:
            st.caption("No document matches.", width="content")
            return ()
        page = _page(rows)
        first, last = (page - 1) * MOST_OPTIONS, min(page * MOST_OPTIONS, len(rows))
        st.caption(f"{first + 1:,} to {last:,} of {len(rows):,}", width="content")
        st.session_state[f"{_PAGE}.field"] = page
        st.pagination(-(-len(rows) // MOST_OPTIONS), key=f"{_PAGE}.field", on_change=_turn, args=(True,))
    return rows[first:last]


def _found(target: Workspace, words: str, rows: Sequence[DocumentRow]) -> Sequence[DocumentRow]:
    if not words.strip():
        return rows
    found = set(matching(target.derived(document_names), words))
    return [row for row in rows if row.doc_id in found]


def _turn(to_page: bool = False) -> None:
    """Note that the user asked for other rows: the page clicked, else the first."""
    st.session_state[_TURNED] = True
    st.session_state[_PAGE] = st.session_state[f"{_PAGE}.field"] if to_page else 1


def _page(rows: Sequence[DocumentRow]) -> int:
    """Return the page to show, counted from 1: the user's, or that of the linked document."""
    linked = share.view("doc")
    if not st.session_state.pop(_TURNED, False) and linked is not None:
        place = next((place for place, row in enumerate(rows) if row.doc_id == linked), None)
        if place is not None:
            st.session_state[_PAGE] = place // MOST_OPTIONS + 1
    pages = -(-len(rows) // MOST_OPTIONS)
    return int(min(st.session_state.get(_PAGE, 1), pages))


def show_in_table(target: Workspace, doc_id: str) -> None:
    """Choose a document, and clear the words if they do not find it; for callbacks."""
    share.look_at(doc_id)
    row = target.derived(documents_by_id).get(doc_id)
    if row is not None and not _found(target, st.session_state.get(_FIND, ""), [row]):
        st.session_state[_FIND] = ""
