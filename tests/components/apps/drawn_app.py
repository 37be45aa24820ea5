"""A viewer and an outline over text that is drawn as what it is: code, tables, words from right to left.
`?case=fields`: a CSV file; `?case=pictures`: emphasis over line ends, and pictures.
"""

from __future__ import annotations

import re

import streamlit as st

from chunking.config import Unit
from components.chunks.outline import outline
from components.kit.browser import deliver_code
from components.kit.viewer import (
    TextMark,
    ViewActions,
    ViewLayers,
    ViewMarks,
    chunk_bands,
    deliver_text,
    size_strip,
    viewer,
)
from tests.components.apps.made_documents import drawn_document, fields_document, pictures_document, spans

st.set_page_config(layout="wide")
deliver_code()
fields = st.query_params.get("case") == "fields"
pictures = st.query_params.get("case") == "pictures"
document = fields_document() if fields else pictures_document() if pictures else drawn_document()
deliver_text(document)
boundaries = spans(document, 150, 0)
left, right = st.columns([1, 4])
with left:
    outline(document, height=300)
    size_strip(document, requested=150, unit=Unit.CHARACTERS.value)
with right:
    viewer(
        document,
        chunk_bands(document, boundaries),
        height=600 if fields else 1600,
        layers=ViewLayers(
            ViewMarks(
                highlights=[TextMark(word.start(), word.end()) for word in re.finditer("Elm|Wren", document.text)]
            ),
            prefixes=st.query_params.get("prefixes") == "yes",
        ),
        actions=ViewActions(on_ask=lambda start, end: st.session_state.update(asked=(start, end))),
    )
    st.write("asked:", st.session_state.get("asked"))
