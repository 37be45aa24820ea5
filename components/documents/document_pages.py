"""Rows of the table of documents: all, or of more than 500 a page, found and sorted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from chunking.store import DocumentRow, Workspace, documents_by_id
from components.kit.bounded_options import MOST_OPTIONS, document_names, matching
from components.session import share

__all__ = ["rows_of_page", "show_in_table"]

_FIND, _ORDER, _PAGE = "documents.find", "documents.order", "documents.page"
_TURNED = "documents.page.turned"
"""Session key: what the user changed since the last run (rows or page): then the page does not follow the link."""
_ROWS, _TURN = "rows", "page"


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
            on_change=_note,
            args=(_ROWS,),
        )
        order = st.selectbox(
            "Order",
            list(_ORDERS),
            key=_ORDER,
            label_visibility="collapsed",
            width=190,
            on_change=_note,
            args=(_ROWS,),
        )
        rows = _matches(target, words, target.derived(_ORDERS[order]))
        if not rows:
            st.caption("No document matches.", width="content")
            return ()
        page, key = _page(rows)
        first, last = (page - 1) * MOST_OPTIONS, min(page * MOST_OPTIONS, len(rows))
        st.pagination(_pages(rows), default=page, key=key, on_change=_note, args=(_TURN,))
        st.caption(f"{first + 1:,} to {last:,} of {len(rows):,}", width="content")
    return rows[first:last]


def _matches(target: Workspace, words: str, rows: Sequence[DocumentRow]) -> Sequence[DocumentRow]:
    if not words.strip():
        return rows
    ids = set(matching(target.derived(document_names), words))
    return [row for row in rows if row.doc_id in ids]


def _note(what: str) -> None:
    st.session_state[_TURNED] = what


def _pages(rows: Sequence[DocumentRow]) -> int:
    return -(-len(rows) // MOST_OPTIONS)


def _page(rows: Sequence[DocumentRow]) -> tuple[int, str]:
    """Return the page to show, counted from 1, and the key of its field: a new one where not the user turned it."""
    number, first = st.session_state.get(_PAGE, (0, 1))
    page = int(st.session_state.get(f"{_PAGE}.{number}", first))
    changed, linked = st.session_state.pop(_TURNED, ""), share.view("doc")
    place = next((place for place, row in enumerate(rows) if row.doc_id == linked), None) if not changed else None
    shown = 1 if changed == _ROWS else page if place is None else place // MOST_OPTIONS + 1
    shown = min(shown, _pages(rows))
    if shown != page:
        number += 1
    st.session_state[_PAGE] = number, shown
    return shown, f"{_PAGE}.{number}"


def show_in_table(target: Workspace, doc_id: str) -> None:
    """Choose a document, and clear the words if they do not find it; for callbacks."""
    share.look_at(doc_id)
    row = target.derived(documents_by_id).get(doc_id)
    if row is not None and not _matches(target, st.session_state.get(_FIND, ""), [row]):
        st.session_state[_FIND] = ""
