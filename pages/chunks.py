"""Chunks: how the present settings split a document, live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from chunking.config import Config, settings
from chunking.errors import ModelError, QuotaError
from chunking.evaluation import AnswerState, answer_states
from chunking.model import Document
from chunking.splitting import Boundaries, patterned, shaped
from chunking.store import DocumentRow, Right
from components.chunks.chunk_card import chunk_card
from components.chunks.compare import Against, choose_other, comparison_panel, is_comparing
from components.chunks.facts import achieved_facts, index_fact, size_chart
from components.chunks.inspector import LAYOUT, inspector
from components.chunks.levels_preview import brackets_field, family, levels_facts, prefixes_with_room
from components.chunks.live_recall import ChosenSet, chosen_set, recall_hint, recall_panel
from components.chunks.new_question import ask_dialog, tell_saved_question
from components.chunks.outline import outline
from components.chunks.pattern_matches import pattern_counts, pattern_marks
from components.chunks.pins import PinDesk, left_out_card, pin_desk, pin_panel
from components.chunks.present_split import PresentSplit
from components.chunks.recall_curve import recall_curve
from components.documents.page_view import deliver_pages, has_places, page_view, picture_of
from components.kit.empty_state import no_documents
from components.kit.settings_form import draw_form, read_form, settings_form
from components.kit.size_strip import size_strip
from components.kit.viewer import (
    AnswerSpans,
    Goto,
    answer_spans,
    chunk_bands,
    deliver_answers,
    deliver_other_chunks,
    deliver_text,
    letters,
    viewer,
    watch_sections,
)
from components.kit.wording import apart, plain
from components.session import share
from components.session.measured_documents import Held, held, stored_chunk
from components.session.page.page_entry import show
from components.session.page.page_frame import arrival, fragment, sentences
from components.session.page.run_order import give_way
from components.session.questions.question_state import choose_set
from components.session.settings.settings_row import settings_row
from components.session.workspace import document, workspace

HEIGHT = 680  # of the text, in pixels
OUTLINE, PAGE = "Outline", "Page"

_VIEWER = "chunks.viewer"
_PICK, _AT, _JUMPED, _BESIDE = "chunks.document", f"{_VIEWER}.at", "chunks.jumped", "chunks.beside"
_SELECTED, _TURN = "chunks.selected", "chunks.turn"


def choose(rows: Mapping[str, DocumentRow]) -> Document:
    """The document picked at the top."""
    wanted = share.view("doc") or ""
    if wanted not in rows:
        if wanted:
            st.info(f"The document “{plain(wanted[:100])}” is not in this workspace; another one is shown.")
        wanted = next((doc_id for doc_id in rows if "handbook" in doc_id), next(iter(rows)))
        share.look_at(wanted)
    st.session_state[_PICK] = wanted
    st.selectbox(
        "Document",
        list(rows),
        key=_PICK,
        format_func=lambda key: f"{apart(rows[key].title)}  ({apart(rows[key].source)})",
        label_visibility="collapsed",
        on_change=lambda: share.look_at(st.session_state[_PICK]),
    )
    return document(workspace(), wanted)


def choose_beside() -> str:
    """What stands beside the text of a document with pages; kept over a switch of pages."""
    st.session_state[f"{_BESIDE}.field"] = st.session_state.setdefault(_BESIDE, OUTLINE)
    st.segmented_control(
        "Beside the text",
        [OUTLINE, PAGE],
        key=f"{_BESIDE}.field",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: st.session_state.update({_BESIDE: st.session_state[f"{_BESIDE}.field"]}),
    )
    return str(st.session_state[_BESIDE])


def outline_or_page(of: Document, pages: bool) -> None:
    """The outline, or the page with its chunks on it, live."""
    if pages:
        deliver_pages(of)
        page_view(
            of,
            picture_of(workspace(), of.format, of.hash),
            file=of.hash,
            key="chunks.pages",
            height=HEIGHT,
            at=st.session_state.get(_AT),
        )
    else:
        outline(of, height=HEIGHT)


@dataclass(frozen=True, slots=True)
class Questions:
    """The chosen set as this page needs it."""

    asked: ChosenSet
    spans: AnswerSpans
    """The answers in this document."""
    documents: int
    """How many there are in all."""


@fragment()
def live(
    of: Document, drawn: Document, indexes: Sequence[Held], questions: Questions | None, against: Against | None
) -> None:
    """Text, settings and inspector (layout.css says where each stands); a change of a setting runs only this."""
    with sentences():
        desk = pin_desk(of)
        entered = read_form(share.config())
        share.keep_config(entered.config)
        try:
            split, fault = PresentSplit.of(of, entered.config, desk.pins), None
        except (ModelError, QuotaError) as error:
            split, fault = None, error
        with st.container(key="chunks-text"):  # first: it does not wait for the widgets, nor do the numbers
            if split:
                states = answer_states(of, split.boundaries, questions.asked.questions) if questions else ()
                picked = text_with_chunks(of, drawn, split, questions, states, against, desk)
                share.keep_view(chunk=picked)
            else:
                viewer(of, None, key=_VIEWER, height=HEIGHT)
            share.write_address()
            ask(of)
        give_way()  # to others who wait for their boundaries or hits: the rest is looked at when the hand rests
        with st.container(key="chunks-form"):
            top, dial, fields, facts = st.container(), st.container(), st.container(), st.container()
        with dial:
            if questions:
                recall_panel(questions.asked, share.config(), questions.documents)
            else:
                recall_hint()
        with facts:
            if split:
                achieved(of, split, indexes)
            elif isinstance(fault, ModelError):
                other_model(entered.config, fault)
            else:
                st.caption(f":red[{plain(str(fault))}]")
        with top:
            settings_row(key="chunks.settings")
        with fields:
            draw_form(entered, below=partial(under_setting, of, questions, split))
        if split:
            with st.container(key="chunks-below"):
                inspector(
                    pick=_AT,
                    chunk=lambda: card(of, split, indexes, picked, desk),
                    sizes=lambda: size_chart(split.boundaries, split.own.chunk),
                    pins=lambda: pin_panel(of, desk, split.view, partial(go, of)),
                    compared=partial(in_numbers, of, split, questions, states, against) if against else None,
                )
            brackets_field(split.own.chunk)
        desk.save()


def under_setting(
    of: Document, questions: Questions | None, split: PresentSplit | None, key: str, config: Config
) -> None:
    """What stands under a setting: the recall that its values give, or what its patterns match."""
    if questions:
        recall_curve(questions.asked, key, config)
    pattern_counts(split.view.patterns if split else patterned(of, config.for_category(of.category).chunk), key)


def ask(of: Document) -> None:
    """The dialog for a question about what was selected, once."""
    tell_saved_question()
    doc_id, start, end = st.session_state.pop(_SELECTED, ("", 0, 0))
    if doc_id == of.doc_id:
        ask_dialog(of, start, end)


def achieved(of: Document, split: PresentSplit, indexes: Sequence[Held]) -> None:
    """What the settings come to, beneath them."""
    if split.own.chunk != split.config.chunk:
        st.caption(f"This document's category, {plain(of.category)}, has its own settings.")
    size_strip(of, requested=split.own.chunk.size, unit=split.own.chunk.unit.value)
    with st.container(gap="xsmall"):
        achieved_facts(split.boundaries, split.own.chunk)
        levels_facts(split.result)
        index_fact(indexes, split.config)


def other_model(config: Config, fault: ModelError) -> None:
    """The field for a model, where the one that counts tokens is not at hand."""
    others = {setting.key for setting in settings()} - {"embedding.model"}
    mended = settings_form(config, ("embedding",), key="chunks.model", hide=others)
    st.caption(f":red[{plain(str(fault))}]")
    if mended != config:
        share.keep_config(mended)
        st.rerun()


def text_with_chunks(
    of: Document,
    drawn: Document,
    split: PresentSplit,
    questions: Questions | None,
    states: Sequence[AnswerState],
    against: Against | None,
    desk: PinDesk,
) -> int | None:
    """The text with its chunks, and what they make of answers; returns the number of the one that is picked.

    Where patterns have made other sections than those of `drawn`, the outline follows when the text is painted.
    """
    bands = chunk_bands(
        of, split.boundaries, groups=split.groups, prefixes=prefixes_with_room(split.boundaries, split.own.chunk)
    )
    edits = workspace().may(Right.WRITE)
    picked = viewer(
        of,
        bands,
        key=_VIEWER,
        marks=pattern_marks(split.view.patterns),
        height=HEIGHT,
        goto=linked(of, split.boundaries),
        answers=(questions.spans, letters(states)) if questions else None,
        other=(against.other.chunks, against.boundaries(split.boundaries), letters(against.states))
        if against
        else None,
        pins=desk.marks(split.view),
        stale=split.view.document.sections != drawn.sections,
        on_ask=(lambda start, end: st.session_state.update({_SELECTED: (of.doc_id, start, end)})) if edits else None,
        on_pin=desk.set if edits else None,
        on_undo=desk.undo if edits else None,
    )
    for warning in split.boundaries.warnings:
        st.caption(f"⚠ {plain(warning)}")
    return picked.index


def linked(of: Document, boundaries: Boundaries) -> Goto | None:
    """Where the viewer begins when the user comes here, from a link or from another page: at the chunk that the view
    names.
    """
    number = share.view("chunk") or ""
    if st.session_state.get(_JUMPED, (None,))[0] != arrival():
        found = number.isdecimal() and len(number) < 10 and int(number) < len(boundaries)
        start = int(boundaries.starts[int(number)]) if found else None
        st.session_state[_JUMPED] = (arrival(), of.doc_id, start)
        st.session_state[_AT] = start
    nonce, doc_id, start = st.session_state[_JUMPED]
    turn = st.session_state.get(_TURN, 0)
    return (
        Goto(start, nonce=f"{nonce}.{turn}" if turn else nonce) if start is not None and doc_id == of.doc_id else None
    )


def go(of: Document, at: int) -> None:
    """Let the viewer go to a character, with the next run."""
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.session_state[_JUMPED] = (arrival(), of.doc_id, at)


def in_numbers(
    of: Document, split: PresentSplit, questions: Questions | None, states: Sequence[AnswerState], against: Against
) -> None:
    """What the comparison comes to."""
    comparison_panel(
        against, split.boundaries, states, questions.asked.questions if questions else None, partial(go, of)
    )


def card(of: Document, split: PresentSplit, indexes: Sequence[Held], picked: int | None, desk: PinDesk) -> None:
    """The chunk that is picked, why its text is in none any more, or how to pick one."""
    at = st.session_state.get(_AT)
    if picked is None and at is not None and left_out_card(of, desk, at):
        return
    if picked is None:
        st.caption(
            "Click a chunk in the text to see all its fields. In the text, the arrow keys move from chunk to "
            "chunk and Enter picks one. "
            "Select text, or press Q on a chunk, to ask a question that it answers; S, K, X and M pin boundaries."
        )
        return
    chunk = split.result.chunk(picked)
    kin = family(split.result, picked)
    written = split.own.chunk.prefix.written
    chunk_card(
        chunk, family=kin, stored=stored_chunk(workspace(), indexes, split.config, chunk.chunk_id) if written else None
    )


def chosen(of: Document, rows: Mapping[str, DocumentRow]) -> Questions | None:
    """The question set that is chosen, its answers sent to the browser."""
    questions = chosen_set(list(rows.values()))
    if questions is None:
        return None
    spans = answer_spans(of, questions.questions)
    deliver_answers(spans)
    return Questions(questions, spans, len(rows))


def compared(of: Document, questions: Questions | None) -> Against | None:
    """What the present settings are compared with, sent to the browser."""
    other = choose_other(of)
    if other is None:
        return None
    deliver_other_chunks(other.chunks)
    return Against.of(other, questions.asked.questions if questions else None)


def page() -> None:
    """The page from top to bottom."""
    rows = {row.doc_id: row for row in workspace().documents()}
    if not rows:
        st.title("Chunks", anchor=False)
        no_documents("split")
        return
    title, top = st.columns([1.25, 3.4], vertical_alignment="bottom", gap="medium")
    title.title("Chunks", anchor=False)
    with top:
        pick, other, sets = st.columns([1.5, 1.5, 1.1] if is_comparing() else [2, 1.05, 1.05], gap="small")
    with pick.container(horizontal=True, vertical_alignment="center"):
        of = choose(rows)
        pages = has_places(of) and choose_beside() == PAGE
    with sets:
        choose_set(none="No questions", key="chunks.questions", spoken=True)
    drawn = shaped(of, share.config())
    deliver_text(drawn)
    watch_sections()
    questions = chosen(of, rows)
    with other:
        against = compared(of, questions)
    st.html(LAYOUT)
    with st.container(key="chunks-grid"):
        with st.container(key="chunks-pages" if pages else "chunks-outline"):
            outline_or_page(drawn, pages)
        live(of, drawn, held(workspace(), of.doc_id), questions, against)


show(page)
