"""Page for benchmarks/viewer.py: settings and bands, drawn by the viewer or as spans in `st.html`."""

from __future__ import annotations

import html
from itertools import pairwise

import streamlit as st

from benchmarks.long_document import long_document
from chunking.config import Config
from chunking.embedding.model_folder import find_model
from chunking.model import Document
from chunking.splitting import Boundaries, Chunker, compare_boundaries, new_text, token_counter
from components.kit.browser import deliver_code
from components.kit.settings_form import draw_form, read_form
from components.kit.viewer import OtherChunks, ViewLayers, chunk_bands, deliver_other_chunks, deliver_text, viewer
from components.session.page.run_order import awaited, give_way

TINTS = ("#eef1fe", "#faf3e6", "repeating-linear-gradient(-45deg, #eef1fe 0 5px, #e3d3b5 5px 10px)")


@st.cache_resource
def measured() -> Chunker:
    """Return the splitter of the long document."""
    model = find_model(Config().embedding.model)
    return Chunker(long_document(), token_counter(model.path), max_tokens=model.content_tokens)


def as_spans(document: Document, boundaries: Boundaries, size: int) -> str:
    """Return the bands as plain HTML: every character in a styled span."""
    starts, ends = boundaries.starts.tolist(), boundaries.ends.tolist()
    seams = sorted({0, len(document.text), *starts, *ends})
    first = last = 0
    spans = []
    for start, end in pairwise(seams):
        while last < len(starts) and starts[last] <= start:
            last += 1
        while first < len(ends) and ends[first] <= start:
            first += 1
        tint = "none" if first >= last else TINTS[2] if last - first > 1 else TINTS[last % 2]
        spans.append(f'<span style="background:{tint}">{html.escape(document.text[start:end])}</span>')
    return (
        f'<div class="spans" style="white-space:pre-wrap;height:640px;overflow:auto"><i '
        f'class="size{size}"></i>{"".join(spans)}</div>'
    )


def compared() -> OtherChunks | None:
    """Return the chunks to compare with (512/50, recursive) if the address requests them."""
    return _other() if st.query_params.get("way") == "compared" else None


@st.cache_resource
def _other() -> OtherChunks:
    chunker = measured()
    boundaries = chunker.boundaries(
        Config.from_settings({"strategy": "recursive", "size": 512, "overlap": 50, "prefix": "none"}).chunk
    )
    return OtherChunks(
        boundaries.starts, boundaries.ends, new_text(chunker.document.text, boundaries), boundaries.tokens
    )


@st.fragment
def live() -> None:
    """Draw text and form in the order of the page Chunks."""
    form = read_form(st.session_state.get("config", Config()))
    st.session_state["config"] = form.config
    text, fields = st.container(), st.container()
    with awaited(), text:
        draw_text(form.config)
        give_way()
        with fields:
            draw_form(form)


def draw_text(config: Config) -> None:
    """Draw the text with its boundaries, by the viewer or as spans."""
    chunker = measured()
    boundaries = chunker.boundaries(config.chunk)
    if st.query_params.get("way") == "spans":
        st.html(as_spans(chunker.document, boundaries, config.chunk.size))
    else:
        other = compared()
        comparison = compare_boundaries(new_text(chunker.document.text, boundaries), other.begins) if other else None
        viewer(
            chunker.document,
            chunk_bands(chunker.document, boundaries),
            layers=ViewLayers(other=(other, comparison, "") if other and comparison else None),
        )


st.set_page_config(layout="wide")
deliver_code()
deliver_text(measured().document)
if (shown := compared()) is not None:
    deliver_other_chunks(shown)
live()
