"""Question sets in a workspace."""

from __future__ import annotations

from chunking.errors import NotFoundError
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.questions.quotes.relocation import Relocated, relocate
from chunking.evaluation.questions.set_editing import check_set
from chunking.store import Workspace

__all__ = ["delete_set", "load_set", "save_set", "set_names"]


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
        raise NotFoundError(f"There is no question set '{name}' in {workspace.uri}; choose another, or import it.", where=name)
    questions = QuestionSet.from_json(text)
    wanted = dict.fromkeys(doc_id for question in questions.questions for doc_id in question.documents)
    documents = {document.doc_id: document for document in workspace.read_documents(list(wanted))}
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


def delete_set(workspace: Workspace, name: str) -> None:
    """Forget a set; runs over it stay."""
    workspace.question_sets.delete([name])
