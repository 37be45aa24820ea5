"""Answer tab: a language model's answer with checked citations, next to the cited passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any, NamedTuple

import streamlit as st

from chunking.errors import Cancelled, ChunkscopeError
from chunking.llm import Client, Endpoint
from chunking.llm.endpoints import endpoint
from chunking.model import Document, Span
from chunking.retrieval import SearchResult
from chunking.retrieval.answers.answer import CheckedSentence, GeneratedAnswer, stream_answer
from chunking.retrieval.answers.citation_check import Support
from chunking.retrieval.results.search_result import ContextSource
from chunking.store import Workspace
from components.kit.browser import component
from components.kit.button import button
from components.kit.viewer import Goto, TextMark, ViewLayers, ViewMarks, deliver_text, viewer
from components.kit.wording import plain, quantity
from components.search.hit_reader import beside_page
from components.session.endpoint_status import endpoint_status, server_name
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import document

__all__ = ["answer_panel"]

POLL = 0.4
"""Seconds between updates of a running answer."""
_answer = component("answer")
_RUN, _OPENED, _CLICKED = "answer.run", "answer.opened", "answer.clicked"
_HEADER_HEIGHT = 20
"""Pixels around the sentences next to the document."""
_HOW = (
    "Only the question and the passages of the Context tab are sent to this server. Each sentence of the answer "
    "is then compared with the passages it cites: their numbers, quotes and words. A sentence that this cannot "
    "settle is “not checked”. The check does not know who does what to whom, so read the passage."
)

_SIGNS: dict[Support, tuple[str, str]] = {
    Support.SUPPORTED: ("✓", ""),
    Support.UNSUPPORTED: ("▲", Support.UNSUPPORTED.value),
    Support.UNCHECKED: ("?", Support.UNCHECKED.value),
    Support.UNCITED: ("○", Support.UNCITED.value),
}
"""Sign behind a sentence and the words next to it; supported sentences have the sign only."""
_BROKEN_OFF = "It broke off and was not checked."


class OpenCitation(NamedTuple):
    """The citation whose passage is shown: a sentence of the answer and a passage number."""

    sentence: int
    """Number of the sentence in the answer."""
    number: int
    """Number of the passage."""
    turn: int
    """Increases with each click."""


def answer_panel(target: Workspace, result: SearchResult, request: object, *, height: int) -> None:
    """Draw the button that asks the language model, its answer, and the cited passage.

    Nothing is sent before a click. Without a model or a passage, a hint is drawn.

    Args:
        target: workspace of the documents.
        result: the search.
        request: query and settings; an answer to another request is stopped and dropped.
        height: height of answer and document, in pixels.
    """
    name = server_name("llm")
    if not name:
        st.markdown(
            "**An answer needs a language model.** It is based only on the passages of the Context tab, with citations."
        )
        endpoint_status("llm", needed=False)
        return
    if not result.context.sources:
        st.info("No passage fits the budget. Raise it on the Context tab, or use smaller chunks.")
        return
    run = _run_of((request, name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer.top"):
        run = _asking(result, (request, name), name, run)
    if run is None:
        return
    left, right = st.columns([2, 3.4], gap="medium")
    with left:
        (_coming if run.running else _sentences)(run, result, height)
    citation = _cited_passage(run, result)
    with right:
        if citation is None:
            st.caption("A citation opens here, at its place in its document.")
        else:
            source, span, nonce = citation
            cited_document(
                target, result.context.sources, source, span, nonce=nonce, height=height, key="answer.viewer"
            )


def _run_of(request: object) -> AnswerRun | None:
    """Return the answer to this request; stop and drop an answer to another one."""
    run: AnswerRun | None = st.session_state.get(_RUN)
    if run is not None and run.request != request:
        run.stop()
        for key in (_RUN, _OPENED):
            st.session_state.pop(key, None)
        return None
    return run


def _asking(result: SearchResult, request: object, name: str, run: AnswerRun | None) -> AnswerRun | None:
    """Draw the button (Answer, Stop, Answer again), and return the answer in progress."""
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
        about=request,
    ):
        server = endpoint("llm")
        assert server is not None
        st.session_state.pop(_OPENED, None)
        st.session_state[_RUN] = AnswerRun(request, result, server)
        st.rerun()
    st.caption(
        f"Sends the question and {quantity(result.context.tokens, 'token')} of context to {plain(name)}.",
        help=_HOW,
        width="content",
    )
    return run


@fragment(run_every=POLL)
def _coming(run: AnswerRun, result: SearchResult, height: int) -> None:
    """Draw the sentences so far; rerun the page at the end or after a click on a citation."""
    with sentences():
        _sentences(run, result, height)
        if st.session_state.pop(_CLICKED, False) or not run.running:
            st.rerun()


def _sentences(run: AnswerRun, result: SearchResult, height: int) -> None:
    answer = run.answer

    def open_citation(said: Any) -> None:
        place, number = (said.get(name) for name in ("sentence", "number")) if isinstance(said, dict) else (None, None)
        if isinstance(place, int) and isinstance(number, int):
            last: OpenCitation | None = st.session_state.get(_OPENED)
            st.session_state[_OPENED] = OpenCitation(place, number, last.turn + 1 if last else 1)
            st.session_state[_CLICKED] = True

    if run.error:
        st.error(plain(run.error))
    said: OpenCitation | None = st.session_state.get(_OPENED)
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


def _cited_passage(run: AnswerRun, result: SearchResult) -> tuple[ContextSource, Span | None, str] | None:
    """Return (passage, cited span, scroll nonce) of the clicked citation, else of the first one."""
    rows = run.answer.sentences
    said: OpenCitation | None = st.session_state.get(_OPENED)
    if said is None and not run.running:
        numbers = {source.number for source in result.context.sources}
        cited = (
            (place, number) for place, one in enumerate(rows) for number in one.sentence.numbers if number in numbers
        )
        first = next(cited, None)
        said = st.session_state[_OPENED] = OpenCitation(*first, 0) if first else None
    if said is None or said.sentence >= len(rows):
        return None
    source = next((one for one in result.context.sources if one.number == said.number), None)
    if source is None:
        return None
    check = rows[said.sentence].check
    span = check.places.get(said.number) if check is not None else None
    return source, span, f"{result.query}/{said}"


def answer_rows(
    sentences: Sequence[CheckedSentence], sources: Sequence[ContextSource], *, running: bool
) -> dict[str, Any]:
    """Convert an answer's sentences with their checks to data for the browser.

    Args:
        running: True if more may come; if False, an unchecked last sentence was cut off.
    Returns:
        JSON: `rows` (text, citations, sign, reason of each sentence) and `summary`.
    """
    by_number = {source.number: source for source in sources}
    rows = [_row(one, by_number, running) for one in sentences]
    counted = Counter(one.check.support for one in sentences if one.check is not None)
    said = [f"{_SIGNS[kind][0]} {counted[kind]} {kind.value}" for kind in Support if counted[kind]]
    return {"rows": rows, "summary": " · ".join([quantity(len(rows), "sentence"), *said]) if rows else ""}


def _row(one: CheckedSentence, by_number: dict[int, ContextSource], running: bool) -> dict[str, Any]:
    check = one.check
    kind = check.support if check is not None else None if running else Support.UNCHECKED
    sign, words = _SIGNS[kind] if kind is not None else ("", "")
    return {
        "text": one.sentence.text,
        "line": one.sentence.new_line,
        "cites": [
            {
                "number": number,
                "title": by_number[number].citation if number in by_number else "",
                "known": number in by_number,
            }
            for number in one.sentence.numbers
        ],
        "kind": kind.name.lower() if kind is not None else "coming",
        "sign": sign,
        "words": words,
        "reason": check.reason if check is not None else "" if running else _BROKEN_OFF,
    }


class AnswerRun:
    """A streamed answer: constructing it asks the model in a new thread; any thread may read it.

    Attributes:
        request: the search and the server.
        answer: the answer so far.
        error: sentence to show after a failure; the answer so far stays.
        stopped: True if the user stopped it.
    """

    def __init__(
        self, request: object, result: SearchResult, server: Endpoint, *, client: Callable[..., Client] = Client
    ) -> None:
        self.request = request
        self.answer = GeneratedAnswer("", (), done=False)
        self.error = ""
        self._ended = False
        self._stop = Event()
        self._result, self._client = result, client(server, cancelled=self._stop.is_set)
        self._thread = Thread(target=self._run, name="answer", daemon=True)
        self._thread.start()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        """True until the answer is complete, has failed or is stopped."""
        return not (self._ended or self.stopped)

    def stop(self) -> None:
        """Stop the answer and keep what has arrived; the request ends at its next text."""
        if not self._ended:
            self._stop.set()

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended, at most this many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            for answer in stream_answer(self._result, self._client):
                if self.stopped:
                    return
                self.answer = answer
        except Cancelled:
            return
        except ChunkscopeError as error:
            self.error = str(error)
        finally:
            self._ended = True


def cited_document(
    target: Workspace,
    sources: Sequence[ContextSource],
    cited: ContextSource,
    span: Span | None,
    *,
    nonce: str,
    height: int,
    key: str,
) -> None:
    """Draw a passage in its document, next to its page if there are pages; a summary as text.

    Args:
        sources: all passages of the context; those in this document are marked.
        cited: passage to show.
        span: cited sentences, in characters of the document; None if nothing matches.
        nonce: a new value scrolls to the passage.
        height: in pixels.
        key: key of the viewer.
    """
    if not cited.doc_id:
        st.markdown(f"**\\[{cited.number}\\] Summary of similar chunks**")
        st.text(cited.text)
        return
    text = document(target, cited.doc_id)
    st.markdown(f"**\\[{cited.number}\\] {plain(text.title)}** :small[:gray[{plain(text.source)}]]")
    intact = [source for source in sources if source.doc_id == cited.doc_id and _stands(text, source)]
    if cited not in intact and len(cited.text) == cited.end - cited.start:
        st.warning(
            "This document has changed since the index was built; the passage is no longer where it was. "
            "Build the index again."
        )
    at = span.start if span is not None and cited in intact else cited.start
    marks = ViewMarks(
        hits=[
            TextMark(source.start, source.end, str(source.number)) for source in intact if source.number == cited.number
        ],
        neighbours=[TextMark(source.start, source.end) for source in intact if source.number != cited.number],
        highlights=[TextMark(*span)] if span is not None and cited in intact else [],
    )
    deliver_text(text)
    with beside_page(target, text, at, height, key=f"{key}.pages"):
        viewer(
            text,
            None,
            key=key,
            height=height,
            goto=Goto(min(at, len(text.text)), nonce),
            layers=ViewLayers(marks, prefixes=False),
        )


def _stands(text: Document, source: ContextSource) -> bool:
    """True if the document still has the passage at its offsets, white space aside."""
    return text.text[source.start : source.end].split() == source.text.split()
