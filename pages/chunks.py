"""Chunks: how the present settings cut a document, live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from chunking.config import Config, settings
from chunking.cutting import Boundaries, Chunker
from chunking.errors import ModelError
from chunking.model import Document
from chunking.store import DocumentRow
from components import share
from components.chunk_card import chunk_card
from components.facts import achieved_facts, index_fact, size_chart
from components.frame import arrival, sentences, show
from components.measured import Held, chunker, held
from components.outline import outline
from components.settings_form import settings_form
from components.size_strip import size_strip
from components.viewer import Goto, chunk_bands, deliver_text, viewer
from components.words import plain
from components.workspace import document, workspace

HEIGHT = 680  # of the text, in pixels

_PICK, _AT, _JUMPED = "chunks.document", "chunks.viewer.at", "chunks.jumped"


def choose(rows: Mapping[str, DocumentRow]) -> Document:
    """The document picked at the top."""
    wanted = share.view("doc") or ""
    if wanted not in rows:
        if wanted:
            st.info(f"The document “{plain(wanted[:100])}” is not in this workspace (any more); another one is shown.")
        wanted = next((doc_id for doc_id in rows if "handbook" in doc_id), next(iter(rows)))
        share.look_at(wanted)
    st.session_state[_PICK] = wanted
    st.selectbox(
        "Document",
        list(rows),
        key=_PICK,
        format_func=lambda key: f"{rows[key].title}  ({rows[key].source})",
        label_visibility="collapsed",
        on_change=lambda: share.look_at(st.session_state[_PICK]),
    )
    return document(workspace(), wanted)


@st.fragment
def live(of: Document, known: Sequence[Held]) -> None:
    """Text and settings side by side; a change of a setting runs only this."""
    with sentences():
        text, form = st.columns([2.4, 1], gap="medium")
        with form:
            config = settings_form(share.config())
            share.keep_config(config)
            measured = measure(of, config)
            boundaries = measured.boundaries(config.chunk) if measured else None
            if boundaries:
                size_strip(of, requested=config.chunk.size, unit=config.chunk.unit.value)
                achieved_facts(boundaries, config.chunk)
                index_fact(known, config)
        with text:
            if measured and boundaries:
                read(of, measured, boundaries, config)
            else:
                viewer(of, None, key="chunks.viewer", height=HEIGHT)
    share.write_address()


def measure(of: Document, config: Config) -> Chunker | None:
    """The document ready for cutting; None, and the field to mend it, where the model that counts its tokens is not at hand."""
    try:
        return chunker(of, config.embedding)
    except ModelError as error:
        others = {setting.key for setting in settings()} - {"embedding.model"}
        mended = settings_form(config, ("embedding",), key="chunks.model", hide=others)
        st.caption(f":red[{plain(str(error))}]")
        if mended != config:
            share.keep_config(mended)
            st.rerun()
        return None


def read(of: Document, measured: Chunker, boundaries: Boundaries, config: Config) -> None:
    """The text with its chunks, and the one that is picked."""
    goto = linked(of, boundaries)
    picked = viewer(of, chunk_bands(of, boundaries), key="chunks.viewer", height=HEIGHT, goto=goto)
    for warning in boundaries.warnings:
        st.caption(f"⚠ {plain(warning)}")
    details(measured, boundaries, config, picked.index)
    share.keep_view(chunk=picked.index)


def linked(of: Document, boundaries: Boundaries) -> Goto | None:
    """Where the viewer begins when the user comes here, from a link or from another page: at the chunk that the view names."""
    number = share.view("chunk") or ""
    if st.session_state.get(_JUMPED, (None,))[0] != arrival():
        found = number.isdecimal() and len(number) < 10 and int(number) < len(boundaries)
        start = int(boundaries.starts[int(number)]) if found else None
        st.session_state[_JUMPED] = (arrival(), of.doc_id, start)
        st.session_state[_AT] = start
    _, doc_id, start = st.session_state[_JUMPED]
    return Goto(start, nonce=arrival()) if start is not None and doc_id == of.doc_id else None


def details(measured: Chunker, boundaries: Boundaries, config: Config, picked: int | None) -> None:
    """The chunk that is picked; the sizes of all, drawn only where somebody looks."""
    one, sizes = st.tabs(["The chunk", "All sizes"], key="chunks.details", on_change="rerun")
    with one:
        if picked is None:
            st.caption("Click a chunk in the text to see every field of it. In the text, the arrow keys move from chunk to chunk.")
        else:
            chunk_card(measured.chunk(config.chunk, picked))
    if sizes.open:
        with sizes:
            size_chart(boundaries, config.chunk)


def page() -> None:
    """The page from top to bottom."""
    rows = {row.doc_id: row for row in workspace().documents()}
    if not rows:
        st.header("Chunks", anchor=False)
        st.info("There is nothing to cut yet. Add a document, or load the samples, on the Documents page.")
        st.page_link("pages/documents.py", label="Go to Documents")
        return
    title, pick = st.columns([1, 4], vertical_alignment="bottom", gap="medium")
    title.header("Chunks", anchor=False)
    with pick:
        of = choose(rows)
    deliver_text(of)
    left, right = st.columns([1, 4], gap="medium")
    with left:
        outline(of, height=HEIGHT)
    with right:
        live(of, held(workspace(), of.doc_id))


show(page)
