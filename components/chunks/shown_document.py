"""Document on the Chunks page: its text with chunks, the picked chunk, and jumps to a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.evaluation import AnswerState, answer_states
from chunking.model import Document
from chunking.splitting import Boundaries
from chunking.store import Right
from components.chunks.comparison_choice import choose_other
from components.chunks.facts import pattern_marks
from components.chunks.inspector import chunk_card
from components.chunks.live_documents import ChosenSet, chosen_set
from components.chunks.new_question import ask_dialog, tell_saved_question
from components.chunks.pin_editor import PinEditor, left_out_card
from components.chunks.present_split import PresentSplit, family, prefixes_with_room
from components.chunks.split_comparison import Against, comparison_panel
from components.kit.viewer import (
    AnswerSpans,
    Goto,
    ViewActions,
    ViewLayers,
    answer_spans,
    chunk_bands,
    deliver_answers,
    deliver_other_chunks,
    letters,
    viewer,
)
from components.kit.wording import plain
from components.session import share
from components.session.measured_documents import StoredSplit, stored_chunk
from components.session.page.page_frame import arrival
from components.session.workspace import workspace

__all__ = [
    "AT",
    "HEIGHT",
    "VIEWER",
    "ShownDocument",
    "ShownQuestions",
    "ask_about_selection",
    "chosen_comparison",
    "draw_card",
    "draw_comparison",
    "draw_text",
]

HEIGHT = 680
"""Height of the text in pixels."""
VIEWER = "chunks.viewer"
AT = f"{VIEWER}.at"
"""Session key of the picked character."""
_JUMPED, _SELECTED, _TURN = "chunks.jumped", "chunks.selected", "chunks.turn"


@dataclass(frozen=True, slots=True)
class ShownQuestions:
    """The active question set on the shown document."""

    chosen: ChosenSet
    spans: AnswerSpans
    """Gold answers in this document."""

    @classmethod
    def of(cls, document: Document) -> ShownQuestions | None:
        """Return the active set, its answers sent to the browser; None if no document holds any."""
        chosen = chosen_set()
        if chosen is None:
            return None
        spans = answer_spans(document, chosen.questions)
        deliver_answers(spans)
        return cls(chosen, spans)


@dataclass(frozen=True, slots=True, eq=False)
class ShownDocument:
    """The document on the page, its indexes, questions and split B; no slider changes them."""

    document: Document
    drawn: Document
    """The document with the sections that the outline shows."""
    indexes: Sequence[StoredSplit]
    questions: ShownQuestions | None
    against: Against | None
    """Split to compare with."""

    def states(self, boundaries: Boundaries) -> Sequence[AnswerState]:
        """Return the state of each gold answer under these boundaries; empty without questions."""
        return answer_states(self.document, boundaries, self.questions.chosen.questions) if self.questions else ()

    def go(self, at: int) -> None:
        """Store in the session that the viewer scrolls to a character in the next run."""
        st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
        st.session_state[_JUMPED] = (arrival(), self.document.doc_id, at)

    def linked(self, boundaries: Boundaries) -> Goto | None:
        """Return where to scroll: first to the link's chunk, then where `go` says; or None.

        The first call also makes the link's chunk the picked one.
        """
        number = share.view("chunk") or ""
        if st.session_state.get(_JUMPED, (None,))[0] != arrival():
            exists = number.isdecimal() and len(number) < 10 and int(number) < len(boundaries)
            start = int(boundaries.starts[int(number)]) if exists else None
            st.session_state[_JUMPED] = (arrival(), self.document.doc_id, start)
            st.session_state[AT] = start
        nonce, doc_id, start = st.session_state[_JUMPED]
        if start is None or doc_id != self.document.doc_id:
            return None
        turn = st.session_state.get(_TURN, 0)
        return Goto(start, nonce=f"{nonce}.{turn}" if turn else nonce)


def chosen_comparison(document: Document, questions: ShownQuestions | None) -> Against | None:
    """Draw the choice of a split to compare with (B), send its chunks to the browser, return it.

    None if none is chosen, or if it fails.
    """
    other = choose_other(document)
    if other is None:
        return None
    deliver_other_chunks(other.chunks)
    return Against.of(other, questions.chosen.questions if questions else None)


def draw_text(of: ShownDocument, split: PresentSplit, states: Sequence[AnswerState], editor: PinEditor) -> int | None:
    """Draw the text with chunks, answers, pins and split B; return the picked chunk's number.

    None if no chunk is picked. If patterns give other sections than the outline shows, the outline is redrawn after
    the text.
    """
    document, boundaries, against = of.document, split.boundaries, of.against
    bands = chunk_bands(
        document, boundaries, groups=split.groups, prefixes=prefixes_with_room(boundaries, split.own.chunk)
    )
    layers = ViewLayers(
        pattern_marks(split.view.patterns),
        answers=(of.questions.spans, letters(states)) if of.questions else None,
        other=(against.other.chunks, against.boundaries(boundaries), letters(against.states)) if against else None,
        pins=editor.marks(split.view),
        stale=split.view.document.sections != of.drawn.sections,
    )

    def select(start: int, end: int) -> None:
        st.session_state[_SELECTED] = (document.doc_id, start, end)

    edits = workspace().may(Right.WRITE)
    actions = ViewActions(on_ask=select, on_pin=editor.set, on_undo=editor.undo) if edits else ViewActions()
    picked = viewer(
        document, bands, key=VIEWER, height=HEIGHT, goto=of.linked(boundaries), layers=layers, actions=actions
    )
    for warning in boundaries.warnings:
        st.caption(f"⚠ {plain(warning)}", help=plain(warning))
    return picked.index


def ask_about_selection(document: Document) -> None:
    """Open the question dialog if text of this document was just selected.

    Also shows, once, that a question was saved.
    """
    tell_saved_question()
    doc_id, start, end = st.session_state.pop(_SELECTED, ("", 0, 0))
    if doc_id == document.doc_id:
        ask_dialog(document, start, end)


def draw_comparison(of: ShownDocument, split: PresentSplit, states: Sequence[AnswerState]) -> None:
    """Draw the comparison of the current split (A) with another (B); nothing if none is chosen."""
    if of.against:
        questions = of.questions.chosen.questions if of.questions else None
        comparison_panel(of.against, split.boundaries, states, questions, of.go)


def draw_card(of: ShownDocument, split: PresentSplit, picked: int | None, editor: PinEditor) -> None:
    """Draw the picked chunk, or why the picked text is in no chunk, or how to pick one."""
    at = st.session_state.get(AT)
    if picked is None and at is not None and left_out_card(of.document, editor, at):
        return
    if picked is None:
        st.caption(
            "Click a chunk in the text to see all its fields. In the text, the arrow keys move from chunk to chunk and "
            "Enter picks one. Select text, or press Q on a chunk, to ask a question that it answers; S, K, X and M pin "
            "boundaries."
        )
        return
    chunk = split.result.chunk(picked)
    kin = family(split.result, picked)
    written = split.own.chunk.prefix.written
    chunk_card(
        chunk,
        sized=(int(split.boundaries.tokens[picked]), int(split.boundaries.prefix_tokens[picked])),
        family=kin,
        stored=stored_chunk(workspace(), of.indexes, split.config, chunk.chunk_id) if written else None,
    )
