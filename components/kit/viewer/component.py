"""The viewer and the delivery of its text, as Streamlit sees them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from chunking.model import Block, BlockType, Document
from chunking.splitting import BoundaryComparison
from chunking.text.byte_caches import LARGEST_TEXT, MB, byte_cache
from components.kit.browser import component
from components.kit.browser.packing import pack_columns, pack_json, steps
from components.kit.rich_text.code_tokens import KINDS, block_tokens, code_blocks
from components.kit.viewer.answers import AnswerSpans
from components.kit.viewer.bands import FLAG_BITS, FLAG_TEXTS, Bands, pack
from components.kit.viewer.other_chunks import OtherChunks, other_message
from components.kit.viewer.pins import PinMark, pin_message
from components.kit.wording import has_clock, page_word

__all__ = ["Goto", "Mark", "Marks", "Picked", "deliver_text", "text_key", "viewer", "watch_sections"]

_deliver = component("text")
_deliver_facts = component("text_facts")
_viewer = component("viewer")
_watch = component("sections_watch")


_SENT = "viewer.sent"
_LOOKS = {BlockType.HEADING: "heading", BlockType.CODE: "code", BlockType.TABLE: "code"}
"""Kinds of block whose lines look other than running text."""


class Mark(NamedTuple):
    """A span to mark, in characters of the document."""

    start: int
    end: int
    label: str = ""
    """Such as the rank of a hit."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What to mark besides bands. Where there are hits, bands that are none step back."""

    hits: Sequence[Mark | tuple[int, int]] = ()
    neighbours: Sequence[Mark | tuple[int, int]] = ()
    highlights: Sequence[Mark | tuple[int, int]] = ()
    answers: Sequence[Mark | tuple[int, int]] = ()
    found: Sequence[Mark | tuple[int, int]] = ()
    """Inside a hit that is more than a chunk: the parts that were found."""

    def rows(self) -> list[tuple[str, int, int, str]]:
        """(kind, start, end, label) of each; short kinds, as the browser names its classes."""
        kinds = {"hit": self.hits, "near": self.neighbours, "word": self.highlights, "answer": self.answers, "found": self.found}
        return [(kind, *Mark(*mark)) for kind, marks in kinds.items() for mark in marks]


@dataclass(frozen=True, slots=True)
class Goto:
    """Scroll to the character `at`, once for each new `nonce`."""

    at: int
    nonce: int | str
    pick: bool = False
    """Pick the band there, too."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What the user picked."""

    index: int | None
    """Of the band; None where nothing is picked."""
    at: int | None
    """A character of it: the pick stays at this place when boundaries move."""


class _Sent(NamedTuple):
    """What was sent of a document last."""

    document: Document
    doc: str
    text: str
    """Packed."""
    looks: str
    """Digest of the facts: it changes with edits of the document."""
    facts: str
    """Packed."""


