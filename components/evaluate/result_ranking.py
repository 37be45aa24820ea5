"""The results of a question in rank order: those that count, and below them down to the first that holds the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from chunking.errors import NotFoundError
from chunking.evaluation import AnswerSpan, Found, Measure, counted
from chunking.model import Document
from chunking.store import Workspace, distinct_labels
from components.evaluate.questions.question_outcomes import QuestionRow
from components.kit.pick_table import pick_row
from components.session.workspace import document

__all__ = ["ResultRow", "document_or_none", "lines_of", "ranking"]

_BEGIN = 90
"""Characters of a result in the list."""
_MOST, _HIGH = 14, 520
"""Results that are seen at once, and the pixels they take."""


class ResultRow(NamedTuple):
    """A result of the question."""

    rank: int
    found: Found
    holds: float
    """Share of the answer that stands in it, 0 to 1."""
    counts: bool
    """It is one of the results that count."""


def lines_of(row: QuestionRow, measure: Measure) -> list[ResultRow]:
    """The results that count, and those under them down to the first that holds the answer."""
    found = row.answered.found
    holds = [_held(one, row.question.answers) for one in found]
    counting = counted(found, measure)
    rank = row.answered.diagnosis.rank if row.answered.diagnosis else None
    last = max(counting, min(max(rank or 0, 10), len(found)))
    return [ResultRow(place + 1, found[place], holds[place], place < counting) for place in range(last)]


def _held(one: Found, answers: Sequence[AnswerSpan]) -> float:
    total = sum(answer.end - answer.start for answer in answers)
    inside = sum(
        max(0, min(one.end, answer.end) - max(one.start, answer.start))
        for answer in answers
        if answer.doc_id == one.doc_id
    )
    return min(inside / total, 1.0) if total else 0.0


def ranking(target: Workspace, gold: AnswerSpan, lines: Sequence[ResultRow], key: str) -> ResultRow | None:
    """Draw the gold answer and the results as a table; return the picked result, None for the gold answer."""
    if not lines:
        st.caption("Nothing was found for this question.")
        return None
    ids = [gold.doc_id, *(line.found.doc_id for line in lines)]
    documents = [document_or_none(target, doc_id) if doc_id else None for doc_id in ids]
    labels = distinct_labels({of.doc_id: (of.title, of.source) for of in documents if of})
    starts = [gold.start, *(line.found.start for line in lines)]
    ends = [gold.end, *(line.found.end for line in lines)]
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
        height=_HIGH if len(lines) > _MOST else "content",
        key=f"evaluate.results.{key}",
        alt="The gold answer and the results of the question in rank order; pick one to read it in its document",
    )
    st.caption("Pick a result to read it in its document.")
    return lines[picked - 1] if picked else None


def _beginning(of: Document | None, start: int, end: int) -> str:
    return " ".join(of.text[start : min(end, start + 2 * _BEGIN)].split())[:_BEGIN] if of else ""


def document_or_none(target: Workspace, doc_id: str) -> Document | None:
    """A document; None where it was deleted since the run."""
    try:
        return document(target, doc_id)
    except NotFoundError:
        return None
