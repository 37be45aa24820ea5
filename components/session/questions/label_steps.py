"""Labels on their way into a question set, one step each, and every step can be taken back."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import QueryLabel, QuestionSet, add_label, change_set
from chunking.store import Workspace

__all__ = ["LabelStep", "last_step", "note_step", "saved_labels", "take_label", "undo_step"]

_STEPS = "labels.steps"
_MOST = 200
"""Steps that can be taken back."""


class LabelStep(NamedTuple):
    """What was done."""

    workspace: str
    place: str
    """Where: `search` or `queue`."""
    name: str
    """Of the question set."""
    query: str
    before: str | None
    """The set as it was kept before, as JSON; None where there was none."""
    after: str | None
    """As it was kept then; as `before` where nothing was labelled, but the query passed over."""


def saved_labels(target: Workspace, name: str) -> QuestionSet:
    """The set as it is kept; an empty one where there is none of that name."""
    text = target.question_sets.get(" ".join(name.split()))
    return QuestionSet.from_json(text) if text else QuestionSet(" ".join(name.split()), ())


def take_label(
    target: Workspace, place: str, name: str, query: str, label: QueryLabel, *, language: str = "und"
) -> QuestionSet:
    """Put a label into a set, and remember how to take it back.

    Raises:
        QuestionError: as `add_label`, or the name is none.
        StoreError: it cannot be written.
    """
    tidy = " ".join(name.split())
    before, after = change_set(target, tidy, lambda kept: add_label(kept, query, label, language=language))
    note_step(LabelStep(target.uri, place, tidy, query, before.to_json() if before else None, after.to_json()))
    return after


def note_step(step: LabelStep) -> None:
    """Remember a step."""
    steps: list[LabelStep] = st.session_state.setdefault(_STEPS, [])
    steps.append(step)
    del steps[:-_MOST]


def last_step(target: Workspace, place: str, name: str | None = None) -> LabelStep | None:
    """The step that an undo would take back; None where there is none."""
    steps: list[LabelStep] = st.session_state.get(_STEPS, [])
    mine = [one for one in steps if (one.workspace, one.place) == (target.uri, place) and name in (None, one.name)]
    return mine[-1] if mine else None


def undo_step(target: Workspace, step: LabelStep) -> None:
    """Take a step back: the set is then as it was before.

    Raises:
        QuestionError: the set has been changed since by something else.
        StoreError: it cannot be written.
    """
    st.session_state[_STEPS].remove(step)

    def as_before(kept: str | None) -> str | None:
        if kept != step.after:
            raise QuestionError(
                f"“{step.name}” has changed since; delete the question in its table on the Evaluate page instead."
            )
        return step.before

    target.question_sets.change(step.name, as_before)
