"""The pages' question set, its questions with relocated gold spans, and labels with undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import streamlit as st

from chunking import evaluation
from chunking.errors import QuestionError
from chunking.evaluation import QueryLabel, QuestionSet, add_label, change_set
from chunking.evaluation.document_sample import document_sample
from chunking.samples import ACROSS_SET, SAMPLE_SET, save_questions
from chunking.store import Workspace
from components.kit.button import button
from components.session import share
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.samples import sample_ids
from components.session.workspace import MOST_WORKSPACES, workspace

if TYPE_CHECKING:
    from chunking.evaluation import Relocated

__all__ = [
    "ACROSS_SET",
    "SAMPLE_SET",
    "LabelStep",
    "active_name",
    "active_set",
    "add_samples",
    "choose_set",
    "last_step",
    "note_step",
    "sample_set_button",
    "saved_labels",
    "set_active",
    "set_names",
    "take_label",
    "undo_step",
]

_STEPS = "labels.steps"
_MOST = 200
"""Most label steps that can be undone."""


def set_names() -> list[str]:
    """Return the names of the workspace's question sets, the newest first."""
    target = workspace()
    return list(_names(target.uri, target.question_sets.version))


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _names(address: str, version: str) -> list[str]:
    return workspace().question_sets.names()


def active_name() -> str | None:
    """Return the name of the chosen or linked question set; None if there is no such set."""
    name = share.view("questions")
    return name if name in set_names() else None


def set_active(name: str | None) -> None:
    """Choose the question set of all pages, without a check; None chooses none."""
    share.keep_view(questions=name)


def active_set() -> Relocated | None:
    """Return the chosen question set, relocated to the current documents; None without one.

    Questions without a located answer are in its `lost`. Cached per version of question sets and documents.
    """
    name = active_name()
    if name is None:
        return None
    target = workspace()
    return _active(target.uri, name, target.question_sets.version, target.version())


@clear_when_unused
@st.cache_resource(show_spinner="Finding the answers in the documents …", max_entries=16)
def _active(address: str, name: str, sets: str, documents: str) -> Relocated:
    return evaluation.load_set(workspace(), name)


def choose_set(
    label: str = "Question set", *, none: str | None = None, key: str = "questions.choose", spoken: bool = False
) -> str | None:
    """Draw a field that chooses the question set of all pages and return its name.

    Args:
        label: label of the field.
        none: label of the choice of no set; None: the newest set is chosen if none is.
        key: key of the widget, different on each page.
        spoken: True shows the label to screen readers only.
    Returns:
        The name; None if no set is chosen, or there is none (then nothing is drawn).
    """
    names = set_names()
    if not names:
        return None
    present = active_name()
    if present is None and none is None:
        present = names[0]
        set_active(present)
    options: list[str | None] = [*([None] if none is not None else []), *names]
    if st.session_state.get(key, present) != present or key not in st.session_state:
        st.session_state[key] = present

    def chosen() -> None:
        set_active(st.session_state[key])

    visibility: Literal["collapsed", "visible"] = "collapsed" if spoken else "visible"
    st.selectbox(
        label,
        options,
        format_func=lambda name: str(name or none),
        key=key,
        on_change=chosen,
        label_visibility=visibility,
        placeholder=none or "Choose a question set",
    )
    return active_name()


def sample_set_button(
    label: str = "Load the sample questions", *, key: str = "questions.samples", primary: bool = True
) -> bool:
    """Draw a button that adds and chooses the sample questions; True in the run of its click."""
    looks = editing(help="227 questions on the sample documents, and ten that are asked in another language.")
    if not button(label, key=key, type="primary" if primary else "secondary", **looks):
        return False
    add_samples()
    return True


def add_samples() -> None:
    """Save the sample questions whose documents are in the workspace, and choose their first set.

    Sets of their names (`SAMPLE_SET`, `ACROSS_SET`) are replaced.

    Raises:
        QuestionError: no answer is in the documents.
    """
    target = workspace()
    with st.spinner("Finding the answers in the documents …"):
        sample = document_sample(target.documents(), sample_ids(target))
        save_questions(target, list(target.read_documents(sample.doc_ids)))
    set_active(SAMPLE_SET)


class LabelStep(NamedTuple):
    """A labelling step with its question set before and after, for undo."""

    workspace: str
    """Address."""
    place: str
    """`search` or `queue`."""
    name: str
    """Name of the question set."""
    query: str
    before: str | None
    """JSON of the question set before the step; None if there was none."""
    after: str | None
    """JSON after the step; equal to `before` if the query was skipped."""


def saved_labels(target: Workspace, name: str) -> QuestionSet:
    """Return the stored question set of this name; an empty one if there is none."""
    text = target.question_sets.get(" ".join(name.split()))
    return QuestionSet.from_json(text) if text else QuestionSet(" ".join(name.split()), ())


def take_label(
    target: Workspace, place: str, name: str, query: str, label: QueryLabel, *, language: str = "und"
) -> QuestionSet:
    """Add a label to a stored set, new if missing; note the step for undo, return the set.

    Raises:
        QuestionError: as `add_label`, or the name is empty.
        StoreError: the set cannot be written.
    """
    tidy = " ".join(name.split())
    before, after = change_set(target, tidy, lambda kept: add_label(kept, query, label, language=language))
    note_step(LabelStep(target.uri, place, tidy, query, before.to_json() if before else None, after.to_json()))
    return after


def note_step(step: LabelStep) -> None:
    """Record a step for undo in this session; only the last `_MOST` are kept."""
    steps: list[LabelStep] = st.session_state.setdefault(_STEPS, [])
    steps.append(step)
    del steps[:-_MOST]


def last_step(target: Workspace, place: str, name: str | None = None) -> LabelStep | None:
    """Return the step that an undo would revert; None without one.

    Args:
        place: `search` or `queue`.
        name: name of the question set; None: any.
    """
    steps: list[LabelStep] = st.session_state.get(_STEPS, [])
    mine = [one for one in steps if (one.workspace, one.place) == (target.uri, place) and name in (None, one.name)]
    return mine[-1] if mine else None


def undo_step(target: Workspace, step: LabelStep) -> None:
    """Restore the stored question set from before a step; the step is dropped in any case.

    Raises:
        QuestionError: the set has changed since.
        StoreError: the set cannot be written.
    """
    st.session_state[_STEPS].remove(step)

    def as_before(kept: str | None) -> str | None:
        if kept != step.after:
            raise QuestionError(
                f"“{step.name}” has changed since; delete the question in its table on the Evaluate page instead."
            )
        return step.before

    target.question_sets.change(step.name, as_before)
