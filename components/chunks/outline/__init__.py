"""A document's sections as a tree that follows the viewer and scrolls it, without trips to the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from chunking.model import Document, Span
from components.chunks.outline.guesses import guess_sentences
from components.kit.browser import component
from components.kit.viewer import EDITED, text_key

__all__ = ["outline"]

_outline = component("outline")


def outline(
    document: Document,
    *,
    key: str = "outline",
    height: int = 640,
    counts: bool = True,
    edited: Iterable[Span] = (),
    on_section: Callable[[int], None] | None = None,
) -> int | None:
    """The section tree; call it outside of the fragment that moves the viewer.

    Args:
        document: the one shown by the viewer; a click scrolls every viewer of it.
        key: of the component.
        height: in pixels, filter included.
        counts: show how many of the viewer's chunks start in each section; they follow the viewer live.
        edited: spans of which somebody edited how they were read; the sections that begin there are signed.
        on_section: called with the number of a section when a section was clicked, before the page runs again.
    Returns:
        Index in `document.sections` of the section clicked last, None before the first click.
    """
    places = {section.section_id: place for place, section in enumerate(document.sections)}
    sections = document.sections
    signed = {span.start for span in edited}
    data = {
        "doc": text_key(document.text),
        "titles": [f"{section.title} {EDITED}" if section.start in signed else section.title for section in sections],
        "levels": [section.level for section in sections],
        "parents": [places.get(section.parent_id or "", -1) for section in sections],
        "starts": [section.start for section in sections],
        "ends": [section.end for section in sections],
        "guesses": guess_sentences(document),
        "counts": counts,
        "height": height,
    }
    place = f"{key}.section"

    def remember(said: Any) -> None:
        index = said.get("index") if isinstance(said, dict) and said.get("doc") == data["doc"] else None
        if isinstance(index, int) and 0 <= index < len(sections):
            st.session_state[place] = (data["doc"], index)
            if on_section:
                on_section(index)

    _outline(key=key, data=data, on={"section": remember})
    doc, index = st.session_state.get(place, ("", 0))
    return int(index) if doc == data["doc"] else None
