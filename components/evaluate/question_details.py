"""Details of a question of a run: gold answer, ranked results and cause of failure in its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from chunking.errors import NotFoundError
from chunking.evaluation import (
    CAUSES,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Measure,
    QuestionSet,
    counted,
)
from chunking.model import Document
from chunking.store import Workspace, distinct_labels
from components.evaluate.failure_causes import help_words, use_help
from components.evaluate.questions.question_outcomes import QuestionRow
from components.kit.pick_table import pick_row
from components.kit.viewer import Goto, TextMark, ViewLayers, ViewMarks, deliver_text, result_bands, viewer
from components.kit.wording import plain
from components.session.workspace import document

__all__ = ["draw_question"]

_LEGS = {"vector": "vector", "text": "full text"}
_RANK_CAUSES = (Cause.RANKED_BELOW, Cause.CUT_OFF)
"""Causes whose sentence already names the ranks."""

_HIGH = 520
"""Pixels of the document text."""

_BEGIN = 90
"""Characters of a result shown in the list."""
_MOST, _LIST_HEIGHT = 14, 520
"""Most results listed without scrolling, and the height of a longer list in pixels."""


def draw_question(
    target: Workspace, row: QuestionRow, measure: Measure, run: EvaluationRun, questions: QuestionSet, *, key: str
) -> None:
    """Draw a question, its cause of failure, its ranked results, and the picked result's document.

    Args:
        target: where the documents are.
        row: the question.
        measure: which results count.
        run: run of the question.
        questions: question set of the run.
        key: widget key of the run and the question.
    """
    st.header(plain(row.question.text), anchor=False)
    _why(target, row, run, questions, key)
    lines = result_rows(row, measure)
    left, right = st.columns([1, 1.5], gap="medium")
    with left:
        picked = ranking(target, row.question.answers[0], lines, key)
    with right:
        answer_reader(target, row, lines, picked, measure, key)


def _why(target: Workspace, row: QuestionRow, run: EvaluationRun, questions: QuestionSet, key: str) -> None:
    why = row.answered.diagnosis
    if row.complete:
        st.success("The whole answer was found.", icon=":material/check_circle:")
        return
    if why is None:
        st.info(
            "The settings find the whole answer, but not within the evaluated results."
            if row.cause
            else "The answer was not fully found."
        )
        return
    st.info(f"**{CAUSES[why.cause].label}.** {plain(why.sentence)}", icon=":material/troubleshoot:")
    ranks = _ranks(why)
    if ranks or why.help:
        with st.container(horizontal=True, vertical_alignment="center"):
            if ranks:
                st.caption(
                    ranks,
                    width="content",
                    help=(
                        "The rank of the best chunk that holds the answer among all candidates, overall and in "
                        "each leg."
                    ),
                )
            if why.help:
                st.caption(f"Suggestion: **{plain(help_words(why.help))}**", width="content")
                use_help(target, run, questions, why.help, key=f"evaluate.opened.use.{key}")


def _ranks(why: Diagnosis) -> str:
    """Return such as `The answer's chunk: rank 9 overall, 14 vector, not found full text`."""
    if why.cause in _RANK_CAUSES or (not why.legs and why.rank is None):
        return ""
    legs = [f"{'not found' if rank is None else rank} {_LEGS.get(leg, leg)}" for leg, rank in why.legs.items()]
    overall = "not among the candidates" if why.rank is None else f"rank **{why.rank:,}** overall"
    return f"The answer's chunk: {', '.join([overall, *legs])}"


def answer_reader(
    target: Workspace,
    row: QuestionRow,
    lines: Sequence[ResultRow],
    picked: ResultRow | None,
    measure: Measure,
    key: str,
) -> None:
    """Draw the document of the picked result, or of the gold answer if None, scrolled to it.

    Draws a note instead if the document was deleted or the result is a summary.
    """
    doc_id = picked.hit.doc_id if picked else row.question.answers[0].doc_id
    of = document_or_none(target, doc_id) if doc_id else None
    if of is None:
        st.info(
            "A summary is not part of any document." if not doc_id else "This document is no longer in the workspace."
        )
        return
    answers = [one for one in row.question.answers if one.doc_id == doc_id]
    at = picked.hit.start if picked else answers[0].start
    inside = [
        line
        for line in lines
        if line.hit.doc_id == doc_id and line.hit.end <= len(of.text) and (line.counts or line is picked)
    ]
    st.markdown(f"**{plain(of.title)}** :small[:gray[{plain(of.source)}]]")
    deliver_text(of)
    marks = ViewMarks(
        hits=[TextMark(line.hit.start, line.hit.end, str(line.rank)) for line in inside],
        neighbours=[span for line in inside for span in _neighbour_marks(line.hit)] if measure.expanded else (),
        answers=[TextMark(one.start, one.end, "Answer") for one in answers],
    )
    nonce = f"{key}/{picked.rank if picked else 'answer'}"
    bands = result_bands([(line.rank, line.hit) for line in sorted(inside, key=lambda line: line.rank)], labelled=False)
    layers = ViewLayers(marks, prefixes=False)
    viewer(of, bands, key="evaluate.viewer", height=_HIGH, goto=Goto(at, nonce), layers=layers)
    st.caption("Green: the gold answer. Numbered: the results, by rank.")


def _neighbour_marks(hit: Found) -> list[TextMark]:
    parts = ((hit.first, hit.start), (hit.end, hit.last))
    return [TextMark(start, end) for start, end in parts if end > start]


class ResultRow(NamedTuple):
    """A ranked result of a question, with the share of the gold answer in it."""

    rank: int
    hit: Found
    holds: float
    """Share of the gold answer's text inside the result, 0 to 1."""
    counts: bool
    """True if it is within the evaluated results."""


