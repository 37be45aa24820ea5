"""Outline, page and text of one document side by side, as on the Documents page."""

from __future__ import annotations

import streamlit as st

from chunking.model import Document
from components.chunks.outline import outline
from components.documents.page_view import deliver_pages, page_view
from components.kit.browser import deliver_code
from components.kit.viewer import TextMark, ViewLayers, ViewMarks, block_bands, deliver_text, stored_bands, viewer
from tests.components.apps.made_pages import calls, draw, paged_document
from tests.components.apps.made_search_result import result_chunk

st.set_page_config(layout="wide")
deliver_code()
case = st.query_params.get("case", "blocks")
document = paged_document()


@st.fragment
def text(of: Document) -> None:
    """The text with its blocks; in the case `hits` with a hit and its neighbour."""
    if case == "hits":
        starts = [block.start for block in of.blocks]
        spans = [(starts[2], of.blocks[4].end), (starts[5], of.blocks[7].end)]
        chunks = [
            result_chunk("paged", n, of.title, (), "paragraph", of.text[start:end], start)
            for n, (start, end) in enumerate(spans)
        ]
        marks = ViewMarks(
            hits=[TextMark(chunks[0].start, chunks[0].end, "1")], neighbours=[TextMark(chunks[1].start, chunks[1].end)]
        )
        picked = viewer(of, stored_bands(of, chunks), height=600, layers=ViewLayers(marks))
    else:
        picked = viewer(of, block_bands(of), height=600)
    st.write("picked:", picked.index, "at:", picked.at)


def main() -> None:
    """The page."""
    deliver_text(document)
    deliver_pages(document)
    left, middle, right = st.columns([1, 2, 2])
    with left:
        outline(document, height=600, counts=False)
        st.button("run again")
    with middle:
        page_view(document, None if case == "bare" else draw, file="f", height=600)
    with right:
        text(document)
    st.write("drawn:", str(calls))


def other() -> None:
    """Somewhere else, to come back from."""
    st.write("another page")


st.navigation(
    [st.Page(main, title="Pages", default=True), st.Page(other, title="Other", url_path="other")], position="top"
).run()
