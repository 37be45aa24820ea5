"""Question sets stored in a workspace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from chunking.errors import NotFoundError
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.questions.relocation import Relocated, relocate
from chunking.evaluation.questions.set_editing import check_set
from chunking.store import Workspace

__all__ = ["ChangedSet", "change_set", "delete_set", "load_set", "save_set", "set_names"]


class ChangedSet(NamedTuple):
    """A question set before and after a change."""

    before: QuestionSet | None
    """Stored set at the time of the change; None if there was none."""
    after: QuestionSet
    """Set as stored now."""


def set_names(workspace: Workspace) -> list[str]:
    """Return all names, the newest first."""
    return workspace.question_sets.names()


def load_set(workspace: Workspace, name: str) -> Relocated:
    """Load a question set, with its answers relocated to the workspace's current documents.

    Raises:
        NotFoundError: there is no set of that name.
        QuestionError: the stored record is not a question set.
    """
    text = workspace.question_sets.get(name)
    if text is None:
        raise NotFoundError(
            f"There is no question set '{name}' in {workspace.uri}; choose another, or import it.", where=name
        )
    questions = QuestionSet.from_json(text)
    doc_ids = dict.fromkeys(doc_id for question in questions.questions for doc_id in question.documents)
    documents = {document.doc_id: document for document in workspace.read_documents(list(doc_ids))}
    return relocate(questions, documents)


def save_set(workspace: Workspace, questions: QuestionSet) -> QuestionSet:
    """Store a question set under its name, replacing any earlier one, and return the stored set.

    Raises:
        QuestionError: it has no question, no name, or an id twice.
        StoreError: it cannot be written; the earlier set is unchanged.
    """
    checked = check_set(questions)
    workspace.question_sets.put({checked.name: checked.to_json()})
    return checked


def change_set(workspace: Workspace, name: str, change: Callable[[QuestionSet], QuestionSet]) -> ChangedSet:
    """Change the stored set atomically, so that another user's latest edits survive.

    Args:
        change: maps the stored set (empty if there is none) to the set to store.
    Raises:
        QuestionError: as `save_set`, or raised by `change`; nothing is stored then.
        StoreError: it cannot be written; the earlier set is unchanged.
    """
    tidy = " ".join(name.split())
    changes: list[ChangedSet] = []

    def becomes(kept: str | None) -> str:
        before = None if kept is None else QuestionSet.from_json(kept)
        after = check_set(replace(change(before or QuestionSet(tidy, ())), name=tidy))
        changes.append(ChangedSet(before, after))
        return after.to_json()

    workspace.question_sets.change(tidy, becomes)
    return changes[-1]


def delete_set(workspace: Workspace, name: str) -> None:
    """Delete a question set; its runs stay."""
    workspace.question_sets.delete([name])
