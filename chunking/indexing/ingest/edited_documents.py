"""The edits of a workspace's documents: listed, and put there from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunking.errors import ChangeError
from chunking.model import Document
from chunking.parsing.edits.edit_files import EditedDocument
from chunking.parsing.edits.edit_types import Edit, edit_of
from chunking.store import Workspace
from chunking.store.documents.changed_documents import EDITS

__all__ = ["add_edits", "edited_documents", "edits_of_document"]


def edits_of_document(workspace: Workspace, doc_id: str) -> tuple[Edit, ...]:
    """Those in force that this version can read, in the order in which they are applied."""
    found: list[Edit] = []
    for change in workspace.changes.log(doc_id, EDITS.name).changes:
        try:
            found.append(edit_of(change))
        except ChangeError:
            continue  # of a later version: it stays in the list
    return tuple(found)


def edited_documents(workspace: Workspace) -> Iterator[EditedDocument]:
    """The documents of a workspace that have edits, by source; those that are not there any more are left out."""
    listed = workspace.changes.listed()
    for row in workspace.documents():
        if (row.doc_id, EDITS.name) in listed:
            yield EditedDocument(row.doc_id, row.source, edits_of_document(workspace, row.doc_id))


def add_edits(workspace: Workspace, documents: Iterable[Document], edited: Iterable[EditedDocument]) -> int:
    """Add the edits of a file to those of the documents that they are about, as one step each; what is there already is not added again.

    Args:
        documents: saved or about to be.
    Returns:
        How many were added.
    Raises:
        ChangeError: a document would have too many.
    """
    given, added = list(edited), 0
    for document in documents:
        there = {edit.id for edit in edits_of_document(workspace, document.doc_id)}
        new = [edit for some in given if some.is_about(document) for edit in some.edits if edit.id not in there]
        if new:
            label = f"Import {len(new)} edits" if len(new) > 1 else "Import an edit"
            workspace.changes.append(document.doc_id, EDITS.name, [edit.as_record() for edit in new], label=label)
            added += len(new)
    return added
