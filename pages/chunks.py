"""Chunks page: how the current settings split a document, live."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from chunking.config import Config, settings
from chunking.errors import ModelError, QuotaError
from chunking.model import Document
from chunking.splitting import patterned, shaped
from chunking.store import DocumentRow, documents_by_id
from components.chunks.comparison_choice import is_comparing
from components.chunks.facts import achieved_facts, index_fact, pattern_counts, size_chart
from components.chunks.inspector import inspector
from components.chunks.live_recall_panel import evaluate_link, recall_hint, recall_panel
from components.chunks.outline import outline
from components.chunks.pin_editor import pin_editor, pin_panel
from components.chunks.present_split import PresentSplit, brackets_field, levels_facts
from components.chunks.recall_curve import recall_curve
from components.chunks.shown_document import (
    AT,
    HEIGHT,
    VIEWER,
    ShownDocument,
    ShownQuestions,
    ask_about_selection,
    chosen_comparison,
    draw_card,
    draw_comparison,
    draw_text,
)
from components.documents.page_view import deliver_pages, has_places, page_view, picture_of
from components.kit.bounded_options import MOST_OPTIONS, document_names, find_options
from components.kit.notes import no_documents
from components.kit.settings_form import draw_form, read_form, settings_form
from components.kit.viewer import (
    deliver_text,
    size_strip,
    text_key,
    viewer,
    watch_sections,
)
from components.kit.wording import plain
from components.session import share
from components.session.measured_documents import stored_splits
from components.session.page.page_entry import show
from components.session.page.page_frame import fragment, sentences
from components.session.page.run_order import give_way
from components.session.questions.question_state import choose_set
from components.session.settings.settings_row import settings_row
from components.session.workspace import document, workspace

OUTLINE, PAGE = "Outline", "Page"

_PICK, _BESIDE = "chunks.document", "chunks.beside"


def choose_document(rows: Mapping[str, DocumentRow]) -> Document:
    """Draw the choice of the document, at first the link's, and return the document."""
    doc_id = share.view("doc") or ""
    if doc_id not in rows:
        if doc_id:
            st.info(f"The document “{plain(doc_id[:100])}” is not in this workspace; another one is shown.")
        doc_id = next((doc_id for doc_id in rows if "handbook" in doc_id), next(iter(rows)))
        share.look_at(doc_id)
    st.session_state[_PICK] = doc_id
    names = workspace().derived(document_names)
    st.selectbox(
        "Document",
        find_options(names, key=_PICK, chosen=[doc_id], width=160),
        key=_PICK,
        format_func=lambda key: names.get(key, key),
        label_visibility="collapsed",
        on_change=lambda: share.look_at(st.session_state[_PICK]),
    )
    return document(workspace(), doc_id)


def choose_beside() -> str:
    """Draw the choice of outline or page next to the text, and return it; the session keeps it."""
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
    """Draw the outline, or the document's pages with the chunks on them."""
    if pages:
        deliver_pages(of)
        page_view(
            of,
            picture_of(workspace(), of.format, of.hash),
            file=of.hash,
            key="chunks.pages",
            height=HEIGHT,
            at=st.session_state.get(AT),
        )
    else:
        outline(of, height=HEIGHT)


