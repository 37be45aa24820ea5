"""Browser component of a document's section tree, which follows the viewer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import streamlit as st

from chunking.model import BlockType, Document, Span
from chunking.parsing.headings.evidence import CONFIDENCE, EVIDENCE, Evidence
from components.kit.browser import component
from components.kit.viewer import EDITED, text_key

__all__ = ["outline"]

_outline = component("outline")

_PHRASES: Mapping[str, str] = {
    Evidence.CONTENTS: "the table of contents",
    Evidence.LINK: "a link that leads to it",
    Evidence.NUMBER: "its number",
    Evidence.LOOSE_NUMBER: "a number out of order",
    Evidence.RUNNING_HEAD: "running heads",
    Evidence.SIZE: "its size",
    Evidence.WEIGHT: "bold type",
    Evidence.CAPITALS: "capitals",
    Evidence.FONT: "its font",
    Evidence.SPACE: "the space above it",
    Evidence.POSITION: "its position",
    Evidence.NAME: "its name",
    Evidence.MARK: "the signs around it",
}
_MOST = 3
"""Most kinds of evidence named, strongest first."""
_SURE = ((0.95, "very sure"), (0.75, "fairly sure"), (0.0, "may be wrong"))


def outline(
    document: Document,
    *,
    key: str = "outline",
    height: int = 640,
    counts: bool = True,
    edited: Iterable[Span] = (),
    on_section: Callable[[int], None] | None = None,
) -> int | None:
    """Draw the section tree; call it outside the fragment that moves the viewer.

    Args:
        document: document of the viewer; a click scrolls every viewer of it.
        key: component key.
        height: in pixels, filter included.
        counts: show how many of the viewer's chunks start in each section, live.
        edited: spans whose parse was edited; sections that start there are marked.
        on_section: called with the number of a clicked section, before the page reruns.
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


def guess_sentences(document: Document) -> list[str]:
    """Return per section how its heading was guessed, or ""; [] if no heading was guessed."""
    guesses = {
        block.start: guess_sentence(block.meta[EVIDENCE], block.meta[CONFIDENCE])
        for block in document.blocks
        if block.type is BlockType.HEADING and EVIDENCE in block.meta and CONFIDENCE in block.meta
    }
    if not guesses:
        return []
    first = document.blocks[0].start  # the first section starts at 0, wherever its heading does
    return [guesses.get(section.start or first, "") if section.level else "" for section in document.sections]


def guess_sentence(evidence: Collection[str], confidence: float) -> str:
    """Return the evidence and confidence of a guessed heading as a sentence.

    >>> guess_sentence(["number", "bold"], 0.83)
    'Guessed from its number and bold type; fairly sure.'
    """
    sure = next(words for least, words in _SURE if confidence >= least)
    named = [phrase for kind in evidence if (phrase := _PHRASES.get(kind))][:_MOST]
    if not named:
        return f"Guessed; {sure}."
    words = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Guessed from {words}; {sure}."
