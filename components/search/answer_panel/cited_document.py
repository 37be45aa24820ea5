"""The document of a citation, at the passage that is cited, with the sentences in it that come nearest."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.model import Document, Span
from chunking.retrieval.results.search_result import ContextSource
from chunking.store import Workspace
from components.kit.viewer import Goto, TextMark, ViewMarks, deliver_text, viewer
from components.kit.wording import plain
from components.search.hit_reader import beside_page
from components.session.workspace import document

__all__ = ["cited_document"]


def cited_document(
    target: Workspace,
    sources: Sequence[ContextSource],
    opened: ContextSource,
    span: Span | None,
    *,
    nonce: str,
    height: int,
    key: str,
) -> None:
    """The viewer at a passage, and its page where the document has pages.

    Args:
        sources: all passages of the context; those of this document are marked with their numbers.
        opened: the one to be at.
        span: the sentences in it that say what was cited, in characters of the document; None where nothing comes near.
        nonce: a new one scrolls there.
        height: in pixels.
        key: of the viewer.
    """
    if not opened.doc_id:
        st.markdown(f"**\\[{opened.number}\\] Summary of similar chunks**")
        st.text(opened.text)
        return
    text = document(target, opened.doc_id)
    st.markdown(f"**\\[{opened.number}\\] {plain(text.title)}** :small[:gray[{plain(text.source)}]]")
    whole = [source for source in sources if source.doc_id == opened.doc_id and _stands(text, source)]
    if opened not in whole and len(opened.text) == opened.end - opened.start:
        st.warning(
            "This document has changed since the index was built; the passage is no longer where it was. "
            "Build the index again."
        )
    at = span.start if span is not None and opened in whole else opened.start
    marks = ViewMarks(
        hits=[
            TextMark(source.start, source.end, str(source.number)) for source in whole if source.number == opened.number
        ],
        neighbours=[TextMark(source.start, source.end) for source in whole if source.number != opened.number],
        highlights=[TextMark(*span)] if span is not None and opened in whole else [],
    )
    deliver_text(text)
    with beside_page(target, text, at, height, key=f"{key}.pages"):
        viewer(
            text, None, key=key, marks=marks, goto=Goto(min(at, len(text.text)), nonce), prefixes=False, height=height
        )


def _stands(text: Document, source: ContextSource) -> bool:
    """The passage's text is where the index says; white space aside."""
    return text.text[source.start : source.end].split() == source.text.split()
