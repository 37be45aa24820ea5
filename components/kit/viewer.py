"""The viewer: a document's text with chunks, hits, answers and pins drawn over it.

The text travels to the browser once per document (`deliver_text`); a moved slider sends offsets only (`viewer`).
Messages and scripts are `chunking.viewing`'s, which other hosts use as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import streamlit as st

from chunking.model import Document
from chunking.splitting import BoundaryComparison
from chunking.viewing.messages import (
    EDITED,
    AnswerSpans,
    Bands,
    Goto,
    Groups,
    OtherChunks,
    PinMark,
    TextMark,
    TextMessage,
    ViewMarks,
    answer_spans,
    answers_message,
    block_bands,
    chunk_bands,
    letters,
    other_chunks_message,
    stored_bands,
    text_key,
    text_message,
    view_message,
)
from components.kit.browser import component

__all__ = [
    "EDITED",
    "AnswerSpans",
    "Bands",
    "Goto",
    "Groups",
    "OtherChunks",
    "Picked",
    "PinMark",
    "TextMark",
    "ViewActions",
    "ViewLayers",
    "ViewMarks",
    "answer_spans",
    "block_bands",
    "chunk_bands",
    "deliver_answers",
    "deliver_other_chunks",
    "deliver_text",
    "letters",
    "set_pick",
    "size_strip",
    "stored_bands",
    "text_key",
    "viewer",
    "watch_sections",
]

_deliver = component("text")
_deliver_facts = component("text_facts")
_deliver_answers = component("answers")
_deliver_other = component("other_chunks")
_viewer = component("viewer")
_watch = component("sections_watch")


_SENT = "viewer.sent"
"""Session key of (document, its last message)."""

_size_bars = component("sizes")


@dataclass(frozen=True, slots=True)
class Picked:
    """The character picked in the viewer, and the band at it."""

    index: int | None
    """Number of the band; None if nothing is picked."""
    at: int | None
    """Character of the pick: it stays in place when boundaries move."""


@dataclass(frozen=True, slots=True, eq=False)
class ViewLayers:
    """Layers of the viewer over text and bands: marks, prefixes, answers, other chunks, pins."""

    marks: ViewMarks | None = None
    """Hits, neighbours, words, answers."""
    prefixes: bool = True
    """Show each chunk's prefix on a line of its own before its text."""
    answers: tuple[AnswerSpans, str] | None = None
    """The spans of `deliver_answers`, and `letters` of their states; a line above the text counts them."""
    other: tuple[OtherChunks, BoundaryComparison, str] | None = None
    """The chunks of `deliver_other_chunks`, their boundaries compared with the bands', and `letters` of the answers in
    them (empty without answers)."""
    pins: Sequence[PinMark] | None = None
    """Marks on boundaries; unless None, the viewer offers to set pins."""
    stale: bool = False
    """True if the bands have other sections than the document of `deliver_text`; see `watch_sections`."""


@dataclass(frozen=True, slots=True, eq=False)
class ViewActions:
    """Handlers of user actions, called before the page reruns; None: not offered."""

    on_pick: Callable[[], None] | None = None
    """Called after the pick has changed."""
    on_ask: Callable[[int, int], None] | None = None
    """Called with start and end (in characters) of selected text."""
    ask_label: str = "Ask about this"
    """Label of the button at selected text."""
    on_pin: Callable[[str, list[tuple[int, int]]], None] | None = None
    """Called with a kind of pin and the spans."""
    on_undo: Callable[[bool], None] | None = None
    """Undoes the last pin; True redoes it."""


def deliver_text(document: Document, *, key: str = "document_text") -> None:
    """Send a document's text and its facts to the browser.

    Call it on each run of a page that shows a viewer, outside of the fragment that moves its bands. The messages are
    the same each time, so that Streamlit sends a reference to the browser's copy from the second time on. Edits of the
    document send only the facts anew. Takes no room on the page.
    """
    sent: tuple[Document, TextMessage] | None = st.session_state.get(_SENT)
    if sent is None or sent[0] is not document:
        sent = st.session_state[_SENT] = document, text_message(document)
    _deliver(key=key, data=sent[1].text_data)
    _deliver_facts(key=f"{key}_facts", data=sent[1].facts_data)


def deliver_answers(spans: AnswerSpans, *, key: str = "document_answers") -> None:
    """Send the answer spans to the browser; call it outside of the fragment that moves boundaries."""
    _deliver_answers(key=key, data=answers_message(spans))


def deliver_other_chunks(other: OtherChunks, *, key: str = "document_other") -> None:
    """Send the other chunks to the browser; call it outside of the fragment that moves boundaries."""
    _deliver_other(key=key, data=other_chunks_message(other))


def watch_sections(*, key: str = "sections_watch") -> None:
    """Rerun the page when a viewer has painted `stale` bands; takes no room on the page.

    Call it outside of the fragment that moves the bands: the page's sections are updated after the text, and do not
    delay it.
    """
    _watch(key=key, data={}, on={"stale": lambda value: None})


