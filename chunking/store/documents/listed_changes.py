"""Read users' changes of one kind from a workspace, and import changes from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from chunking.model import Document
from chunking.text.change_files import ChangeFile, DocumentChange, DocumentChanges, readable

if TYPE_CHECKING:
    from chunking.store.workspace import Workspace

__all__ = ["add_changes", "changed_documents", "changes_of"]

C = TypeVar("C", bound=DocumentChange)


def changes_of(workspace: Workspace, doc_id: str, of: ChangeFile[C]) -> tuple[C, ...]:
    """Return a document's changes of a kind in effect, oldest first; unreadable ones are skipped."""
    return readable(workspace.changes.log(doc_id, of.kind).changes, of.read_one)


def changed_documents(workspace: Workspace, of: ChangeFile[C]) -> Iterator[DocumentChanges[C]]:
    """Yield the changes of each document that has some of a kind, by source; no deleted documents."""
    listed = workspace.changes.listed()
    for row in workspace.documents():
        if (row.doc_id, of.kind) in listed:
            yield DocumentChanges(row.doc_id, row.source, changes_of(workspace, row.doc_id, of))


def add_changes(
    workspace: Workspace, documents: Iterable[Document], changes: Iterable[DocumentChanges[C]], of: ChangeFile[C]
) -> int:
    """Save the changes of a file to the documents they belong to, skipping those already there.

    Each document gets one step, which can be undone.

    Args:
        documents: saved or about to be.
    Returns:
        Number of changes added.
    Raises:
        ChangeError: a document would have too many.
    """
    listed, added = list(changes), 0
    for document in documents:
        proposed = dict.fromkeys(
            of.to_add(change) for some in listed if some.is_about(document) for change in some.changes
        )
        if not proposed:
            continue
        there = {of.to_add(change) for change in changes_of(workspace, document.doc_id, of)}
        new = [change.as_record() for change in proposed if change not in there]
        if new:
            label = f"Import {len(new):,} {of.kind if len(new) > 1 else of.kind[:-1]}"
            workspace.changes.append(document.doc_id, of.kind, new, label=label)
            added += len(new)
    return added
