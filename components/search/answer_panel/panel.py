"""The Answer tab, as Streamlit sees it: the button that asks, the sentences as they come, and the cited passage beside
them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from chunking.llm.endpoints import endpoint
from chunking.model import Span
from chunking.retrieval import SearchResult
from chunking.retrieval.results.search_result import ContextSource
from chunking.store import Workspace
from components.kit.browser import component
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.search.answer_panel.answer_rows import answer_rows
from components.search.answer_panel.answer_run import AnswerRun
from components.search.answer_panel.cited_document import cited_document
from components.session.endpoint_status import endpoint_status, server_name
from components.session.page.page_frame import fragment, sentences

__all__ = ["answer_panel"]

POLL = 0.4
"""Seconds between two looks at an answer that is coming."""
_answer = component("answer")
_RUN, _OPENED, _CLICKED = "answer.run", "answer.opened", "answer.clicked"
_HEADER_HEIGHT = 20
"""What stands around the sentences beside the document, in pixels."""
_HOW = (
    "Only the question and the passages of the Context tab are sent to this server. Each sentence of the answer is "
    "then compared with the passages it cites: their numbers, quotes and words. A sentence that this cannot decide is "
    "“not checked”. The check cannot see who does what to whom, so read the passage."
)


class Cited(NamedTuple):
    """The citation that is open."""

    sentence: int
    """Its place in the answer."""
    number: int
    """Of the passage."""
    turn: int
    """Grows with each click."""


def answer_panel(target: Workspace, result: SearchResult, asked: object, *, height: int) -> None:
    """An answer to the search's query from its context. Nothing is sent before a click.

    Args:
        target: where the documents are.
        result: the search.
        asked: what was searched, and how: an answer to something else is not shown.
        height: of answer and document, in pixels.
    """
    name = server_name("llm")
    if not name:
        st.markdown(
            "**An answer needs a language model.** It is based only on the passages of the Context tab, with citations."
        )
        endpoint_status("llm", wanted=False)
        return
    if not result.context.sources:
        st.info("No passage fits the budget. Raise it on the Context tab, or use smaller chunks.")
        return
    run = _run_of((asked, name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer.top"):
        run = _asking(result, (asked, name), name, run)
    if run is None:
        return
    left, right = st.columns([2, 3.4], gap="medium")
    with left:
        (_coming if run.running else _sentences)(run, result, height)
    opened = _opened(run, result)
    with right:
        if opened is None:
            st.caption("A citation opens here, at its place in its document.")
        else:
            source, span, nonce = opened
            cited_document(
                target, result.context.sources, source, span, nonce=nonce, height=height, key="answer.viewer"
            )


def _run_of(asked: object) -> AnswerRun | None:
    """The answer to this search by this server; one to another is stopped."""
    run: AnswerRun | None = st.session_state.get(_RUN)
    if run is not None and run.asked != asked:
        run.stop()
        for key in (_RUN, _OPENED):
            st.session_state.pop(key, None)
        return None
    return run


def _asking(result: SearchResult, asked: object, name: str, run: AnswerRun | None) -> AnswerRun | None:
    """The button: Answer, then Stop, then Answer again."""
    if run is not None and run.running:
        if button("Stop", key="answer.stop", help="The answer so far stays."):
            run.stop()
            st.rerun()
        st.caption(f"{plain(name)} is writing …", width="content")
        return run
    if button(
        "Answer" if run is None else "Answer again",
        key="answer.go",
        type="primary" if run is None else "secondary",
        about=asked,
    ):
        server = endpoint("llm")
        assert server is not None
        st.session_state.pop(_OPENED, None)
        st.session_state[_RUN] = AnswerRun(asked, result, server)
        st.rerun()
    st.caption(
        f"Sends the question and {quantity(result.context.tokens, 'token')} of context to {plain(name)}.",
        help=_HOW,
        width="content",
    )
    return run


@fragment(run_every=POLL)
def _coming(run: AnswerRun, result: SearchResult, height: int) -> None:
    """The sentences so far; the page runs when there are no more to come, or a citation was clicked."""
    with sentences():
        _sentences(run, result, height)
        if st.session_state.pop(_CLICKED, False) or not run.running:
            st.rerun()


def _sentences(run: AnswerRun, result: SearchResult, height: int) -> None:
    answer = run.answer

    def open_citation(said: Any) -> None:
        place, number = (said.get(name) for name in ("sentence", "number")) if isinstance(said, dict) else (None, None)
        if isinstance(place, int) and isinstance(number, int):
            last: Cited | None = st.session_state.get(_OPENED)
            st.session_state[_OPENED] = Cited(place, number, last.turn + 1 if last else 1)
            st.session_state[_CLICKED] = True

    if run.error:
        st.error(plain(run.error))
    said: Cited | None = st.session_state.get(_OPENED)
    data = answer_rows(answer.sentences, result.context.sources, running=run.running)
    ends = [
        "Stopped: the answer so far." if run.stopped and not answer.done else "",
        "The answer reached the length limit and was cut." if answer.cut else "",
    ]
    data |= {
        "opened": [said.sentence, said.number] if said else None,
        "running": run.running,
        "note": " ".join(filter(None, ends)),
        "height": height - _HEADER_HEIGHT,
    }
    _answer(key="answer", data=data, on={"open": open_citation})


def _opened(run: AnswerRun, result: SearchResult) -> tuple[ContextSource, Span | None, str] | None:
    """The passage that is open, the span in it, and what scrolls there: what was clicked, else the first citation of a
    whole answer.
    """
    rows = run.answer.sentences
    said: Cited | None = st.session_state.get(_OPENED)
    if said is None and not run.running:
        known = {source.number for source in result.context.sources}
        cited = (
            (place, number) for place, one in enumerate(rows) for number in one.sentence.numbers if number in known
        )
        first = next(cited, None)
        said = st.session_state[_OPENED] = Cited(*first, 0) if first else None
    if said is None or said.sentence >= len(rows):
        return None
    source = next((one for one in result.context.sources if one.number == said.number), None)
    if source is None:
        return None
    check = rows[said.sentence].check
    span = check.places.get(said.number) if check is not None else None
    return source, span, f"{result.query}/{said}"
