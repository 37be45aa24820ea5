"""The open hit in its document, and what stands around that document."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial

import streamlit as st

from chunking.model import Document
from chunking.retrieval import SearchResult, fetch
from chunking.retrieval.results.citation import cite
from chunking.splitting import shaped
from chunking.store import IndexRow, Right, Workspace
from components.documents.page_view import deliver_pages, has_places, page_view, picture_of
from components.kit.viewer import deliver_text
from components.kit.wording import plain, quantity
from components.search.hits import ViewedHit, ViewerTarget, moved, read
from components.search.hits.snippets import beginning
from components.search.search_labels import answers_in, labels_popover, select_answer
from components.session.workspace import document

__all__ = ["HEADER_HEIGHT", "OPENED", "beside_page", "reader"]

OPENED = "hits.opened"
"""Session key of the open hit."""
HEADER_HEIGHT = 46
"""What stands above the text: a line and a gap, in pixels."""
_MOST_PARTS = 20


def reader(
    target: Workspace,
    row: IndexRow | None,
    result: SearchResult,
    place: ViewerTarget,
    opened: ViewedHit,
    *,
    height: int,
) -> None:
    """The document of the open hit, and what can be done with it; of a cluster, what it stands for.

    Args:
        target: where the document is.
        row: the index that was searched; None where there is none yet.
        result: the search.
        place: where the open hit stands.
        opened: which one it is.
        height: of the text, in pixels.
    """
    if not place.doc_id and row is not None:
        _cluster(target, row, place, height + HEADER_HEIGHT)
        return
    text = document(target, place.doc_id) if row is None else shaped(document(target, place.doc_id), row.config)
    with st.container(horizontal=True, vertical_alignment="center", key="search.reading"):
        st.markdown(f"**{plain(text.title)}** :small[:gray[{plain(text.source)}]]", width="stretch")
        labels_popover(target, result.query)
        st.download_button(
            "↓ Whole document",
            data=lambda: fetch(target, place.doc_id, index=row.name if row else None),
            file_name=f"{place.doc_id}.txt",
            mime="text/plain",
            type="tertiary",
            help="The document as an agent's `fetch` tool returns it: its id, its number of chunks, its text.",
            on_click="ignore",
            key="search.fetch",
        )
    if moved(result, text):
        st.warning(
            "This document has changed since the index was built; hits that have moved are not marked. Build "
            "the index again."
        )
    nonce = f"{result.query}/{opened.turn}"
    deliver_text(text)
    with beside_page(target, text, place.start, height, key="search.pages"):
        read(
            result,
            place,
            text,
            nonce=nonce,
            height=height,
            key="search.viewer",
            on_open=_open_from_text,
            answers=answers_in(target, result.query, text),
            on_answer=partial(select_answer, result.query, text.doc_id) if target.may(Right.WRITE) else None,
        )


def beside_page(target: Workspace, text: Document, at: int, height: int, *, key: str) -> AbstractContextManager[object]:
    """Room for the text of a document at a character: beside its page, where the document has pages to look at."""
    if not has_places(text):
        return nullcontext()
    deliver_pages(text)
    page, beside_it = st.columns(2)
    with page:
        page_view(text, picture_of(target, text.format, text.hash), file=text.hash, key=key, height=height, at=at)
    return beside_it


def _open_from_text(hit: str, target: str) -> None:
    """A click in the text: its card becomes the open one, and the text stays where it is."""
    opened: ViewedHit = st.session_state[OPENED]
    st.session_state[OPENED] = ViewedHit(hit, target, opened.turn)


def _cluster(target: Workspace, row: IndexRow, place: ViewerTarget, height: int) -> None:
    """Chunks that are alike, of any documents: their summary, then how each begins."""
    chunk = place.hit.chunk
    with st.container(height=height, key="search.cluster"):
        st.markdown("**Summary of similar chunks**")
        st.text(chunk.summary)
        st.caption(f"It summarises {quantity(len(chunk.children), 'part')}:")
        parts = target.index(row.name).rows_by_id(chunk.children[:_MOST_PARTS])
        for part in (parts[name] for name in chunk.children if name in parts):
            st.caption(plain(cite(part)))
            st.text(beginning(part))
        if len(chunk.children) > _MOST_PARTS:
            st.caption(f"… and {quantity(len(chunk.children) - _MOST_PARTS, 'more part')}")
