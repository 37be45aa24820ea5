"""Parsed documents with users' changes applied.

The table `documents` holds documents as they were parsed. A workspace returns them with their changes: a page, an
index run and an export see the same text, blocks and marks, so that the indexed text is the displayed one. An unchanged
document costs one look at a file's name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any

from chunking.model import Document
from chunking.store.documents.change_log import Change, ChangeLogs
from chunking.store.documents.document_rows import DocumentRow, document_stamp

__all__ = ["KINDS", "ChangeKind", "ChangedDocuments"]

_CHARACTERS = 8_000_000
"""Maximum characters of cached documents, about."""
_ROWS = 4_096


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """Kind of change (edits or pins), with the name of the function that applies it to a document."""

    name: str
    applier: str
    """`module:function`, imported at the first change: (document, changes) -> document.

    It is pure and raises nothing: it skips changes that do not fit.
    """

    def apply(self, document: Document, changes: Sequence[Change]) -> Document:
        """Return the document with changes of this kind applied."""
        module, _, name = self.applier.partition(":")
        function: Callable[[Document, Sequence[Mapping[str, Any]]], Document] = getattr(import_module(module), name)
        return function(document, changes)


EDITS = ChangeKind("edits", "chunking.parsing.edits:apply_changes")
PINS = ChangeKind("pins", "chunking.splitting.pins.stored_pins:apply_changes")
KINDS: tuple[ChangeKind, ...] = (EDITS, PINS)
"""Kinds of changes, in the order they are applied."""


class ChangedDocuments:
    """Cache of documents and rows with users' changes applied; the last documents used are kept."""

    def __init__(self, logs: ChangeLogs) -> None:
        self.logs = logs
        self._guard = Lock()
        self._documents: OrderedDict[tuple[str, ...], Document] = OrderedDict()
        self._rows: dict[tuple[str, ...], DocumentRow] = {}

    def digests(self, doc_id: str) -> tuple[str, ...]:
        """Return a digest of a document's changes per kind (empty: none); () without any change."""
        listed = self.logs.listed()
        if not listed:
            return ()
        digests = tuple(listed[doc_id, kind.name].digest if (doc_id, kind.name) in listed else "" for kind in KINDS)
        return digests if any(digests) else ()

    def with_changes(self, parsed: Document) -> Document:
        """Return a parsed document with its stored changes in effect applied."""
        changed = parsed
        for kind, digest in zip(KINDS, self.digests(parsed.doc_id), strict=False):
            changed = kind.apply(changed, self.logs.log(parsed.doc_id, kind.name).changes) if digest else changed
        return changed

    def document(self, row: DocumentRow, read: Callable[[], Document]) -> Document:
        """Return a stored document with its changes applied, cached if it has any.

        Args:
            row: the parsed document's row.
            read: loads the parsed document.
        """
        digests = self.digests(row.doc_id)
        key = _key(row)
        if not digests:
            return read()
        return self._cached((*key, *digests), lambda: self.with_changes(self._cached(key, read)))

    def parsed(self, row: DocumentRow, read: Callable[[], Document]) -> Document:
        """Return a stored document as it was parsed, from the cache if it has changes."""
        return self._cached(_key(row), read) if self.digests(row.doc_id) else read()

    def row(self, row: DocumentRow, read: Callable[[], Document]) -> DocumentRow:
        """Return a document's row with its changes: title, outline, counts, warnings and stamp."""
        digests = self.digests(row.doc_id)
        if not digests:
            return row
        key = (*_key(row), *digests)
        if key not in self._rows:
            document = self.document(row, read)
            if len(self._rows) >= _ROWS:
                self._rows.clear()
            self._rows[key] = row._replace(
                title=document.title,
                doc_toc=document.doc_toc,
                warnings=document.warnings,
                characters=len(document.text),
                sections=len(document.sections),
                stamp=document_stamp(document),
            )
        return self._rows[key]

    def _cached(self, key: tuple[str, ...], make: Callable[[], Document]) -> Document:
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
