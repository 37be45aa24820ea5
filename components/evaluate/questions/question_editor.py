"""Editable table of the questions of a set; edits are kept in the session until saved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from chunking.evaluation import Made, Question, QuestionPart, QuestionSet, change_set
from chunking.evaluation.questions.set_editing import merge_edits
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import quantity
from components.session.current_workspace import editing, why_only_viewing

__all__ = ["MADE", "apply_table_edits", "made_words", "question_editor"]

MADE: dict[Made, str] = {
    Made.IMPORTED: "imported",
    Made.WRITTEN: "written by hand",
    Made.HEADING: "from a heading",
    Made.SENTENCE: "from a sentence",
    Made.PHRASE: "from a key phrase",
    Made.LLM: "by a language model",
    Made.QUERY: "labelled query",
}
"""Label of each origin of a question."""
_PARTS = {QuestionPart.TUNE: "dev", QuestionPart.HOLDOUT: "held out"}
_TURN = "evaluate.editor.turn"
_BEGUN = "evaluate.editor.begun"
"""Session key: (name of the set, set when the table was drawn, key of the table)."""
_ASKED = "evaluate.editor.asked"
"""Session key: ids of the questions whose conflict with another user's edit was shown."""
_HIGH = 560


def question_editor(
    target: Workspace, questions: QuestionSet, lost: Mapping[str, str], titles: Mapping[str, str]
) -> None:
    """Draw an editable table of a set; Save merges the edits with those of other users.

    Args:
        target: workspace of the set.
        questions: the saved set, with lost questions.
        lost: question id to the sentence about its lost answer.
        titles: document id to title.
    """
    base = _base(questions)
    key = f"evaluate.editor.{_digest(base)}.{st.session_state.get(_TURN, 0)}"
    st.session_state[_BEGUN] = (questions.name, base, key)
    bar = st.container(key="evaluate.editor.bar")
    st.data_editor(
        _table(base.questions, lost, titles),
        hide_index=True,
        height=_HIGH,
        num_rows="delete",
        disabled=bool(why_only_viewing()) or ("Answer", "Document", "Source", "Id"),
        column_config=_columns(),
        column_order=_shown(base, any_lost=bool(lost)),
        key=key,
        alt="Questions of the set with their gold answers; you can edit question and split, and delete rows",
    )
    st.caption(
        "Click a question to edit it. Tick rows at their left edge to delete them with the bin icon above the table."
    )
    changes: Mapping[str, Any] = st.session_state.get(key) or {}
    with bar:
        _bar(target, base, questions, changes)


def _base(questions: QuestionSet) -> QuestionSet:
    """Return the saved set; while there are edits, the set they were made on.

    So no edit is lost if another user saves the set in the meantime.
    """
    name, base, key = st.session_state.get(_BEGUN, ("", questions, ""))
    begun = name == questions.name and apply_table_edits(base, st.session_state.get(key) or {}) != base
    return base if begun else questions


def _shown(questions: QuestionSet, *, any_lost: bool) -> list[str]:
    """Return the visible columns; the split only if the set is split."""
    split = len({one.part for one in questions.questions}) > 1
    return ["Question", "Answer", *["Relocated"] * any_lost, "Document", *["Split"] * split, "Source", "Id"]


def _columns() -> dict[str, Any]:
    return {
        "Question": st.column_config.TextColumn(width="large", required=True, max_chars=2_000),
        "Answer": st.column_config.TextColumn(
            width="large", help="Gold answers: exact text from the document; several are joined by “ … ”."
        ),
        "Relocated": st.column_config.TextColumn(
            width="medium", help="What happened to a gold answer that is no longer in its document."
        ),
        "Document": st.column_config.TextColumn(width=200),
        "Split": st.column_config.SelectboxColumn(
            width=110,
            options=list(_PARTS.values()),
            required=True,
            help="Settings are chosen on the dev split and checked once on the held-out split.",
        ),
        "Source": st.column_config.TextColumn(
            width=150, help="Source of the question. Generated questions favour settings that suit them."
        ),
        "Id": st.column_config.TextColumn(width=110),
    }


def _table(questions: Sequence[Question], lost: Mapping[str, str], titles: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Question": [one.text for one in questions],
            "Answer": [_answers(one) for one in questions],
            "Relocated": [lost.get(one.id, "") for one in questions],
            "Document": [_of(one, titles) for one in questions],
            "Split": [_PARTS[one.part] for one in questions],
            "Source": [MADE[one.made] for one in questions],
            "Id": [one.id for one in questions],
        }
    )


