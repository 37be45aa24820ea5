"""Question sets in a workspace."""

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
    """What came of a change."""

    before: QuestionSet | None
    """As the set was kept when the change was made; None where there was none."""
    after: QuestionSet
    """As it is kept now."""


def set_names(workspace: Workspace) -> list[str]:
    """All names, the newest first."""
    return workspace.question_sets.names()


def load_set(workspace: Workspace, name: str) -> Relocated:
    """A set with its answers where they stand in the workspace's documents now.

    Raises:
        NotFoundError: there is no set of that name.
        QuestionError: what is kept under the name is none.
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
    """Keep a set under its name, in one commit; one that was there is replaced. Returns it as it was kept.

    Raises:
        QuestionError: it has no question, no name, or an id twice.
        StoreError: it cannot be written; what was kept before still is.
    """
    checked = check_set(questions)
    workspace.question_sets.put({checked.name: checked.to_json()})
    return checked


def change_set(workspace: Workspace, name: str, change: Callable[[QuestionSet], QuestionSet]) -> ChangedSet:
    """Change a set as it is kept at this moment, so that what somebody else has just saved in it stays.

    Args:
        change: given the set, an empty one where there is none of that name; gives what is to be kept under the name.
    Raises:
        QuestionError: as `save_set`, or raised by `change`; nothing is kept then.
        StoreError: it cannot be written; what was kept before still is.
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
    """Forget a set; runs over it stay."""
    workspace.question_sets.delete([name])
