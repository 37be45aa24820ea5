"""What to read next: documents like the open one, and those in its folder."""

from __future__ import annotations

import streamlit as st

from chunking.retrieval import related_documents, siblings
from chunking.store import IndexRow, Workspace, document_labels
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.session import share

__all__ = ["beside"]

_MOST = 3
_SIMILARITY = (
    "Cosine similarity of the two documents' mean chunk vectors: 1 is the same direction, 0 means nothing in common."
)


def beside(target: Workspace, row: IndexRow | None, doc_id: str) -> None:
    """What to read next.

    Args:
        target: where the documents are.
        row: the index whose vectors say which are alike; None where there is none yet.
        doc_id: the open document.
    """
    _siblings(target, doc_id)
    if row is None:
        return
    box = st.expander("Related documents: similar content in any folder", key="search.related", on_change="rerun")
    if box.open:  # they cost a few storage calls
        with box:
            _related(target, row, doc_id)


def _siblings(target: Workspace, doc_id: str) -> None:
    """Documents in the same folder."""
    around = siblings(target, doc_id, 3)
    if not around.nearest:
        return
    labels = document_labels(target.documents())
    with st.container(horizontal=True, vertical_alignment="center", key="search.beside"):
        folder = "/".join(around.path) or "the top folder"
        st.caption(f"{quantity(around.count, 'other document')} in {plain(folder)}:", width="content")
        for row in around.nearest:
            _way_to(row.doc_id, labels.get(row.doc_id, row.title), f"search.beside.{row.doc_id}")


def _related(target: Workspace, row: IndexRow, doc_id: str) -> None:
    """The nearest by their vectors, and why."""
    found = related_documents(target, doc_id, _MOST, index=row.name)
    if not found:
        st.caption("This index contains no other document.")
    labels = document_labels(target.documents()) if found else {}
    for one in found:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _way_to(one.row.doc_id, labels.get(one.row.doc_id, one.row.title), f"search.related.{one.row.doc_id}")
            st.caption(f"similarity {one.similarity:.2f}", help=_SIMILARITY, width="content")
        st.caption(plain(one.why))


def _way_to(doc_id: str, label: str, key: str) -> None:
    if button(plain(label), type="tertiary", key=key, help="Read it on the Documents page."):
        share.keep_view(doc=doc_id, chunk=None)
        st.switch_page("pages/documents.py")
