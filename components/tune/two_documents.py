"""A question in two runs: the document twice, the answer marked, and what each run returned of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.errors import NotFoundError
from chunking.evaluation import (
    COST,
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    Question,
    QuestionChange,
    Score,
    counted,
    metric_of,
)
from chunking.model import Document
from chunking.store import Workspace, document_labels
from components.evaluate.failure_causes import help_words
from components.kit.viewer import Goto, TextMark, ViewLayers, ViewMarks, deliver_text, result_bands, viewer
from components.kit.wording import plain, quantity
from components.session.workspace import document
from components.tune.sweep.sweep_results import Stand

__all__ = ["returned_first", "two_views"]

HEIGHT = 380
_SIGNS = ("●", "◆")
_COLOURS = ("blue", "violet")


def two_views(
    target: Workspace,
    change: QuestionChange,
    runs: tuple[EvaluationRun, EvaluationRun],
    labels: tuple[str, str],
    looked: Stand,
) -> None:
    """Both runs beside each other.

    Args:
        target: where the documents are.
        change: the question; its `b` is the first run's score, its `a` the second's.
        runs: the picked one and the other.
        labels: of both.
        looked: how many results count.
    """
    question = change.question
    with st.container(border=True, key="tune.question"):
        st.markdown(f"### {plain(question.text)}")
        answer = _answer(question)
        try:
            text = document(target, answer.doc_id)
        except NotFoundError as error:
            st.warning(plain(str(error)))
            return
        more = f", the first of {quantity(len(question.answers), 'answer')}" if len(question.answers) > 1 else ""
        st.caption(
            f"The gold answer is in **{plain(text.title)}** ({plain(text.source)}){more}, underlined in green below."
        )
        deliver_text(text, key="tune.text")
        sides = st.columns(2, gap="medium")
        scores, whys = (change.b, change.a), (change.why_b, change.why_a)
        for place, side in enumerate(sides):
            with side:
                answered = next(one for one in runs[place].answered if one.question_id == question.id)
                st.markdown(f":{_COLOURS[place]}[{_SIGNS[place]}] **{plain(labels[place])}**")
                st.markdown(_came(scores[place], returned_first(answered, looked)), width="content")
                why = whys[place]
                if why is not None and scores[place].whole < 1:
                    st.caption(
                        plain(why.sentence) + (f" Suggestion: **{plain(help_words(why.help))}**." if why.help else "")
                    )
                _view(text, question, answered, looked, key=f"tune.view.{place}")
                _elsewhere(target, text, returned_first(answered, looked))


def _answer(question: Question) -> AnswerSpan:
    return min(question.answers, key=lambda one: (one.doc_id, one.start))


def returned_first(answered: Answered, looked: Stand) -> Sequence[Found]:
    """The results that count."""
    return answered.found[: counted(answered.found, looked.measure)]


def _came(score: Score, found: Sequence[Found]) -> str:
    """What became of the question, in a line."""
    rank = round(1 / score.reciprocal_rank) if score.reciprocal_rank else None
    how = "✓ found" if score.whole >= 1 else f"◐ {score.recall:.0%} of the answer" if score.recall else "✗ not found"
    at = f", from result {rank} on" if rank else ""
    return (
        f"{how}{at} · {quantity(len(found), 'result')}, "
        f"{metric_of(COST).text(score.context_tokens).replace('tokens', 'context tokens')}"
    )


def _view(text: Document, question: Question, answered: Answered, looked: Stand, *, key: str) -> None:
    inside = [
        (rank, one) for rank, one in enumerate(returned_first(answered, looked), start=1) if one.doc_id == text.doc_id
    ]
    bands = result_bands(inside, labelled=True)
    answers = [one for one in question.answers if one.doc_id == text.doc_id]
    marks = ViewMarks(
        hits=[TextMark(int(start), int(end)) for start, end in zip(bands.starts, bands.ends, strict=True)],
        answers=[TextMark(one.start, one.end) for one in answers],
    )
    at = min(one.start for one in answers)
    viewer(
        text,
        bands,
        key=key,
        height=HEIGHT,
        goto=Goto(max(0, at - 200), f"{question.id}"),
        layers=ViewLayers(marks, prefixes=False),
    )


def _elsewhere(target: Workspace, text: Document, found: Sequence[Found]) -> None:
    """Results in other documents, by name."""
    labels = document_labels(target.documents())
    others = [(rank, one) for rank, one in enumerate(found, start=1) if one.doc_id != text.doc_id]
    named = [f"{rank} {plain(labels.get(one.doc_id, one.doc_id or 'a summary'))}" for rank, one in others]
    if named:
        st.caption(f"Elsewhere: {' · '.join(named)}")
    elif not found:
        st.caption("Nothing was returned.")
