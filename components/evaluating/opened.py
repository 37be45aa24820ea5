"""One question of a run in its document: the answer, what was found, what stood above it, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from chunking.errors import NotFoundError
from chunking.evaluation import CAUSES, Answer, Cause, Diagnosis, Found, Measure
from chunking.model import Document
from chunking.store import Workspace
from components.evaluating.causes import help_words, use_help
from components.evaluating.question_rows import Row
from components.viewer import Bands, Goto, Mark, Marks, deliver_text, viewer
from components.words import plain
from components.workspace import document

__all__ = ["opened_question"]

HEIGHT = 520
"""Of the text, in pixels."""
_LEGS = {"vector": "by meaning", "text": "by words"}
_TOLD = (Cause.RANKED_BELOW, Cause.CUT_OFF)
"""Causes whose sentence tells the ranks."""
_BEGIN = 90
"""Characters of a result in the list."""
_MOST = 14
"""Results that are seen at once."""


class Line(NamedTuple):
    """A result of the question."""

    rank: int
    found: Found
    holds: float
    """Share of the answer that stands in it, 0 to 1."""
    counts: bool
    """It is one of the results that count."""


def opened_question(target: Workspace, row: Row, measure: Measure, *, key: str) -> None:
    """The question, why it failed, its results in rank order, and the document of the one that is picked.

    Args:
        target: where the documents are.
        row: the question.
        measure: which results count.
        key: names the run and the question.
    """
    st.subheader(plain(row.question.text), anchor=False)
    _why(row, key)
    lines = _lines(row, measure)
    left, right = st.columns([1, 1.5], gap="medium")
    with left:
        picked = _list(target, lines, row, key)
    with right:
        _reader(target, row, lines, picked, measure, key)


# -- why


def _why(row: Row, key: str) -> None:
    why = row.answered.diagnosis
    if row.whole:
        st.success("The whole answer was found.", icon=":material/check_circle:")
        return
    if why is None:
        st.info("The settings find the whole answer, but not in the results that count now." if row.cause else "Not all of it was found.")
        return
    st.info(f"**{CAUSES[why.cause].label}.** {plain(why.sentence)}", icon=":material/troubleshoot:")
    ranks = _ranks(why)
    if ranks or why.help:
        with st.container(horizontal=True, vertical_alignment="center"):
            if ranks:
                st.caption(ranks, width="content", help="Where the best chunk that holds the answer stood among all candidates.")
            if why.help:
                st.caption(f"May help: **{plain(help_words(why.help))}**", width="content")
                use_help(why.help, key=f"evaluate.opened.use.{key}")


def _ranks(why: Diagnosis) -> str:
    """Such as `The answer's chunk: rank 9 in all, 14 by meaning, not found by words`."""
    if why.cause in _TOLD or (not why.legs and why.rank is None):
        return ""
    legs = [f"{'not found' if rank is None else rank} {_LEGS.get(leg, leg)}" for leg, rank in why.legs.items()]
    overall = "not among the candidates" if why.rank is None else f"rank **{why.rank:,}** in all"
    return f"The answer's chunk: {', '.join([overall, *legs])}"


# -- what was found


def _lines(row: Row, measure: Measure) -> list[Line]:
    """The results that count, and those under them down to the first that holds the answer."""
    found = row.answered.found
    holds = [_held(one, row.question.answers) for one in found]
    counting = _counting(found, measure)
    rank = row.answered.diagnosis.rank if row.answered.diagnosis else None
    last = max(counting, min(max(rank or 0, 10), len(found)))
    return [Line(place + 1, found[place], holds[place], place < counting) for place in range(last)]


def _counting(found: Sequence[Found], measure: Measure) -> int:
    """How many results count, the one that is cut included."""
    if measure.budget is None:
        return min(measure.n or len(found), len(found))
    before = np.cumsum([0, *(one.tokens for one in found)])
    return min(int(np.searchsorted(before, measure.budget)), len(found))


def _held(one: Found, answers: Sequence[Answer]) -> float:
    total = sum(answer.end - answer.start for answer in answers)
    inside = sum(max(0, min(one.end, answer.end) - max(one.start, answer.start)) for answer in answers if answer.doc_id == one.doc_id)
    return min(inside / total, 1.0) if total else 0.0


def _list(target: Workspace, lines: Sequence[Line], row: Row, key: str) -> Line | None:
    """The results as a table; returns the one that is picked."""
    if not lines:
        st.caption("Nothing was found for this question.")
        return None
    table = pd.DataFrame(
        {
            "Rank": [line.rank for line in lines],
            "Counts": ["✓" if line.counts else "" for line in lines],
            "Answer": [100 * line.holds or None for line in lines],
            "Begins with": [_beginning(target, line.found) for line in lines],
            "Document": [line.found.doc_id or "a summary" for line in lines],
        }
    )
    if table["Document"].nunique() == 1:
        del table["Document"]
    columns = {
        "Rank": st.column_config.NumberColumn(width=50),
        "Counts": st.column_config.TextColumn(width=55, help="One of the results that count; those below show what came next."),
        "Answer": st.column_config.NumberColumn(format="%.0f %%", width=70, help="Share of the answer's text that stands in this result."),
        "Begins with": st.column_config.TextColumn(width="medium"),
        "Document": st.column_config.TextColumn(width=140),
    }
    event = st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        height=HEIGHT if len(lines) > _MOST else "content",
        on_select="rerun",
        selection_mode="single-row",
        key=f"evaluate.results.{key}",
        placeholder="",
        alt="Results of the question in rank order; pick one to read it in its document",
    )
    st.caption("Pick a result to read it in its place.")
    picked = event.selection.rows
    return lines[picked[0]] if picked and picked[0] < len(lines) else None


def _beginning(target: Workspace, found: Found) -> str:
    of = _document(target, found.doc_id) if found.doc_id else None
    return " ".join(of.text[found.start : min(found.end, found.start + 2 * _BEGIN)].split())[:_BEGIN] if of else ""


def _document(target: Workspace, doc_id: str) -> Document | None:
    try:
        return document(target, doc_id)
    except NotFoundError:
        return None  # deleted since the run


# -- where it stands


def _reader(target: Workspace, row: Row, lines: Sequence[Line], picked: Line | None, measure: Measure, key: str) -> None:
    """The document of the picked result, or that of the answer; scrolled there."""
    doc_id = picked.found.doc_id if picked else row.question.answers[0].doc_id
    of = _document(target, doc_id) if doc_id else None
    if of is None:
        st.info("A summary stands in no document." if not doc_id else "This document is not in the workspace any more.")
        return
    answers = [one for one in row.question.answers if one.doc_id == doc_id]
    at = picked.found.start if picked else answers[0].start
    inside = [line for line in lines if line.found.doc_id == doc_id and line.found.end <= len(of.text) and (line.counts or line is picked)]
    st.markdown(f"**{plain(of.title)}**")
    deliver_text(of)
    marks = Marks(
        hits=[Mark(line.found.start, line.found.end, str(line.rank)) for line in inside],
        neighbours=[span for line in inside for span in _around(line.found)] if measure.expanded else (),
        answers=[Mark(one.start, one.end, "Answer") for one in answers],
    )
    nonce = f"{key}/{picked.rank if picked else 'answer'}"
    viewer(of, _bands(inside), key="evaluate.viewer", marks=marks, goto=Goto(at, nonce), prefixes=False, height=HEIGHT)
    st.caption("Green: the answer. Numbered: what was found, by rank.")


def _around(found: Found) -> list[Mark]:
    parts = ((found.first, found.start), (found.end, found.last))
    return [Mark(start, end) for start, end in parts if end > start]


def _bands(lines: Sequence[Line]) -> Bands:
    """Results as bands with their ranks; one that stands in another is left to its mark, since bands do not nest."""
    apart: list[Line] = []
    for line in sorted(lines, key=lambda line: line.rank):
        if not any(_nested(line.found, other.found) for other in apart):
            apart.append(line)
    ordered = sorted(apart, key=lambda line: line.found.start)
    tokens = _ints([line.found.tokens for line in ordered])
    nothing = np.zeros(len(ordered), np.int32)
    return Bands(
        starts=_ints([line.found.start for line in ordered]),
        ends=_ints([line.found.end for line in ordered]),
        numbers=_ints([line.rank for line in ordered]),
        sections=nothing - 1,
        tokens=tokens,
        prefix_tokens=nothing,
        sizes=tokens,
        flags=nothing,
        prefixes=("",) * len(ordered),
        labels=("",) * len(ordered),
        noun="Result",
    )


def _nested(one: Found, other: Found) -> bool:
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def _ints(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)
