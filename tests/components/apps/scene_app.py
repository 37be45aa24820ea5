"""A page with every component of a document on it; `spans` cuts it, so that a test knows each boundary beforehand."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config, Unit
from chunking.model import Document
from chunking.splitting import compare_boundaries, new_text
from components.chunks.outline import outline
from components.kit.browser import deliver_code
from components.kit.settings_form import settings_form
from components.kit.viewer import (
    Bands,
    Goto,
    OtherChunks,
    TextMark,
    ViewActions,
    ViewLayers,
    ViewMarks,
    answer_spans,
    chunk_bands,
    deliver_answers,
    deliver_other_chunks,
    deliver_text,
    letters,
    size_strip,
    viewer,
)
from tests.components.apps.made_documents import (
    guessed_document,
    long_document,
    question_set,
    scene_document,
    spans,
    states,
)

st.set_page_config(layout="wide")
deliver_code()
long = st.query_params.get("case") == "long"
cases = {"long": long_document, "guessed": guessed_document}
document = cases.get(st.query_params.get("case", ""), scene_document)()


def workbench() -> None:
    """Outline, settings and text, as on the Chunks page."""
    deliver_text(document)
    deliver_answers(answer_spans(document, question_set(document)))
    deliver_other_chunks(other_way(document))
    left, right = st.columns([1, 4])
    with left:
        clicked = outline(document, height=500)
        st.write("section:", clicked)
        st.button("run again")
    with right:
        live()


def other_way(of: Document) -> OtherChunks:
    """Every 200 characters, each beginning 20 before the end of the one before."""
    cut = spans(of, 200, 20)
    return OtherChunks(cut.starts, cut.ends, new_text(of.text, cut), cut.tokens)


def scene_marks(bands: Bands) -> ViewMarks:
    """Chunk 1 is a hit with an answer in it, chunk 2 its neighbour; a word of the title is highlighted."""
    starts, ends = bands.starts.tolist(), bands.ends.tolist()
    return ViewMarks(
        hits=[TextMark(starts[1], ends[1], "1")],
        neighbours=[(starts[2], ends[2])],
        highlights=[(2, 6)],
        answers=[(starts[1] + 5, starts[1] + 20)],
    )


@st.fragment
def live() -> None:
    """What a slider moves."""
    form, text = st.columns([1, 3])
    with form:
        config = settings_form(
            st.session_state.get("config", Config.from_settings({"unit": Unit.CHARACTERS, "size": 120, "overlap": 30}))
        )
        st.session_state["config"] = config
        prefixes = st.toggle("show prefixes", value=True)
        marked = st.toggle("show marks")
        answered = st.toggle("show answers")
        compared = st.toggle("show another way of splitting")
        jump = st.button("jump to the end")
        if st.button("back to the defaults"):
            st.session_state["config"] = Config()
            st.rerun(scope="fragment")
        size_strip(document, requested=config.chunk.size, unit=config.chunk.unit.value)
    boundaries = spans(document, config.chunk.size, config.chunk.overlap_amount)
    bands = chunk_bands(document, boundaries)
    if jump:
        st.session_state["jumps"] = st.session_state.get("jumps", 0) + 1
    goto = Goto(len(document.text) - 5, st.session_state["jumps"], pick=True) if "jumps" in st.session_state else None
    questions = question_set(document)
    other = other_way(document)
    comparison = compare_boundaries(new_text(document.text, boundaries), other.begins)
    with text:
        picked = viewer(
            document,
            bands,
            height=500 if long else 3000,
            goto=goto,
            layers=ViewLayers(
                scene_marks(bands) if marked else None,
                prefixes=prefixes,
                answers=(answer_spans(document, questions), letters(states(document, boundaries, questions)))
                if answered
                else None,
                other=(other, comparison, letters(states(document, other, questions)) if answered else "")
                if compared
                else None,
            ),
            actions=ViewActions(on_ask=lambda start, end: st.session_state.update(asked=(start, end))),
        )
        st.write("asked:", st.session_state.get("asked"))
        st.write(
            "size:", config.chunk.size, "overlap:", config.chunk.overlap, "picked:", picked.index, "at:", picked.at
        )


def other() -> None:
    """Somewhere else, to come back from."""
    st.write("another page")


st.navigation(
    [st.Page(workbench, title="Workbench", default=True), st.Page(other, title="Other", url_path="other")],
    position="top",
).run()
