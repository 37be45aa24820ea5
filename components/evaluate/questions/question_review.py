"""Questions before they are saved: how many are ready, what is wrong with the others, and what may have been meant."""

from __future__ import annotations

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import AnswerSpan, Imported, Problem, accept
from chunking.store import Workspace
from components.evaluate.questions.set_saving import keep, name_field
from components.kit.button import button
from components.kit.wording import plain, quantity, shortened
from components.session.editing import editing

__all__ = ["review"]

_MOST = 30
"""Problems that are listed one by one."""
_HIGH = 420
"""Pixels of their list."""
_QUOTE = 90
"""Characters of an offer on its button."""


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
    asked = f"**{plain(problem.question)}** · " if problem.question else ""
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"{icon} {asked}{place} {problem.line:,}")
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
