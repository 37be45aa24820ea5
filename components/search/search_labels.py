"""Labels of searches: mark the answering sentence in a hit or document, or a hit as not relevant.

Queries are stored in the workspace's search history, from which Evaluate can make a labelling queue.
"""

from __future__ import annotations

import streamlit as st

from chunking.errors import ChunkscopeError, StoreError
from chunking.evaluation import (
    AnswerSpan,
    Judged,
    QueryLabel,
    QuestionSet,
    answer_span,
    judged_passage,
    question_of_query,
)
from chunking.model import Document, Span
from chunking.retrieval import SearchResult
from chunking.store import Right, Workspace
from components.chunks.new_question import OWN_SET
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.search.hits import HitLabel, HitVerdict, hit_label
from components.session.current_workspace import editing
from components.session.host import deployment
from components.session.questions.question_state import (
    ACROSS_SET,
    SAMPLE_SET,
    active_name,
    last_step,
    saved_labels,
    set_active,
    set_names,
    take_label,
    undo_step,
)
from components.session.workspace import document

__all__ = ["answers_in", "apply_labels", "labels_popover", "note_query", "select_answer"]

_SET, _SELECTED, _NOTED = "search.labels.set", "search.labels.selected", "search.labels.noted"
_SAID = "hits.said"
_PLACE = "search"
_READ = "search.labels.read"
_DONE = "search.labels.done"


def note_query(target: Workspace, query: str) -> None:
    """Add a query to the search history, unless it is the one that this session added last.

    If it cannot be stored, a caption says why.
    """
    if st.session_state.get(_NOTED) == (target.uri, query):
        return
    st.session_state[_NOTED] = (target.uri, query)
    try:
        short = deployment().quotas.shortage()  # each search writes a little, and nobody is asked for room
        if not short:
            target.search_history.add(query)
            return
    except StoreError as error:
        short = str(error)
    st.caption(f"⚠ This search is not in the search history: {plain(short)}")


def set_name() -> str:
    """Return the name of the set for labels: the chosen, else the active, else `OWN_SET`.

    The sample questions do not count as active.
    """
    chosen: str | None = st.session_state.get(_SET)
    active = active_name()
    return chosen or (active if active and active not in (SAMPLE_SET, ACROSS_SET) else OWN_SET)


def select_answer(query: str, doc_id: str, start: int, end: int) -> None:
    """Store in the session the text selected as the answer; `apply_labels` saves it."""
    st.session_state[_SELECTED] = (query, doc_id, start, end)


def answers_in(target: Workspace, query: str, of: Document) -> list[Span]:
    """Return the gold spans of a query in a document; spans whose text has changed are left out."""
    question = question_of_query(_labels(target, set_name()), query)
    spans = question.answers if question else ()
    return [
        Span(one.start, one.end)
        for one in spans
        if one.doc_id == of.doc_id and of.text[one.start : one.end] == one.text
    ]


def apply_labels(target: Workspace, result: SearchResult) -> dict[str, HitLabel]:
    """Save the label pending in the session, then return the sentences to label, by hit's chunk id.

    Empty for viewers without write access. If the label cannot be saved, it is dropped and the error drawn.
    """
    try:
        _apply(target, result)
    except ChunkscopeError as error:
        st.error(plain(str(error)))
    if done := st.session_state.pop(_DONE, ""):
        st.toast(done, icon=":material/check:")
    if not target.may(Right.WRITE):
        return {}
    question = question_of_query(_labels(target, set_name()), result.query)
    labels = {hit.chunk.chunk_id: hit_label(hit.chunk, question) for hit in result.results}
    return {name: one for name, one in labels.items() if one is not None}