@fragment()
def live_view(of: ShownDocument) -> None:
    """Draw text, settings and inspector as a fragment; layout.css places each.

    Stores changed settings and the picked chunk, and saves queued steps on pins.
    """
    with sentences():
        document, questions = of.document, of.questions
        editor = pin_editor(document)
        entered = read_form(share.config())
        share.keep_config(entered.config)
        try:
            split, fault = PresentSplit.of(document, entered.config, editor.pins), None
        except (ModelError, QuotaError) as error:
            split, fault = None, error
        with st.container(key="chunks-text"):  # first: it does not wait for the widgets, nor do the numbers
            if split:
                states = of.states(split.boundaries)
                picked = draw_text(of, split, states, editor)
                share.keep_view(chunk=picked)
            else:
                viewer(document, None, key=VIEWER, height=HEIGHT)
            share.write_address()
            ask_about_selection(document)
        give_way()  # to sessions that wait for boundaries or hits; the rest is needed only when the slider rests
        with st.container(key="chunks-form"):
            dial, fields, rest = st.container(), st.container(), st.container()
        with dial:
            if questions:
                recall_panel(questions.chosen, share.config())
            else:
                recall_hint()
        with fields:
            draw_form(
                entered,
                below=partial(under_setting, of, split, fault),
                drawer=partial(settings_row, key="chunks.settings"),
            )
        with rest:
            if questions:
                evaluate_link()
            if split:
                draw_rest(of, split)
        if split:
            with st.container(key="chunks-below"):
                inspector(
                    pick=AT,
                    chunk=lambda: draw_card(of, split, picked, editor),
                    sizes=lambda: size_chart(split.boundaries, split.own.chunk),
                    pins=lambda: pin_panel(document, editor, split.view, of.go),
                    compared=partial(draw_comparison, of, split, states) if of.against else None,
                )
            brackets_field(split.own.chunk)
        editor.save()


def under_setting(
    of: ShownDocument, split: PresentSplit | None, fault: Exception | None, key: str, config: Config
) -> None:
    """Draw under a field what belongs to it: recall curve, numbers of the split, pattern matches."""
    if of.questions:
        recall_curve(of.questions.chosen, key, config, text_key(of.document.text))
    if key == "size":
        if split:
            achieved_facts(split.boundaries, split.own.chunk)
        elif isinstance(fault, ModelError):
            other_model(config, fault)
        else:
            st.caption(f":red[{plain(str(fault))}]")
    own = config.for_category(of.document.category).chunk
    pattern_counts(split.view.patterns if split else patterned(of.document, own), key)


def draw_rest(of: ShownDocument, split: PresentSplit) -> None:
    """Draw sizes and levels of the split, and whether an index holds it."""
    chunk = split.own.chunk
    if chunk != split.config.chunk:
        st.caption(f"This document's category, {plain(of.document.category)}, has its own settings.")
    st.caption(f"Chunk sizes ({chunk.unit.value})")
    size_strip(of.document, requested=chunk.size, unit=chunk.unit.value)
    with st.container(gap="xsmall"):
        levels_facts(split.result)
        index_fact(of.indexes, split.config)


def other_model(config: Config, fault: ModelError) -> None:
    """Draw the choice of another model after the one that counts tokens failed, and store it."""
    others = {setting.key for setting in settings()} - {"embedding.model"}
    changed = settings_form(config, ("embedding",), key="chunks.model", hide=others)
    st.caption(f":red[{plain(str(fault))}]")
    if changed != config:
        share.keep_config(changed)
        st.rerun()


def page() -> None:
    """Draw the Chunks page: a document's outline and text with live chunks, settings, inspector."""
    rows = workspace().derived(documents_by_id)
    if not rows:
        st.title("Chunks", anchor=False)
        no_documents("split")
        return
    title, top = st.columns([1.25, 3.4], vertical_alignment="bottom", gap="medium")
    title.title("Chunks", anchor=False)
    with top:
        field = 0.6 if len(rows) > MOST_OPTIONS else 0  # room for the field that finds documents
        shares = [1.5 + field, 1.5, 1.1] if is_comparing() else [2 + field, 1.05, 1.05]
        pick, other, sets = st.columns(shares, gap="small")
    with pick.container(horizontal=True, vertical_alignment="center"):
        of = choose_document(rows)
        pages = has_places(of) and choose_beside() == PAGE
    with sets:
        choose_set(none="No questions", key="chunks.questions", spoken=True)
    drawn = shaped(of, share.config())
    deliver_text(drawn)
    watch_sections()
    questions = ShownQuestions.of(of)
    with other:
        against = chosen_comparison(of, questions)
    with st.container(key="chunks-grid"):
        with st.container(key="chunks-pages" if pages else "chunks-outline"):
            outline_or_page(drawn, pages)
        live_view(ShownDocument(of, drawn, stored_splits(workspace(), of.doc_id), questions, against))


show(page)
