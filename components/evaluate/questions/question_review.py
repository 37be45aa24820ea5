"""Review new questions (ready, faulty, near misses) and save them to a set."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import (
    AnswerSpan,
    Imported,
    Problem,
    Question,
    QuestionSet,
    accept,
    change_set,
    free_name,
    load_set,
)
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.questions.question_state import set_active, set_names
from components.session.workspace import check_room

__all__ = ["keep_questions", "name_field", "review", "saved_questions", "tell_saved"]

_MOST = 30
"""Most problems listed."""
_HIGH = 420
"""Height of the list in pixels."""
_QUOTE = 90
"""Characters of an offered quote on its button."""

_SAID = "evaluating.kept"


def review(target: Workspace, read: Imported, *, key: str, place: str = "line") -> bool:
    """Draw how many questions were read, their problems and the save button.

    Args:
        target: workspace to save to.
        read: questions and problems, with the accepted offers; the caller takes it from `st.session_state[key][1]`.
        key: session key, and prefix of the widget keys.
        place: unit that a problem's number counts, such as line or passage.
    Returns:
        True in the run that saved the questions.
    """
    ready, waiting = len(read.questions), read.left_out
    answers, left_out = "its answer" if ready == 1 else "every answer", f", **{waiting:,}** left out" if waiting else ""
    st.markdown(f"**{quantity(ready, 'question')}** found, with {answers} located in the documents{left_out}.")
    for note in read.notes:
        st.caption(plain(note))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = name_field(read.questions.name, key=f"{key}.name.{read.questions.name}")
        saved = button(
            f"Save {quantity(ready, 'question')}",
            type="primary",
            key=f"{key}.save",
            **editing(disabled=not ready or not name),
        )
    if saved:
        keep_questions(target, name, read.questions)
        st.session_state.pop(key, None)
        return True
    _problems(read, key, place)
    return False


def _problems(read: Imported, key: str, place: str) -> None:
    """Draw the problems: open ones with offers first, resolved ones last."""
    if not read.problems:
        return
    ordered = sorted(read.problems, key=lambda one: (one.kept, not one.offers))
    with st.container(
        height=_HIGH if len(ordered) > 3 else "content", border=False, gap="small", key=f"{key}.problems"
    ):
        for number, problem in enumerate(ordered[:_MOST]):
            _problem(problem, f"{key}.offer.{problem.line}.{number}", key, place)
        if len(ordered) > _MOST:
            st.caption(f"… and {quantity(len(ordered) - _MOST, 'more note')} more like this.")


def _problem(problem: Problem, own: str, key: str, place: str) -> None:
    icon = ":material/info:" if problem.kept else ":red[:material/error:]"
    prefix = f"**{plain(problem.question)}** · " if problem.question else ""
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"{icon} {prefix}{place} {problem.line:,}")
        st.caption(plain(problem.sentence) + " Or use a similar place:" * bool(problem.offers and not problem.kept))
        for number, offer in enumerate(problem.offers):
            st.button(
                f"Use “{_quoted(offer.text)}”{_where(offer, problem)}",
                key=f"{own}.{number}",
                help=f"In {plain(offer.doc_id)}, characters {offer.start:,} to {offer.end:,}.",
                on_click=_take,
                args=(key, problem, offer),
            )


def _where(offer: AnswerSpan, problem: Problem) -> str:
    """Return the position of an offer if several offers have the same text, else ""."""
    alike = sum(other.text == offer.text for other in problem.offers) > 1
    return f" in {plain(offer.doc_id)}, character {offer.start:,}" if alike else ""


def _take(key: str, problem: Problem, offer: AnswerSpan) -> None:
    kept = st.session_state.get(key)
    if kept is not None:
        try:
            st.session_state[key] = (kept[0], accept(kept[1], problem, offer))
        except QuestionError:
            return  # a second click on a button that was on its way out


def _quoted(text: str) -> str:
    return plain(shortened(" ".join(text.split()), _QUOTE))


def name_field(offered: str, *, key: str) -> str:
    """Draw the field for the name of a question set; return it with white space collapsed.

    Args:
        offered: initial value.
        key: widget key.
    """
    name: str = st.text_input(
        "Name of the question set",
        offered,
        max_chars=80,
        key=key,
        width=320,
        help="A new name makes a new set. If a set of that name exists, the questions are added to it.",
    )
    return " ".join(name.split())


def keep_questions(target: Workspace, name: str, questions: QuestionSet) -> None:
    """Add questions to a new or existing set, duplicates aside, and make the set active.

    `tell_saved` then shows how many were saved.

    Raises:
        QuestionError: no question or no name.
        QuotaError: the storage quota is exceeded.
        StoreError: the set cannot be written.
    """

    def grown(kept: QuestionSet) -> QuestionSet:
        syntax = kept.syntax if kept.questions else questions.syntax
        joined = replace(questions, questions=_joined(kept.questions, questions.questions), syntax=syntax)
        check_room(len(joined.to_json()))
        return joined

    changed = change_set(target, name, grown)
    set_active(changed.after.name)
    new = len(changed.after) - len(changed.before or ())
    repeated = len(questions) - new
    sentence = f"{quantity(new, 'question')} saved in “{changed.after.name}”"
    st.session_state[_SAID] = sentence + (f"; {repeated:,} more were in it before." if repeated else ".")


def saved_questions(target: Workspace, name: str) -> tuple[Question, ...]:
    """Return the questions of a saved set, lost ones included; empty if the set does not exist."""
    if name not in set_names():
        return ()
    saved = load_set(target, name)
    return (saved.as_saved or saved.questions).questions


def tell_saved() -> None:
    """Show once, in a toast, how many questions `keep_questions` saved."""
    sentence = st.session_state.pop(_SAID, "")
    if sentence:
        st.toast(plain(sentence), icon=":material/check_circle:")


def _joined(before: tuple[Question, ...], new: tuple[Question, ...]) -> tuple[Question, ...]:
    """Append new questions: duplicates are dropped, and a repeated id gets a suffix."""
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
