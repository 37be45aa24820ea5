"""Review new questions (ready, faulty, near misses) and save them into a set."""

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

__all__ = ["keep", "name_field", "review", "saved_in", "tell_saved"]

_MOST = 30
"""Problems that are listed one by one."""
_HIGH = 420
"""Pixels of their list."""
_QUOTE = 90
"""Characters of an offer on its button."""

_SAID = "evaluating.kept"


def review(target: Workspace, read: Imported, *, key: str, place: str = "line") -> bool:
    """What was found, the button that saves it, and what is wrong; True in the run in which it was saved.

    Args:
        target: where sets are kept.
        read: what was found, with the offers that were taken; kept in `st.session_state[key]`, which an offer changes.
        key: of the session, and the beginning of the widgets' keys.
        place: what a problem's number counts.
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
        keep(target, name, read.questions)
        st.session_state.pop(key, None)
        return True
    _problems(read, key, place)
    return False


def _problems(read: Imported, key: str, place: str) -> None:
    """What is wrong, one by one; those with something to choose first, what was taken all the same last."""
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
    """Where it stands, where the same words are offered from several places."""
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
    """The name of the set that new questions go to.

    Args:
        offered: what stands in the field at first.
        key: of the widget.
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


def keep(target: Workspace, name: str, questions: QuestionSet) -> None:
    """Save questions under a name, after those that are there, and work with that set from now on.

    Raises:
        QuestionError: there is no question or no name.
        QuotaError: there is no room for them.
        StoreError: it cannot be written.
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


def saved_in(target: Workspace, name: str) -> tuple[Question, ...]:
    """The questions of a set, those whose answers are lost among them; none where there is no such set."""
    if name not in set_names():
        return ()
    saved = load_set(target, name)
    return (saved.as_saved or saved.questions).questions


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
