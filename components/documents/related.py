"""What stands near a document: its neighbours in the folder, and those that are about the same, with why."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.errors import NotFoundError
from chunking.retrieval import RelatedDocument, related_documents, siblings
from chunking.store import Workspace, document_labels
from components.kit.wording import plain, quantity

__all__ = ["related"]

_MOST = 5
_AROUND = 3
_SIMILARITY = (
    "Cosine similarity of the two documents' mean chunk vectors: 1 is the same direction, 0 means nothing in common."
)
_WHY = (
    "The most similar documents by their vectors. Why: rare words that both contain, headings they share, and their "
    "two most similar chunks."
)


def related(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    """Siblings, and related documents when somebody asks for them.

    Args:
        target: where the documents are.
        doc_id: the one that is shown.
        look_at: called with the id of another one, to show that.
    """
    _siblings(target, doc_id, look_at)
    box = st.expander("Related documents", key="documents.related", on_change="rerun")
    if box.open:  # they cost a few storage calls
        with box:
            _related(target, doc_id, look_at)


def _siblings(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    around = siblings(target, doc_id, _AROUND)
    if not around.nearest:
        return
    folder, labels = "/".join(around.path) or "the top folder", document_labels(target.documents())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents.siblings"):
        st.caption(f"{quantity(around.count, 'other document')} in {plain(folder)}", width="content")
        for row in around.nearest:
            label = plain(labels.get(row.doc_id, row.title))
            st.button(
                label, type="tertiary", key=f"documents.sibling.{row.doc_id}", on_click=look_at, args=(row.doc_id,)
            )


def _related(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    index = next((row.name for row in target.indexes() if doc_id in target.index(row.name).documents()), None)
    if index is None:
        st.caption("No index contains this document yet; finding similar documents needs its vectors.")
        st.page_link("pages/index.py", label="Build an index", icon=":material/arrow_forward:")
        return
    try:
        found = related_documents(target, doc_id, _MOST, index=index)
    except NotFoundError as error:  # it was deleted, or the index was, a moment ago
        st.caption(f"⚠ {plain(str(error))}")
        return
    if not found:
        st.caption("The index contains no other document.")
        return
    st.caption(f"By the vectors of the index “{plain(index)}”.", help=_WHY)
    labels = document_labels(target.documents())
    for one in found:
        _row(one, labels.get(one.row.doc_id, one.row.title), look_at)


def _row(one: RelatedDocument, label: str, look_at: Callable[[str], None]) -> None:
    """A document: what it is called, how near as a bar and a number, and why."""
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                plain(label),
                type="tertiary",
                key=f"documents.related.{one.row.doc_id}",
                on_click=look_at,
                args=(one.row.doc_id,),
                help="Read it here.",
            )
            st.progress(min(max(one.similarity, 0.0), 1.0), width=90)
            st.caption(f"similarity {one.similarity:.2f}", help=_SIMILARITY, width="content")
        st.caption(plain(one.why))
