"""Details of a document: its views side by side, facts, left-out text, and related documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from chunking.embedding.model_folder import counting_folder
from chunking.errors import ModelError, NotFoundError
from chunking.model import BUILT_IN, Document, Span
from chunking.retrieval import RelatedDocument, related_documents, siblings
from chunking.splitting import block_tokens, token_counter
from chunking.store import DocumentRow, Right, Workspace, document_labels
from components.chunks.outline import outline
from components.documents.document_edits import leave_out_region
from components.documents.fix_toolbar import choose_section, choose_text, forget_text, toolbar
from components.documents.page_view import has_places, page_of, page_view, picture_of
from components.kit.viewer import Goto, ViewActions, block_bands, viewer
from components.kit.wording import format_word, page_word, parser_word, plain, quantity
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import fragment

__all__ = ["block_sizes", "draw_facts", "draw_left_out", "draw_views", "look_at", "related"]

HEIGHT = 640
"""Height of text, outline and page in pixels."""
_VIEWER, _SHOWN = "documents.viewer", "documents.shown"


_MOST = 5
_SIBLINGS_SHOWN = 3
_SIMILARITY = (
    "Cosine similarity of the two documents' mean chunk vectors: 1 is the same direction, 0 means nothing in common."
)
_WHY = (
    "The most similar documents by their vectors. Why: rare words that both contain, headings they share, and "
    "their two most similar chunks."
)

_MOST_COUNTED = 2_000_000
"""Most characters of a document whose blocks are counted: a third of a second."""


def draw_facts(of: Document, row: DocumentRow) -> None:
    """Draw a document's id, format, pages, block types, left-out text and versions in a line."""
    pages = [quantity(of.page_count, page_word(of.format))] if of.page_count else []
    kinds = Counter(block.type.value for block in of.blocks)
    reasons = Counter(span.reason for span in of.left_out)
    gone = [f"{quantity(number, plain(reason))} left out" for reason, number in reasons.most_common()]
    versions = [f"{quantity(len(row.versions) + 1, 'version')}; the newest is searched"] if row.versions else []
    by = f" by {plain(parser_word(of.parser))}" if of.parser != BUILT_IN else ""
    read = f"read as {format_word(of.format)}{by}" + (f", {plain(of.encoding)}" if of.encoding != "utf-8" else "")
    st.caption(
        " · ".join(
            [
                f"id `{of.doc_id}`",
                read,
                *pages,
                *(f"{number:,} × {kind}" for kind, number in kinds.most_common()),
                *gone,
                *versions,
            ]
        ),
        help=(
            "How the file was parsed: every block has an exact position in the text. An earlier version is "
            "identified by its hash and date."
        ),
    )


def draw_left_out(of: Document) -> None:
    """Draw the text that belongs to no chunk, with its reasons, in an expander; nothing if none."""
    if not of.left_out:
        return
    box = st.expander(
        f"Left out of every chunk: {quantity(len(of.left_out), 'piece')}", key="documents.left_out", on_change="rerun"
    )
    if box.open:
        word = page_word(of.format).capitalize()
        rows = [(page_of(of, span.start), span.reason, of.text[span.start : span.end]) for span in of.left_out]
        box.dataframe(
            pd.DataFrame(rows, columns=[word, "What it is", "Text"]),
            hide_index=True,
            column_config={
                word: st.column_config.NumberColumn(width=70),
                "What it is": st.column_config.TextColumn(width=160),
            },
            alt="Text that belongs to no chunk, with its page and why",
        )


def look_at(of: Document, at: int) -> None:
    """Scroll the text to a character with the next run, and pick the block there."""
    st.session_state[_SHOWN] = (of.doc_id, at, st.session_state.get(_SHOWN, ("", 0, 0))[2] + 1)


