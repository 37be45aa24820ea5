"""The document of a result, or of the answer: both marked in it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import Found, Measure
from chunking.store import Workspace
from components.evaluate.questions.question_outcomes import QuestionRow
from components.evaluate.result_ranking import ResultRow, document_or_none
from components.kit.viewer import Goto, TextMark, ViewLayers, ViewMarks, deliver_text, result_bands, viewer
from components.kit.wording import plain

__all__ = ["answer_reader"]

_HIGH = 520
"""Of the text, in pixels."""


def answer_reader(
    target: Workspace,
    row: QuestionRow,
    lines: Sequence[ResultRow],
    picked: ResultRow | None,
    measure: Measure,
    key: str,
) -> None:
    """The document of the picked result, or that of the answer; scrolled there."""
    doc_id = picked.found.doc_id if picked else row.question.answers[0].doc_id
    of = document_or_none(target, doc_id) if doc_id else None
    if of is None:
        st.info(
            "A summary is not part of any document." if not doc_id else "This document is no longer in the workspace."
        )
        return
    answers = [one for one in row.question.answers if one.doc_id == doc_id]
    at = picked.found.start if picked else answers[0].start
    inside = [
        line
        for line in lines
        if line.found.doc_id == doc_id and line.found.end <= len(of.text) and (line.counts or line is picked)
    ]
    st.markdown(f"**{plain(of.title)}** :small[:gray[{plain(of.source)}]]")
    deliver_text(of)
    marks = ViewMarks(
        hits=[TextMark(line.found.start, line.found.end, str(line.rank)) for line in inside],
        neighbours=[span for line in inside for span in _around(line.found)] if measure.expanded else (),
        answers=[TextMark(one.start, one.end, "Answer") for one in answers],
    )
    nonce = f"{key}/{picked.rank if picked else 'answer'}"
    bands = result_bands(
        [(line.rank, line.found) for line in sorted(inside, key=lambda line: line.rank)], labelled=False
    )
    layers = ViewLayers(marks, prefixes=False)
    viewer(of, bands, key="evaluate.viewer", height=_HIGH, goto=Goto(at, nonce), layers=layers)
    st.caption("Green: the gold answer. Numbered: the results, by rank.")


def _around(found: Found) -> list[TextMark]:
    parts = ((found.first, found.start), (found.end, found.last))
    return [TextMark(start, end) for start, end in parts if end > start]