def result_rows(row: QuestionRow, measure: Measure) -> list[ResultRow]:
    """Return the results that count, and the next ones to the tenth or to the diagnosed answer.

    The further of the two applies.
    """
    results = row.answered.results
    holds = [_share_of_answers(one, row.question.answers) for one in results]
    counting = counted(results, measure)
    rank = row.answered.diagnosis.rank if row.answered.diagnosis else None
    last = max(counting, min(max(rank or 0, 10), len(results)))
    return [ResultRow(place + 1, results[place], holds[place], place < counting) for place in range(last)]


def _share_of_answers(one: Found, answers: Sequence[AnswerSpan]) -> float:
    total = sum(answer.end - answer.start for answer in answers)
    inside = sum(
        max(0, min(one.end, answer.end) - max(one.start, answer.start))
        for answer in answers
        if answer.doc_id == one.doc_id
    )
    return min(inside / total, 1.0) if total else 0.0


def ranking(target: Workspace, gold: AnswerSpan, lines: Sequence[ResultRow], key: str) -> ResultRow | None:
    """Draw a table of the gold answer and the results, and return the picked result.

    Returns:
        The result; None if the gold answer is picked or there are no results.
    """
    if not lines:
        st.caption("Nothing was found for this question.")
        return None
    ids = [gold.doc_id, *(line.hit.doc_id for line in lines)]
    documents = [document_or_none(target, doc_id) if doc_id else None for doc_id in ids]
    labels = distinct_labels({of.doc_id: (of.title, of.source) for of in documents if of})
    starts = [gold.start, *(line.hit.start for line in lines)]
    ends = [gold.end, *(line.hit.end for line in lines)]
    table = pd.DataFrame(
        {
            "Rank": pd.Series([None, *(line.rank for line in lines)], dtype="Int64"),
            "Counts": ["gold", *("✓" if line.counts else "" for line in lines)],
            "Answer": [None, *(100 * line.holds or None for line in lines)],
            "Begins with": [_beginning(of, start, end) for of, start, end in zip(documents, starts, ends, strict=True)],
            "Document": [labels.get(doc_id, doc_id or "a summary") for doc_id in ids],
        }
    )
    if table["Document"].nunique() == 1:
        del table["Document"]
    columns = {
        "Rank": st.column_config.NumberColumn(width=50),
        "Counts": st.column_config.TextColumn(
            width=55, help="✓: one of the evaluated results; the ones below came next."
        ),
        "Answer": st.column_config.NumberColumn(
            format="%.0f %%", width=70, help="The share of the gold answer's text in this result."
        ),
        "Begins with": st.column_config.TextColumn(width="medium"),
        "Document": st.column_config.TextColumn(width=140),
    }
    picked = pick_row(
        table,
        columns=columns,
        height=_LIST_HEIGHT if len(lines) > _MOST else "content",
        key=f"evaluate.results.{key}",
        alt="The gold answer and the results of the question in rank order; pick one to read it in its document",
    )
    st.caption("Pick a result to read it in its document.")
    return lines[picked - 1] if picked else None


def _beginning(of: Document | None, start: int, end: int) -> str:
    return " ".join(of.text[start : min(end, start + 2 * _BEGIN)].split())[:_BEGIN] if of else ""


def document_or_none(target: Workspace, doc_id: str) -> Document | None:
    """Return a document, or None if the workspace does not have it."""
    try:
        return document(target, doc_id)
    except NotFoundError:
        return None
