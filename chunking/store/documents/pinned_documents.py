"""The pins of a workspace's documents: listed, and put there from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from chunking.model import Document
from chunking.splitting.pins.pin_files import PinnedDocument
from chunking.splitting.pins.stored_pins import PINS, StoredPin, pin_of

if TYPE_CHECKING:
    from chunking.store.workspace import Workspace

__all__ = ["add_pins", "pinned_documents", "pins_of"]


def pins_of(workspace: Workspace, doc_id: str) -> tuple[StoredPin, ...]:
    """Those in force of a document, in the order in which they were set."""
    return tuple(map(pin_of, workspace.changes.log(doc_id, PINS).changes))


def pinned_documents(workspace: Workspace) -> Iterator[PinnedDocument]:
    """The documents of a workspace that have pins, by source; those that are not there any more are left out."""
    listed = workspace.changes.listed()
    for row in workspace.documents():
        if (row.doc_id, PINS) in listed:
            yield PinnedDocument(row.doc_id, row.source, pins_of(workspace, row.doc_id))


def add_pins(workspace: Workspace, documents: Iterable[Document], pinned: Iterable[PinnedDocument]) -> int:
    """Add the pins of a file to those of the documents that they are about, as one step each; what is there already is not added again.

    Args:
        documents: saved or about to be.
    Returns:
        How many were added.
    Raises:
        ChangeError: a document would have too many.
    """
    given, added = list(pinned), 0
    for document in documents:
        there = {_what(pin) for pin in pins_of(workspace, document.doc_id)}
        new = {_what(pin): pin for some in given if some.is_about(document) for pin in some.pins if _what(pin) not in there}
        if new:
            records = [{name: value for name, value in pin.as_record().items() if name != "id"} for pin in new.values()]
            workspace.changes.append(document.doc_id, PINS, records, label=f"Import {len(new)} pins" if len(new) > 1 else "Import a pin")
            added += len(new)
    return added


def _what(pin: StoredPin) -> tuple[object, ...]:
    return pin.kind, pin.anchor, pin.reason