@byte_cache(most=LARGEST_TEXT)
def text_key(text: str) -> str:
    """The name under which a text is kept in the browser: 16 hex digits over it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def deliver_text(document: Document, *, key: str = "document_text") -> None:
    """Send a document's text to the browser, and what is known of it; takes no room on the page.

    Call it on each run of a page that shows a viewer, outside of the fragment that moves its bands. The messages are the same each time, so
    that Streamlit sends a reference to the browser's copy from the second time on. Edits of the document send the second one anew.
    """
    sent: _Sent | None = st.session_state.get(_SENT)
    if sent is None or sent.document is not document:
        facts = pack_json(_text_facts(document))
        looks = hashlib.sha256(facts.encode()).hexdigest()[:16]
        sent = _Sent(document, text_key(document.text), pack_json(document.text), looks, facts)
        st.session_state[_SENT] = sent
    _deliver(key=key, data={"doc": sent.doc, "packed": sent.text})
    _deliver_facts(key=f"{key}_facts", data={"doc": sent.doc, "looks": sent.looks, "packed": sent.facts})


def watch_sections(*, key: str = "sections_watch") -> None:
    """Run the whole page again when a viewer has painted `stale` bands; takes no room on the page.

    Call it outside of the fragment that moves the bands: what the page shows of sections follows the text, and does not hold it up.
    """
    _watch(key=key, data={}, on={"stale": lambda said: None})


def _text_facts(document: Document) -> dict[str, Any]:
    return {
        "title": document.title,
        "sections": [" › ".join(section.title_path) or section.title for section in document.sections],
        "blocks": [_look(document.text, block) for block in document.blocks if block.type in _LOOKS],
        "joins": [start for block in document.blocks if block.type is BlockType.TABLE for start in _joined_lines(document.text, block)],
        "code": _code(document.text, code_blocks(document)),
        "pages": _page_starts(document),
        "pageWord": page_word(document.format),
        "clock": has_clock(document.format),
        "flags": [[FLAG_BITS[flag], sentence] for flag, sentence in FLAG_TEXTS.items()],
    }


def _look(text: str, block: Block) -> list[Any]:
    """[start, end, look] of a block; of a table that is drawn as one also where its header ends, and what stands between fields."""
    delimiter = block.meta.get("delimiter")
    plain = delimiter is not None or "|" in text[block.start : block.end].partition("\n")[0]
    if block.type is BlockType.TABLE and plain and "cells" not in block.meta:  # other markup stands in its own columns
        return [block.start, block.end, "table", int(block.meta.get("header_end", block.start)), delimiter]
    return [block.start, block.end, _LOOKS[block.type]]


def _joined_lines(text: str, block: Block) -> Iterator[int]:
    """Starts of the lines that go on with the row before them: a field in quotes holds line ends."""
    rows = block.meta.get("row_starts", ())
    if block.meta.get("delimiter") is None or not rows or '"' not in text[rows[0] : block.end]:
        return
    for first, after in zip(rows, [*rows[1:], block.end], strict=True):
        start = text.find("\n", first, after) + 1
        while 0 < start < after:
            yield start
            start = text.find("\n", start, after) + 1


@byte_cache(most=64 * MB)
def _code(text: str, blocks: tuple[tuple[int, int, str], ...]) -> dict[str, Any]:
    """The coloured runs of its code as packed columns (the gap before each, its length, its kind), and the names of the kinds."""
    tokens = list(block_tokens(text, blocks))
    starts, ends, kinds = (np.array([token[field] for token in tokens], np.int32) for field in range(3))
    return {"n": len(tokens), "columns": pack_columns([steps(starts), ends - starts, kinds], {}) if tokens else "", "kinds": KINDS}


def _page_starts(document: Document) -> list[list[int]]:
    """[start, page] of each run of lines on one page; empty where the format has none."""
    changes = [[line.start, line.page] for line in document.locations]
    return [one for before, one in zip([[0, 0], *changes], changes, strict=False) if before[1] != one[1]]


def viewer(
    document: Document,
    bands: Bands | None,
    *,
    key: str = "viewer",
    marks: Marks | None = None,
    goto: Goto | None = None,
    prefixes: bool = True,
    height: int = 640,
    answers: tuple[AnswerSpans, str] | None = None,
    other: tuple[OtherChunks, BoundaryComparison, str] | None = None,
    pins: Sequence[PinMark] | None = None,
    stale: bool = False,
    on_pick: Callable[[], None] | None = None,
    on_ask: Callable[[int, int], None] | None = None,
    ask_label: str = "Ask about this",
    on_pin: Callable[[str, list[tuple[int, int]]], None] | None = None,
    on_undo: Callable[[bool], None] | None = None,
) -> Picked:
    """The text of a document with bands over it; call it inside the fragment that moves them.

    Args:
        document: the one `deliver_text` was called for; with another one than before, nothing is picked.
        bands: what to draw; None draws text and marks only.
        key: of the component. `st.session_state[f"{key}.at"]` keeps the pick (a character of the text, or None) over
            page switches; set it before the call to change the pick.
        marks: hits, neighbours, words, answers.
        goto: where to scroll.
        prefixes: show each chunk's prefix on a line of its own before its text.
        height: in pixels.
        answers: those that `deliver_answers` was called for, and `letters` of their states; a line above the text counts them.
        other: chunks that `deliver_other_chunks` was called for, how their boundaries compare with those of the bands, and `letters` of
            what becomes of the answers in them (empty without answers).
        pins: marks on boundaries; with them (even none) the viewer offers to set others.
        stale: the bands stand in other sections than the document that `deliver_text` was called for; see `watch_sections`.
        on_pick: called when the user has picked, before the page runs again.
        on_ask: called with start and end (in characters) when the user has selected text and wants to ask about it; without
            it, the viewer does not offer that.
        ask_label: what the button says that appears at selected text.
        on_pin: called with a kind of pin and the spans (in characters) at which the user wants one each.
        on_undo: called when the user takes the last pin back; with True to set it again.
    """
    place, doc = f"{key}.at", text_key(document.text)
    if st.session_state.get(f"{key}.doc", doc) != doc:
        st.session_state[place] = None
    st.session_state[f"{key}.doc"] = doc
    at: int | None = st.session_state.setdefault(place, None)

    def remember(said: Any) -> None:
        if not isinstance(said, dict) or said.get("doc") != doc:
            return
        st.session_state[place] = _place(said.get("at"), len(document.text) - 1)
        if on_pick:
            on_pick()

    def ask(said: Any) -> None:
        if not isinstance(said, dict) or said.get("doc") != doc:
            return
        start, end = _place(said.get("start"), len(document.text)), _place(said.get("end"), len(document.text))
        if on_ask and start is not None and end is not None and start < end:
            on_ask(start, end)

    def pin(said: Any) -> None:
        if not isinstance(said, dict) or said.get("doc") != doc or not isinstance(said.get("places"), list):
            return
        last = len(document.text)
        spans = [tuple(_place(one, last) for one in span) for span in said["places"] if isinstance(span, list) and len(span) == 2]
        given = [(start, end) for start, end in spans if start is not None and end is not None and start <= end]
        if on_pin and given:
            on_pin(str(said.get("kind")), given)

    def undo(said: Any) -> None:
        if on_undo and isinstance(said, dict) and said.get("doc") == doc:
            on_undo(said.get("redo") is True)

    message = _band_message(document, bands, key, at, marks, goto, prefixes, height)
    if answers:
        message["answers"] = {"key": answers[0].key, "fates": answers[1]}
    if other:
        message["other"] = other_message(*other)
    message["stale"] = stale
    message["asking"] = ask_label if on_ask else False
    message["pins"] = None if pins is None else pin_message(tuple(pins))
    _viewer(key=key, data=message, on={"pick": remember, "asked": ask, "pin": pin, "unpin": undo})
    return Picked(bands.at(at) if bands is not None and at is not None else None, at)


def _place(said: Any, last: int) -> int | None:
    """A character that the browser names; None where it names none, or one that the text does not have."""
    return said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said <= last else None


def _band_message(
    document: Document, bands: Bands | None, key: str, at: int | None, marks: Marks | None, goto: Goto | None, prefixes: bool, height: int
) -> dict[str, Any]:
    packed = pack(bands) if bands is not None else ""
    # The browser repaints when its message changes; with the run in it, it also answers where nothing has moved,
    # and a slider waiting for that answer sends its next value at once.
    run = st.session_state[f"{key}.run"] = (st.session_state.get(f"{key}.run", 0) + 1) % 1_000_000
    doc = text_key(document.text)
    sent: _Sent | None = st.session_state.get(_SENT)
    return {
        "doc": doc,
        "looks": sent.looks if sent and sent.doc == doc else None,
        "run": run,
        "rev": f"{zlib.crc32(packed.encode()):08x}",
        "n": len(bands) if bands is not None else 0,
        "bands": packed,
        "noun": bands.noun if bands is not None else "",
        "at": at,
        "marks": marks.rows() if marks else [],
        "goto": {"at": goto.at, "nonce": str(goto.nonce), "pick": goto.pick} if goto else None,
        "prefixes": prefixes,
        "height": height,
    }
