"""New questions on their way into a set: a new one, or one that is there and grows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.evaluation import Question, QuestionSet, change_set, free_name, load_set
from chunking.store import Workspace
from components.kit.wording import plain, quantity
from components.session.questions.question_state import set_active, set_names
from components.session.workspace import check_room

__all__ = ["keep", "name_field", "saved_in", "tell_saved"]

_SAID = "evaluating.kept"


def name_field(offered: str, *, key: str) -> str:
    """The name of the set that new questions go to.

    Args:
        offered: what stands in the field at first.
        key: of the widget.
    """
    given: str = st.text_input(
        "Name of the question set",
        offered,
        max_chars=80,
        key=key,
        width=320,
        help="A new name makes a new set. If a set of that name exists, the questions are added to it.",
    )
    return " ".join(given.split())


def keep(target: Workspace, name: str, questions: QuestionSet) -> None:
    """Save questions under a name, after those that are there, and work with that set from now on.

    Raises:
        QuestionError: there is no question or no name.
        QuotaError: there is no room for them.
        StoreError: it cannot be written.
    """

    def grown(kept: QuestionSet) -> QuestionSet:
        syntax = kept.syntax if kept.questions else questions.syntax
        made = replace(questions, questions=_joined(kept.questions, questions.questions), syntax=syntax)
        check_room(len(made.to_json()))
        return made

    changed = change_set(target, name, grown)
    set_active(changed.after.name)
    new = len(changed.after) - len(changed.before or ())
    known = len(questions) - new
    sentence = f"{quantity(new, 'question')} saved in “{changed.after.name}”"
    st.session_state[_SAID] = sentence + (f"; {known:,} more were in it before." if known else ".")


def saved_in(target: Workspace, name: str) -> tuple[Question, ...]:
    """The questions of a set, those whose answers are lost among them; none where there is no such set."""
    if name not in set_names():
        return ()
    saved = load_set(target, name)
    return (saved.whole or saved.questions).questions


def tell_saved() -> None:
    """Tell once what was saved."""
    sentence = st.session_state.pop(_SAID, "")
    if sentence:
        st.toast(plain(sentence), icon=":material/check_circle:")


def _joined(before: tuple[Question, ...], new: tuple[Question, ...]) -> tuple[Question, ...]:
    """Those that are there, then the new ones: the same question with the same answers once, every id once."""
    there = {(one.text, one.answers) for one in before}
    ids = {one.id for one in before}
    joined = list(before)
    for one in new:
        if (one.text, one.answers) in there:
            continue
        name = free_name(one.id, ids, "-")
        ids.add(name)
        joined.append(replace(one, id=name))
    return tuple(joined)
