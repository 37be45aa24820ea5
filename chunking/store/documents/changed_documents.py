"""Documents with people's changes applied to what was read from the file.

The table `documents` holds what was read. Whoever asks a workspace for a document gets it with its changes: a page, an
index run and an export see the same text, blocks and marks, so that what is drawn is what is indexed. A document that
nobody changed costs one look at a file's name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from threading import Lock
from typing import Any

from chunking.model import Document
from chunking.store.documents.change_log import Change, ChangeLogs
from chunking.store.documents.document_rows import DocumentRow, document_stamp

__all__ = ["KINDS", "ChangeKind", "ChangedDocuments"]


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """A kind of change, and what makes a changed document."""

    name: str
    applier: str
    """`module:function`, imported when there is a change: (document, changes) -> document. It is pure, and raises
    nothing: a change that does not fit is left out."""

    def apply(self, document: Document, changes: Sequence[Change]) -> Document:
        """The document with some changes of this kind."""
        module, _, name = self.applier.partition(":")
        function: Callable[[Document, Sequence[Mapping[str, Any]]], Document] = getattr(import_module(module), name)
        return function(document, changes)


EDITS = ChangeKind("edits", "chunking.parsing.edits:apply_changes")
PINS = ChangeKind("pins", "chunking.splitting.pins.stored_pins:apply_changes")
KINDS: tuple[ChangeKind, ...] = (EDITS, PINS)
"""In the order in which they are applied."""

_CHARACTERS = 8_000_000
"""Of changed documents that are kept, about."""
_ROWS = 4_096


class ChangedDocuments:
    """Makes changed documents, and keeps the last few with what they were made from."""

    def __init__(self, logs: ChangeLogs) -> None:
        self.logs = logs
        self._guard = Lock()
        self._documents: OrderedDict[tuple[str, ...], Document] = OrderedDict()
        self._rows: dict[tuple[str, ...], DocumentRow] = {}

    def digests(self, doc_id: str) -> tuple[str, ...]:
        """What stands for the changes in force of a document, one a kind; empty where nobody changed it."""
        listed = self.logs.listed()
        if not listed:
            return ()
        digests = tuple(listed[doc_id, kind.name].digest if (doc_id, kind.name) in listed else "" for kind in KINDS)
        return digests if any(digests) else ()

    def with_changes(self, parsed: Document) -> Document:
        """A document as it was read with the changes in force of its id."""
        changed = parsed
        for kind, digest in zip(KINDS, self.digests(parsed.doc_id), strict=False):
            changed = kind.apply(changed, self.logs.log(parsed.doc_id, kind.name).changes) if digest else changed
        return changed

    def document(self, row: DocumentRow, read: Callable[[], Document]) -> Document:
        """A stored document with its changes.

        Args:
            row: as it was read from its file.
            read: reads the document as it was read from its file.
        """
        digests = self.digests(row.doc_id)
        key = _key(row)
        if not digests:
            return read()
        return self._kept((*key, *digests), lambda: self.with_changes(self._kept(key, read)))

    def parsed(self, row: DocumentRow, read: Callable[[], Document]) -> Document:
        """A stored document as it was read, kept beside the changed one."""
        return self._kept(_key(row), read) if self.digests(row.doc_id) else read()

    def row(self, row: DocumentRow, read: Callable[[], Document]) -> DocumentRow:
        """A document's row with its changes: title, outline, sections, notes and stamp follow them."""
        digests = self.digests(row.doc_id)
        if not digests:
            return row
        key = (*_key(row), *digests)
        if key not in self._rows:
            document = self.document(row, read)
            if len(self._rows) >= _ROWS:
                self._rows.clear()
            self._rows[key] = replace(
                row,
                title=document.title,
                doc_toc=document.doc_toc,
                warnings=document.warnings,
                characters=len(document.text),
                sections=len(document.sections),
                stamp=document_stamp(document),
            )
        return self._rows[key]

    def _kept(self, key: tuple[str, ...], make: Callable[[], Document]) -> Document:
        with self._guard:
            document = self._documents.get(key)
            if document is not None:
                self._documents.move_to_end(key)
                return document
        document = make()
        with self._guard:
            self._documents[key] = document
            while len(self._documents) > 2 and sum(len(one.text) for one in self._documents.values()) > _CHARACTERS:
                self._documents.popitem(last=False)
        return document


def _key(row: DocumentRow) -> tuple[str, ...]:
    return row.doc_id, row.stamp, row.hash, row.updated_at
