"""Documents next to one: its folder and similar ones; and the tokens of its blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.embedding.model_folder import counting_folder
from chunking.errors import ModelError, NotFoundError
from chunking.model import Document
from chunking.retrieval import RelatedDocument, related_documents, siblings
from chunking.splitting import block_tokens, token_counter
from chunking.store import Workspace, document_labels
from components.kit.wording import plain, quantity
from components.session import share
from components.session.document_caches import clear_when_unused

__all__ = ["block_sizes", "related"]

_MOST = 5
_AROUND = 3
_SIMILARITY = (
    "Cosine similarity of the two documents' mean chunk vectors: 1 is the same direction, 0 means nothing in common."
)
_WHY = (
    "The most similar by their vectors. Why: words that both contain and few others do, headings they share, "
    "and their two most "
    "similar chunks."
)

_MOST_COUNTED = 2_000_000
"""Characters of a document whose blocks are counted: a third of a second."""


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
    neighbours = siblings(target, doc_id, _AROUND)
    if not neighbours.nearest:
        return
    folder, labels = "/".join(neighbours.path) or "the top folder", document_labels(target.documents())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents.siblings"):
        st.caption(f"{quantity(neighbours.count, 'other document')} in {plain(folder)}", width="content")
        for row in neighbours.nearest:
            label = plain(labels.get(row.doc_id, row.title))
            st.button(
                label, type="tertiary", key=f"documents.sibling.{row.doc_id}", on_click=look_at, args=(row.doc_id,)
            )


def _related(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    index = next((row.name for row in target.indexes() if doc_id in target.index(row.name).documents()), None)
    if index is None:
        st.caption("No index holds this document yet; its vectors tell which others are similar.")
        st.page_link("pages/index.py", label="Build an index", icon=":material/arrow_forward:")
        return
    try:
        similar = related_documents(target, doc_id, _MOST, index=index)
    except NotFoundError as error:  # it was deleted, or the index was, a moment ago
        st.caption(f"⚠ {plain(str(error))}")
        return
    if not similar:
        st.caption("The index holds no other document.")
        return
    st.caption(f"By the vectors of the index “{plain(index)}”.", help=_WHY)
    labels = document_labels(target.documents())
    for one in similar:
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


def block_sizes(of: Document) -> NDArray[np.int32] | None:
    """(blocks,) tokens, counted once by the tokenizer of the embedding model in force; None for a very long document,
    and where that
    model is not at hand, which the Chunks page says."""
    if len(of.text) > _MOST_COUNTED:
        return None
    try:
        folder = counting_folder(share.config().embedding)
    except ModelError:
        return None
    return _counted(of, str(folder.path), folder.revision)[1]


# By identity: what is kept holds its document, so that no other one gets its id while it lives.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=24, hash_funcs={Document: id})
def _counted(of: Document, tokenizer: str, revision: str) -> tuple[Document, NDArray[np.int32]]:
    return of, block_tokens(of, token_counter(Path(tokenizer)))