def _apply(target: Workspace, result: SearchResult) -> None:
    said: HitVerdict | None = st.session_state.pop(_SAID, None)
    selected: tuple[str, str, int, int] | None = st.session_state.pop(_SELECTED, None)
    if selected is not None and selected[0] == result.query:
        of = document(target, selected[1])
        answer = answer_span(of, selected[2], selected[3])
        holding = [hit.chunk for hit in result.results if hit.chunk.content and hit.chunk.doc_id == of.doc_id]
        overlapping = [one for one in holding if one.start < answer.end and answer.start < one.end]
        judged = tuple(
            judged_passage(of, one.start, one.end) for one in overlapping if of.text[one.start : one.end] == one.content
        )
        _take(target, result.query, QueryLabel((answer,), judged), of)
    hit = next((hit for hit in result.results if said is not None and hit.chunk.chunk_id == said.hit), None)
    if said is None or hit is None:
        return
    of, chunk = document(target, hit.chunk.doc_id), hit.chunk
    if of.text[chunk.start : chunk.end] != chunk.content:
        st.warning("This document has changed since the index was built. Build the index again, then label its hits.")
        return
    passage: Judged = judged_passage(of, chunk.start, chunk.end)
    answers: tuple[AnswerSpan, ...] = ()
    if said.sentence is not None:
        label = hit_label(chunk, None)
        assert label is not None
        span = label.sentences[said.sentence]
        answers = (answer_span(of, span.start, span.end),)
    _take(target, result.query, QueryLabel(answers, (passage,)), of)


def _take(target: Workspace, query: str, label: QueryLabel, of: Document) -> None:
    name = set_name()
    kept = take_label(target, _PLACE, name, query, label, language=of.language)
    if active_name() is None:
        set_active(kept.name)
    what = "Answer saved" if label.answers else "Saved as not relevant"
    st.session_state[_DONE] = f"{what} in “{plain(kept.name)}”."


def labels_popover(target: Workspace, query: str) -> None:
    """Draw Undo, the numbers of the query's labels, and a popover with answers and choice of set.

    Undo is offered after a label in this session. Draws nothing without write access.
    """
    if not target.may(Right.WRITE):
        return
    name = set_name()
    question = question_of_query(_labels(target, name), query)
    answers = len(question.answers) if question else 0
    dismissed = sum(not one.relevant for one in question.judged) if question else 0
    words = [quantity(answers, "answer")] * bool(answers) + [f"{dismissed:,} not relevant"] * bool(dismissed)
    step = last_step(target, _PLACE)
    if step is not None and button(
        "Undo", key="search.labels.undo", type="tertiary", **editing(help="Undo the last label.")
    ):
        try:
            undo_step(target, step)
            st.session_state[_DONE] = "The last label was undone."
        except ChunkscopeError as error:
            st.session_state[_DONE] = plain(str(error))
        st.rerun()
    if words:
        st.caption(", ".join(words), width="content")
    popover = st.popover(
        "Labels", type="tertiary", key="search.labels", on_change="rerun"
    )  # one of another label would be closed again
    if not popover.open:
        return
    with popover:
        st.caption(
            "Turn this search into a question: open *Mark the answer* on a hit and click the sentence, or "
            "select the answer in the document. *Not relevant* judges a hit. The query and its labels go to "
            "a question set."
        )
        names = list(dict.fromkeys([name, *set_names(), OWN_SET]))
        st.session_state[f"{_SET}.field"] = name
        st.selectbox("Question set", names, key=f"{_SET}.field", accept_new_options=True, on_change=_choose)
        if question is not None:
            for one in question.answers:
                st.caption(f"✓ {plain(' '.join(one.text.split())[:200])}")


def _choose() -> None:
    st.session_state[_SET] = " ".join(str(st.session_state[f"{_SET}.field"] or OWN_SET).split()) or OWN_SET


def _labels(target: Workspace, name: str) -> QuestionSet:
    """Return the label set, read once per version and kept in the session.

    A cache shared by the server would have too few entries for all users.
    """
    version = (target.uri, name, target.question_sets.version)
    kept: tuple[object, QuestionSet] | None = st.session_state.get(_READ)
    if kept is None or kept[0] != version:
        kept = st.session_state[_READ] = (version, saved_labels(target, name))
    return kept[1]
