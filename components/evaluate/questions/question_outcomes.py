"""Table of the questions of a run: share of the answer found, rank and cause of failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from chunking.evaluation import (
    CAUSES,
    Answered,
    Cause,
    EvaluationRun,
    Measure,
    Question,
    QuestionSet,
    Scores,
    score_run,
)
from components.evaluate.failure_causes import help_words
from components.kit.pick_table import pick_row
from components.kit.wording import quantity

__all__ = ["OPEN", "QuestionRow", "question_rows", "question_table"]

_FILTERS = ("All", "Not fully found", "Not at all")
_FILTER = "evaluate.filter"
OPEN = "evaluate.question"
"""Session key of the open question's id."""
_MOST, _HIGH = 12, 430
"""Most rows drawn without scrolling, and the height of a longer table in pixels."""


class QuestionRow(NamedTuple):
    """A question of a run with its share found, rank and cause of failure."""

    question: Question
    answered: Answered
    recall: float
    """Share of the gold answers found, 0 to 1."""
    complete: bool
    """True if every gold answer was found whole."""
    rank: int | None
    """Rank of the first result that holds a part of a gold answer, from 1."""
    cause: Cause | None
    """Cause of failure; None if the question was fully answered or not diagnosed."""


def question_rows(run: EvaluationRun, questions: QuestionSet, scores: Scores) -> list[QuestionRow]:
    """Return a row per scored question, with the share found, its rank and its cause of failure.

    The cause is "ranked too low" if the results that the run's settings return hold the whole answer.
    """
    answered = {one.question_id: one for one in run.answered}
    as_returned = score_run(run, questions, Measure(run.n)).only(scores.ids)
    columns = (scores.ids, scores.recall, scores.whole, scores.reciprocal_rank, as_returned.whole)
    texts = {one.id: one for one in questions.questions}
    return [
        QuestionRow(
            texts[name],
            answered[name],
            float(recall),
            bool(complete),
            round(1 / first) if first else None,
            None if complete else _cause(answered[name], returned=bool(returned)),
        )
        for name, recall, complete, first, returned in zip(*columns, strict=True)
    ]


def _cause(one: Answered, *, returned: bool) -> Cause | None:
    """Return the cause of failure; an answer that all returned results hold was ranked too low."""
    if returned:
        return Cause.RANKED_BELOW
    return one.diagnosis.cause if one.diagnosis else None


def question_table(rows: Sequence[QuestionRow], titles: Mapping[str, str], key: str) -> QuestionRow | None:
    """Draw a filter and the table, and return the picked row; None if no row passes.

    At first the open question is picked. The picked question's id is stored under `OPEN`.

    Args:
        rows: all questions of the run.
        titles: document id to title.
        key: differs per run, since a selection is stored as a row number.
    """
    shown = _filtered(rows)
    if not shown:
        st.caption("None of the questions.")
        return None
    columns = {
        "Question": st.column_config.TextColumn(width="large"),
        "Answer found": st.column_config.ProgressColumn(
            format="%.0f %%",
            min_value=0,
            max_value=100,
            width=130,
            help="The share of the gold answer's text within the evaluated results.",
        ),
        "Rank": st.column_config.NumberColumn(
            width=60, help="Rank of the first result that holds part of the gold answer."
        ),
        "Failure": st.column_config.TextColumn(width=170, help="The cause, for the results that the settings return."),
        "Suggestion": st.column_config.TextColumn(
            width=190, help="The setting most likely to help with this question; not evaluated yet."
        ),
        "Document": st.column_config.TextColumn(width=220, help="The document with the gold answer."),
    }
    table = f"evaluate.table.{key}.{_FILTERS.index(st.session_state[_FILTER])}.{len(shown)}"
    before = st.session_state.get(OPEN)
    place = pick_row(
        _table(shown, titles),
        columns=columns,
        height=_HIGH if len(shown) > _MOST else "content",
        default=next((place for place, row in enumerate(shown) if row.question.id == before), 0),
        key=table,
        alt="Questions with the share of the gold answer found; pick a row to open it",
    )
    st.session_state[OPEN] = shown[place].question.id
    return shown[place]


def _filtered(rows: Sequence[QuestionRow]) -> list[QuestionRow]:
    """Draw the filter with the number of questions per choice, and return the filtered rows."""
    kept = (list(rows), [row for row in rows if not row.complete], [row for row in rows if not row.recall])
    chosen: str = st.segmented_control(
        "Which questions",
        _FILTERS,
        default=st.session_state.get(_FILTER, _FILTERS[0]),
        required=True,
        format_func=lambda name: f"{name} ({len(kept[_FILTERS.index(name)]):,})",
        label_visibility="collapsed",
        key=f"{_FILTER}.field",
    )
    st.session_state[_FILTER] = chosen
    return kept[_FILTERS.index(chosen)]


def _table(rows: Sequence[QuestionRow], titles: Mapping[str, str]) -> pd.DataFrame:
    why = [row.answered.diagnosis for row in rows]
    return pd.DataFrame(
        {
            "Question": [row.question.text for row in rows],
            "Answer found": [100 * row.recall for row in rows],
            "Rank": pd.Series([row.rank for row in rows], dtype="Int64"),
            "Failure": [CAUSES[row.cause].label if row.cause else "" for row in rows],
            "Suggestion": [
                help_words(one.help) if one and one.help and row.cause else ""
                for row, one in zip(rows, why, strict=True)
            ],
            "Document": [_documents(row.question, titles) for row in rows],
        }
    )


def _documents(question: Question, titles: Mapping[str, str]) -> str:
    ids = list(dict.fromkeys(answer.doc_id for answer in question.answers))
    first = titles.get(ids[0], ids[0])
    return first if len(ids) == 1 else f"{first} and {quantity(len(ids) - 1, 'other')}"