def _answers(question: Question) -> str:
    """Return the gold answers on one line, or why there is none."""
    if question.answers:
        return " … ".join(" ".join(answer.text.split()) for answer in question.answers)
    return (
        "(no answer in these documents)"
        if question.unanswerable
        else "(no answer labelled yet, only passages that are not relevant)"
    )


def _of(question: Question, titles: Mapping[str, str]) -> str:
    return ", ".join(
        titles.get(doc_id, doc_id) for doc_id in dict.fromkeys(answer.doc_id for answer in question.answers)
    )


def _bar(target: Workspace, base: QuestionSet, questions: QuestionSet, changes: Mapping[str, Any]) -> None:
    """Draw the number of edits with Save and Discard, and warn if another user saved the set."""
    edited_set = apply_table_edits(base, changes)
    if edited_set == base:
        st.session_state.pop(_ASKED, None)
        return
    gone = len(base) - len(edited_set)
    before = {one.id: one for one in base.questions}
    merged = merge_edits(base, edited_set, questions) if questions != base else None
    kept = merged.questions if merged else edited_set
    other = sum(before[one.id] != one for one in edited_set.questions)
    parts = [f"{quantity(other, 'question')} changed"] * bool(other) + [f"{quantity(gone, 'question')} deleted"] * bool(
        gone
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{', '.join(parts)}**, not saved yet", width="content")
        if button("Save", type="primary", key="evaluate.editor.save", **editing(disabled=not len(kept))):
            _save(target, base, edited_set, prefer_mine=True)
        theirs = (
            merge_edits(base, edited_set, questions, prefer_mine=False).questions if merged and merged.both else None
        )
        if theirs is not None and button(
            "Save and keep their changes", key="evaluate.editor.theirs", **editing(disabled=not len(theirs))
        ):
            _save(target, base, edited_set, prefer_mine=False)
        if button("Discard", key="evaluate.editor.discard"):
            _again()
    st.session_state[_ASKED] = merged.both if merged else ()
    if merged is not None:
        alike = f" {quantity(len(merged.both), 'question')} changed by both: Save uses yours." if merged.both else ""
        st.caption(f"⚠ Someone else has changed this set in the meantime; saving keeps their changes and yours.{alike}")
    if not len(kept):
        st.caption("A set needs at least one question; delete the whole set instead.")


def _save(target: Workspace, base: QuestionSet, edited_set: QuestionSet, *, prefer_mine: bool) -> None:
    """Merge the edits into the stored set; show a conflict with another user before saving over it."""
    confirmed = set(st.session_state.get(_ASKED, ()))

    def change(kept: QuestionSet) -> QuestionSet:
        merged = merge_edits(base, edited_set, kept, prefer_mine=prefer_mine)
        if not confirmed.issuperset(merged.both):
            raise _NotAskedYet
        return merged.questions

    try:
        change_set(target, base.name, change)
    except _NotAskedYet:
        st.rerun()
    _again()


class _NotAskedYet(Exception):
    """Conflict with another user's edit that the user has not been shown."""


def _again() -> None:
    """Redraw the table without edits."""
    st.session_state.pop(_BEGUN, None)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.rerun()


def apply_table_edits(questions: QuestionSet, changes: Mapping[str, Any]) -> QuestionSet:
    """Return a set with the edits of the table applied; a question left empty keeps its text.

    Args:
        questions: the set that the table was drawn from.
        changes: the state of the `st.data_editor`: edited_rows (row number to column to value) and
            deleted_rows (row numbers).
    """
    cells = {int(place): row for place, row in dict(changes.get("edited_rows", {})).items()}
    gone = set(changes.get("deleted_rows", ()))
    parts = {words: part for part, words in _PARTS.items()}

    def now(place: int, one: Question) -> Question:
        row = cells.get(place, {})
        text = " ".join(str(row.get("Question") or one.text).split()) or one.text
        return replace(
            one, text=text if "Question" in row else one.text, part=parts.get(row.get("Split", ""), one.part)
        )

    return replace(
        questions,
        questions=tuple(now(place, one) for place, one in enumerate(questions.questions) if place not in gone),
    )


def _digest(questions: QuestionSet) -> str:
    return hashlib.sha256(questions.to_json().encode()).hexdigest()[:12]


def made_words(questions: QuestionSet) -> str:
    """Return the origins of a set's questions, such as `100 imported, 12 from a heading`.

    A single origin has no number: `imported`.
    """
    numbers = {origin: sum(one.made is origin for one in questions.questions) for origin in MADE}
    there = [origin for origin, number in numbers.items() if number]
    return MADE[there[0]] if len(there) == 1 else ", ".join(f"{numbers[origin]:,} {MADE[origin]}" for origin in there)
