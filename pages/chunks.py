"""Chunks: how the present settings cut a document, live."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config
from chunking.cutting import Boundaries, Chunker
from chunking.model import Document
from components import share
from components.chunk_card import chunk_card
from components.facts import achieved_facts, size_chart
from components.frame import show
from components.outline import outline
from components.settings_form import settings_form
from components.size_strip import size_strip
from components.viewer import Goto, chunk_bands, deliver_text, viewer
from components.words import plain
from components.workspace import chunker, document, workspace

HEIGHT = 680


def choose() -> Document | None:
    """The document picked at the top; None (and a hint) where the workspace is empty."""
    rows = {row.doc_id: row for row in workspace().documents()}
    if not rows:
        st.info("There is nothing to cut yet. Add a document, or load the samples, on the Documents page.")
        st.page_link("pages/documents.py", label="Go to Documents")
        return None
    wanted = share.view("doc")
    ids = list(rows)
    start = ids.index(wanted) if wanted in rows else _first_shown(ids)
    doc_id = st.selectbox(
        "Document", ids, index=start, format_func=lambda key: f"{rows[key].title}  ({rows[key].source})", label_visibility="collapsed"
    )
    if doc_id != wanted:
        share.keep_view(doc=doc_id, chunk=None)
    return document(workspace(), doc_id)


def _first_shown(ids: list[str]) -> int:
    """The handbook of the samples, which has everything in it; else the first document."""
    return next((number for number, doc_id in enumerate(ids) if "handbook" in doc_id), 0)


@st.fragment
def live(of: Document) -> None:
    """Text and settings side by side; a change of a setting runs only this."""
    text, form = st.columns([2.4, 1], gap="medium")
    with form:
        config = settings_form(share.config(), hide=("embedding.model",))
        share.keep_config(config)
        size_strip(of, requested=config.chunk.size, unit=config.chunk.unit.value)
        measured = chunker(workspace(), of, config.embedding.model)
        boundaries = measured.boundaries(config.chunk)
        achieved_facts(boundaries, config.chunk)
    with text:
        picked = viewer(of, chunk_bands(of, boundaries), height=HEIGHT, goto=_linked(boundaries))
        for warning in boundaries.warnings:
            st.caption(f"⚠ {plain(warning)}")
        details(measured, boundaries, config, picked.index)
    share.keep_view(chunk=picked.index)
    share.write_address()


def _linked(boundaries: Boundaries) -> Goto | None:
    """Where a link wants the viewer to be, once a session."""
    wanted = share.view("chunk")
    if st.session_state.setdefault("chunks.linked", wanted) is None or not str(wanted).isdigit():
        return None
    number = min(int(str(st.session_state["chunks.linked"])), len(boundaries.starts) - 1)
    return Goto(int(boundaries.starts[number]), nonce=f"link-{number}", pick=True)


def details(measured: Chunker, boundaries: Boundaries, config: Config, picked: int | None) -> None:
    """The chunk that is picked; the sizes of all, drawn only where somebody looks."""
    one, sizes = st.tabs(["The chunk", "All sizes"], key="chunks.details", on_change="rerun")
    with one:
        if picked is None:
            st.caption("Click a chunk in the text to see every field of it. In the text, the arrow keys move from chunk to chunk.")
        else:
            chunk_card(measured.chunks(config.chunk)[picked])
    if sizes.open:
        with sizes:
            size_chart(boundaries, config.chunk)


def page() -> None:
    """The page from top to bottom."""
    title, pick = st.columns([1, 4], vertical_alignment="center", gap="medium")
    title.header("Chunks", anchor=False)
    with pick:
        of = choose()
    if of is None:
        return
    deliver_text(of)
    left, right = st.columns([1, 4], gap="medium")
    with left:
        outline(of, height=HEIGHT)
    with right:
        live(of)


show(page)
