"""Rows of a workspace's documents, and values derived from them, kept until a write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from chunking.store.documents.changed_documents import ChangedDocuments
from chunking.store.documents.document_rows import DocumentRow
from chunking.store.documents.document_stamps import DocumentStamps
from chunking.store.documents.document_table import DocumentTable
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import DOCUMENTS

__all__ = ["DocumentListing"]

T = TypeVar("T")

_DERIVED = "derived"
"""Key of the derived values in `Tables.listings`."""


class DocumentListing:
    """Rows of all documents with users' changes, for `Workspace.documents` and `Workspace.derived`."""

    def __init__(self, tables: Tables, documents: DocumentTable, changed: ChangedDocuments) -> None:
        self._tables = tables
        self._documents = documents
        self._changed = changed

    def rows(self, doc_ids: Collection[str] | None = None) -> Sequence[DocumentRow]:
        """Return a row of each document, or of some; only those with changes are looked at one by one."""
        rows = self._documents.rows(doc_ids)
        changed = {doc_id for doc_id, _ in self._changed.logs.listed()}
        if not changed:
            return rows
        return [
            self._changed.row(row, partial(self._documents.get, row.doc_id)) if row.doc_id in changed else row
            for row in rows
        ]

    def stamps(self) -> DocumentStamps:
        """Return id and stamp of each of `rows()`."""
        changed = self.rows({doc_id for doc_id, _ in self._changed.logs.listed()})
        return self._documents.stamps().with_stamps({row.doc_id: row.stamp for row in changed})

    def derived(self, make: Callable[[Sequence[DocumentRow]], T]) -> T:
        """Return `make(rows())`, kept by function, for all users, until a write by any process."""
        version = f"{self._tables.stamp(DOCUMENTS)} {self._changed.logs.version}"
        kept_for, values = self._tables.listings.get(_DERIVED, ("", {}))
        if kept_for != version:
            values = {}
            self._tables.listings[_DERIVED] = version, values
        if make not in values:
            values[make] = make(self.rows())
        value: T = values[make]
        return value