def set_pick(key: str, document: Document, at: int | None) -> None:
    """Pick a character of a document in the viewer of this key; call it before the viewer is drawn.

    Also for a document that it has not shown yet, whose first view would clear a pick made before.
    """
    st.session_state[f"{key}.at"], st.session_state[f"{key}.doc"] = at, text_key(document.text)


def viewer(
    document: Document,
    bands: Bands | None,
    *,
    key: str = "viewer",
    height: int = 640,
    goto: Goto | None = None,
    layers: ViewLayers = ViewLayers(),
    actions: ViewActions = ViewActions(),
) -> Picked:
    """Draw a document's text with bands over it; call it inside the fragment that moves them.

    Args:
        document: document of `deliver_text`; a new one clears the pick.
        bands: chunks to draw; None draws text and marks only.
        key: key of the component. `st.session_state[f"{key}.at"]` keeps the pick (a character of the text, or None)
            over page switches; `set_pick` changes it.
        height: pixels.
        goto: place to scroll to.
    Returns:
        The pick, and the number of the band at it.
    """
    place, doc = f"{key}.at", text_key(document.text)
    if st.session_state.get(f"{key}.doc", doc) != doc:
        st.session_state[place] = None
    st.session_state[f"{key}.doc"] = doc
    at: int | None = st.session_state.setdefault(place, None)

    def remember(value: Any) -> None:
        if not isinstance(value, dict) or value.get("doc") != doc:
            return
        st.session_state[place] = _place(value.get("at"), len(document.text) - 1)
        if actions.on_pick:
            actions.on_pick()

    def ask(value: Any) -> None:
        if not isinstance(value, dict) or value.get("doc") != doc:
            return
        start, end = _place(value.get("start"), len(document.text)), _place(value.get("end"), len(document.text))
        if actions.on_ask and start is not None and end is not None and start < end:
            actions.on_ask(start, end)

    def pin(value: Any) -> None:
        if not isinstance(value, dict) or value.get("doc") != doc or not isinstance(value.get("places"), list):
            return
        last = len(document.text)
        spans = [
            tuple(_place(one, last) for one in span)
            for span in value["places"]
            if isinstance(span, list) and len(span) == 2
        ]
        places = [(start, end) for start, end in spans if start is not None and end is not None and start <= end]
        if actions.on_pin and places:
            actions.on_pin(str(value.get("kind")), places)

    def undo(value: Any) -> None:
        if actions.on_undo and isinstance(value, dict) and value.get("doc") == doc:
            actions.on_undo(value.get("redo") is True)

    run = st.session_state[f"{key}.run"] = (st.session_state.get(f"{key}.run", 0) + 1) % 1_000_000
    sent: tuple[Document, TextMessage] | None = st.session_state.get(_SENT)
    message = view_message(
        document,
        bands,
        run=run,
        looks=sent[1].looks if sent and sent[1].doc == doc else None,
        at=at,
        marks=layers.marks,
        goto=goto,
        prefixes=layers.prefixes,
        height=height,
        answers=layers.answers,
        other=layers.other,
        pins=layers.pins,
        stale=layers.stale,
        asking=actions.ask_label if actions.on_ask else False,
    )
    _viewer(key=key, data=message, on={"pick": remember, "asked": ask, "pin": pin, "unpin": undo})
    return Picked(bands.at(at) if bands is not None and at is not None else None, at)


def _place(value: Any, last: int) -> int | None:
    """Return a valid character offset from the browser; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= last else None


class _Range(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


class _CountedRange(_Range, Protocol):
    @property
    def tokens(self) -> int: ...


def is_nested(one: _Range, other: _Range) -> bool:
    """True if one of two ranges of a text contains the other."""
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def result_bands(results: Sequence[tuple[int, _CountedRange]], *, labelled: bool) -> Bands:
    """Return bands with results' ranks; of nested results only the best stays.

    Args:
        results: (rank, result) of one document, best first.
        labelled: True writes ranks into the text too.
    """
    apart: list[tuple[int, _CountedRange]] = []
    for rank, one in results:
        if not any(is_nested(one, other) for _, other in apart):
            apart.append((rank, one))
    apart.sort(key=lambda row: (row[1].start, row[1].end))
    tokens, nothing = _ints([one.tokens for _, one in apart]), np.zeros(len(apart), np.int32)
    return Bands(
        starts=_ints([one.start for _, one in apart]),
        ends=_ints([one.end for _, one in apart]),
        numbers=_ints([rank for rank, _ in apart]),
        sections=nothing - 1,
        tokens=nothing,
        prefix_tokens=nothing,
        embedded_tokens=tokens,
        sizes=tokens,
        flags=nothing,
        prefixes=("",) * len(apart),
        labels=tuple(f"#{rank}" if labelled else "" for rank, _ in apart),
        noun="Result",
    )


def _ints(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)


def size_strip(document: Document, *, requested: int, unit: str, key: str = "sizes", height: int = 64) -> None:
    """Draw a histogram of the viewer's chunk sizes, with a line at the requested size.

    Args:
        document: document of the viewer.
        requested: requested size, in `unit`.
        unit: "tokens" or "characters".
        key: key of the component.
        height: height of the bars in pixels.
    """
    _size_bars(key=key, data={"doc": text_key(document.text), "requested": requested, "unit": unit, "height": height})