@fragment()
def draw_views(target: Workspace, of: Document, edited: Sequence[Span]) -> None:
    """Draw outline, pages and text side by side, under the toolbar for the picked block."""
    toolbar(target, of, _VIEWER)
    edits = target.may(Right.WRITE)
    paged = has_places(of)
    left, *middle, right = st.columns([1, 1.9, 1.9] if paged else [1, 2.6])
    with left:
        outline(of, height=HEIGHT, counts=False, edited=edited, on_section=partial(choose_section, of, _VIEWER))
    if paged:
        with middle[0]:
            at, draw = st.session_state.get(f"{_VIEWER}.at"), picture_of(target, of.format, of.hash)
            drawn = partial(leave_out_region, target, of)
            page_view(
                of, draw, file=of.hash, key="documents.pages", height=HEIGHT, at=at, on_region=drawn if edits else None
            )
    doc_id, at, turn = st.session_state.get(_SHOWN, ("", 0, 0))
    with right:
        viewer(
            of,
            block_bands(of, block_sizes(of), edited),
            key=_VIEWER,
            height=HEIGHT,
            goto=Goto(at, turn, pick=True) if doc_id == of.doc_id else None,
            actions=ViewActions(
                on_pick=forget_text, on_ask=partial(choose_text, of) if edits else None, ask_label="Fix this"
            ),
        )


def related(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    """Draw up to three documents of the same folder and, in an expander, similar documents.

    Args:
        target: workspace of the documents.
        doc_id: the shown document.
        look_at: called with the id of the document to show.
    """
    _siblings(target, doc_id, look_at)
    box = st.expander("Related documents", key="documents.related", on_change="rerun")
    if box.open:  # they cost a few storage calls
        with box:
            _related(target, doc_id, look_at)


def _siblings(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    neighbours = siblings(target, doc_id, _SIBLINGS_SHOWN)
    if not neighbours.nearest:
        return
    folder, labels = "/".join(neighbours.path) or "the top folder", target.derived(document_labels)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents.siblings"):
        st.caption(f"{quantity(neighbours.count, 'other document')} in {plain(folder)}", width="content")
        for row in neighbours.nearest:
            label = plain(labels.get(row.doc_id, row.title))
            st.button(
                label, type="tertiary", key=f"documents.sibling.{row.doc_id}", on_click=look_at, args=(row.doc_id,)
            )


def _related(target: Workspace, doc_id: str, look_at: Callable[[str], None]) -> None:
    index = next((row.name for row in target.indexes() if target.index(row.name).some_documents([doc_id])), None)
    if index is None:
        st.caption("No index contains this document yet; finding similar documents needs its vectors.")
        st.page_link("pages/index.py", label="Build an index", icon=":material/arrow_forward:")
        return
    try:
        similar = related_documents(target, doc_id, _MOST, index=index)
    except NotFoundError as error:  # it was deleted, or the index was, a moment ago
        st.caption(f"⚠ {plain(str(error))}")
        return
    if not similar:
        st.caption("The index contains no other document.")
        return
    st.caption(f"By the vectors of the index “{plain(index)}”.", help=_WHY)
    labels = target.derived(document_labels)
    for one in similar:
        _row(one, labels.get(one.row.doc_id, one.row.title), look_at)


def _row(one: RelatedDocument, label: str, look_at: Callable[[str], None]) -> None:
    """Draw a related document with its similarity and why it is related."""
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
    """Return the tokens of each block: (blocks,); None for a very long text or without the model.

    Counted once per document with the tokenizer of the current embedding model.
    """
    if len(of.text) > _MOST_COUNTED:
        return None
    try:
        folder = counting_folder(share.config().embedding)
    except ModelError:
        return None
    return _counted(of, str(folder.path), folder.revision)[1]


# Keyed by id(): the cached value holds the document, so the id cannot be reused.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=24, hash_funcs={Document: id})
def _counted(of: Document, tokenizer: str, revision: str) -> tuple[Document, NDArray[np.int32]]:
    return of, block_tokens(of, token_counter(Path(tokenizer)))
