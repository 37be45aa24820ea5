"""Tables of stored documents and their source files, from which indexes are rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from chunking.errors import NotFoundError
from chunking.model import Document
from chunking.store.documents.document_rows import (
    DOCUMENT_FIELDS,
    LIGHT_FIELDS,
    DocumentRow,
    Version,
    document_row,
    row_document,
    rows_of,
    section_rows,
)
from chunking.store.documents.document_stamps import STAMP_COLUMNS, DocumentStamps
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import DOCUMENTS, FILES, SECTIONS, schema

__all__ = ["DocumentTable", "FileTable"]

_NAMED = 3
"""Maximum documents of one change that the audit log names one by one."""
_AT_ONCE = 16
"""Documents read in one query: few enough for memory, enough to make the query's own cost small."""
_MOST_BY_ID = 1_000
"""Maximum documents whose rows are read by id or hash; for more the rows of all are."""
_STAMPS = "stamps"
"""Key of the documents' stamps in `Tables.listings`."""
_TEXT_AT_ONCE = 8_000_000
"""Maximum characters of text read in one query; a longer text is read alone."""


class DocumentTable:
    """Tables `documents` and `sections`: documents as parsed, without users' changes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def rows(self, doc_ids: Collection[str] | None = None) -> Sequence[DocumentRow]:
        """Return a row of each document, or of some, without text, by source, then in order of adding.

        Ids of one source are x, x_2 … x_10. Rows are kept for all users of a workspace: a page asks several times each
        time it runs. They are read again only after another process's write; this one's are added to them.
        """
        stamp = self._tables.stamp(DOCUMENTS)  # before the rows, so that a concurrent write has a newer one
        listed: tuple[str, tuple[DocumentRow, ...]] | None = self._tables.listings.get(DOCUMENTS)
        is_current = listed is not None and listed[0] == stamp
        if doc_ids is not None:
            if not doc_ids:
                return ()
            if not is_current and len(doc_ids) <= _MOST_BY_ID:
                return _in_order(self._light(doc_ids))
            some = set(map(clean, doc_ids))
            return tuple(row for row in self.rows() if row.doc_id in some)
        if listed is None or not is_current:
            columns = self._tables.read_columns("listing the documents", DOCUMENTS, LIGHT_FIELDS)
            listed = self._tables.listings[DOCUMENTS] = stamp, _in_order(rows_of(columns))
        return listed[1]

    def stamps(self) -> DocumentStamps:
        """Return id and stamp of each document in the order of `rows`, kept until a write."""
        stamp = self._tables.stamp(DOCUMENTS)
        listed: tuple[str, DocumentStamps] | None = self._tables.listings.get(_STAMPS)
        if listed is None or listed[0] != stamp:
            rows = self._tables.read_table("listing the documents", DOCUMENTS, STAMP_COLUMNS)
            listed = self._tables.listings[_STAMPS] = stamp, DocumentStamps.in_order(rows)
        return listed[1]

    def _update_rows(self, before: str, doc_ids: Iterable[str], rows: Sequence[DocumentRow] = ()) -> None:
        """Update the rows that are kept after a write of this process, the only writer, if they were current.

        Args:
            before: the table's stamp before the write.
            doc_ids: documents that were replaced or deleted.
            rows: those written.
        """
        stamp, listed = self._tables.listings.get(DOCUMENTS, ("", ()))
        if stamp == before:
            replaced = {*doc_ids, *(row.doc_id for row in rows)}
            every = [*(row for row in listed if row.doc_id not in replaced), *rows]
            self._tables.listings[DOCUMENTS] = self._tables.stamp(DOCUMENTS), _in_order(every)

    def get(self, doc_id: str) -> Document:
        """Return a document by id.

        Raises:
            NotFoundError: there is no document with this id.
        """
        rows = self._tables.read(f"reading the document {doc_id}", DOCUMENTS, DOCUMENT_FIELDS, _is(doc_id))
        if not rows:
            raise _not_found(self._tables.uri, doc_id)
        return row_document(rows[0])

    def many(self, doc_ids: Sequence[str]) -> Iterator[Document]:
        """Yield documents in the order of ids, a few per query; deleted ones are left out.

        The next ones are read while the caller works.
        """
        queries = (self._start(doc_ids[first : first + _AT_ONCE]) for first in range(0, len(doc_ids), _AT_ONCE))
        pending = next(queries, None)
        while pending is not None:
            documents = pending()
            pending = next(queries, None)
            yield from documents

    def _start(self, doc_ids: Sequence[str]) -> Callable[[], Iterator[Document]]:
        """Start reading documents, and return a function that waits for them."""
        if self._tables.table(DOCUMENTS) is None:
            return lambda: iter(())

        def query() -> Any:
            return self._tables.query(DOCUMENTS).where(_among(doc_ids))

        rows = self._tables.start_columns("reading documents", DOCUMENTS, query, DOCUMENT_FIELDS)

        def documents() -> Iterator[Document]:
            by_id = {row["doc_id"]: row for row in rows().to_pylist()}
            return (row_document(by_id[doc_id]) for doc_id in doc_ids if doc_id in by_id)

        return documents

    def texts(self, rows: Iterable[DocumentRow]) -> Iterator[tuple[str, str]]:
        """Yield (id, text) of documents in any order, several per query; deleted ones are left out."""
        some, characters = list[str](), 0
        for row in rows:
            if some and characters + row.characters > _TEXT_AT_ONCE:
                yield from self._texts(some)
                some, characters = [], 0
            some.append(row.doc_id)
            characters += row.characters
        yield from self._texts(some)

    def _texts(self, doc_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        rows = self._tables.read("reading documents", DOCUMENTS, ("doc_id", "text"), _among(doc_ids)) if doc_ids else ()
        yield from ((row["doc_id"], row["text"]) for row in rows)

    def inner(self, doc_ids: Collection[str]) -> list[DocumentRow]:
        """Return the rows of documents whose parent is among the ids: files embedded in these."""
        if not doc_ids or self._tables.missing(DOCUMENTS, ["parent_id"]):
            return []
        return rows_of(
            self._tables.read_columns("reading documents", DOCUMENTS, LIGHT_FIELDS, _among(doc_ids, "parent_id"))
        )

    def put(
        self,
        documents: Sequence[Document],
        gone: Sequence[DocumentRow] = (),
        parse_keys: Mapping[str, str] | None = None,
    ) -> set[str]:
        """Write documents in one commit; changed ones keep earlier hashes and dates in `versions`.

        Without documents nothing is done, and nothing of `gone` is deleted. Added documents and new versions are
        reported for the audit log.

        The sections go into their own table afterwards, a copy for listing: the document's row is authoritative.

        Args:
            gone: documents to delete in the same commit.
            parse_keys: `DocumentRow.parse_key` by id.
        Returns:
            The hashes of the versions replaced and of the documents deleted, except those of `documents`.
        """
        import pyarrow as pa

        if not documents:
            return set()
        doc_ids = [document.doc_id for document in documents]
        earlier = {row.doc_id: row for row in self._light(doc_ids)}
        keys = parse_keys or {}
        rows = [
            document_row(one, _versions(earlier.get(one.doc_id), one), keys.get(one.doc_id, "")) for one in documents
        ]
        saved = pa.Table.from_pylist(rows, schema=schema(DOCUMENTS))
        gone_ids = [row.doc_id for row in gone]
        before = self._tables.stamp(DOCUMENTS)
        self._tables.upsert(
            "saving documents", DOCUMENTS, "doc_id", saved, replacing=_among(gone_ids) if gone else None
        )
        self._update_rows(before, gone_ids, rows_of(saved.select(list(LIGHT_FIELDS)).to_pydict()))
        sections = [row for document in documents for row in section_rows(document)]
        table = pa.Table.from_pylist(sections, schema=schema(SECTIONS))
        self._tables.upsert("saving sections", SECTIONS, "section_id", table, replacing=_among([*doc_ids, *gone_ids]))
        files = [document for document in documents if not document.parent_id]
        self.note("added", [one.source for one in files if one.doc_id not in earlier])
        self.note("added a new version of", [one.source for one in files if one.doc_id in earlier])
        return {row.hash for row in (*earlier.values(), *gone)} - {document.hash for document in documents}

    def note(self, what: str, sources: Sequence[str]) -> None:
        """Report an action on documents for the audit log: up to 3 by source, more by number."""
        if len(sources) > _NAMED:
            self._tables.note(what, f"{len(sources):,} documents")
            return
        for source in sources:
            self._tables.note(what, source)

    def unused(self, hashes: Collection[str]) -> set[str]:
        """Return those of `hashes` that no stored document has."""
        from lancedb.expr import col

        if not hashes:
            return set()
        where = col("hash").isin(list(hashes)) if len(hashes) <= _MOST_BY_ID else None
        return set(hashes) - set(self._tables.read_columns("reading documents", DOCUMENTS, ("hash",), where)["hash"])

    def _light(self, doc_ids: Iterable[str]) -> list[DocumentRow]:
        return rows_of(self._tables.read_columns("reading documents", DOCUMENTS, LIGHT_FIELDS, _among(doc_ids)))

    def check(self, doc_ids: Sequence[str]) -> set[str]:
        """Check that documents exist, and return the set of their source files' hashes.

        Raises:
            NotFoundError: there is no document with one of the ids.
        """
        earlier = {row.doc_id: row.hash for row in self._light(doc_ids)} if doc_ids else {}
        missing = [doc_id for doc_id in doc_ids if doc_id not in earlier]
        if missing:
            raise _not_found(self._tables.uri, missing[0])
        return set(earlier.values())

    def begin(self) -> None:
        """Write the table without a row, which tells a workspace that stays empty from a new one."""
        self._tables.add("beginning an empty workspace", DOCUMENTS, schema(DOCUMENTS).empty_table())

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Delete documents and their sections, and return the number of documents.

        Raises:
            NotFoundError: some of them do not exist; then none is deleted.
        """
        self.check(doc_ids)
        before = self._tables.stamp(DOCUMENTS)
        for name in (DOCUMENTS, SECTIONS):
            table = self._tables.table(name)
            if table is not None and doc_ids:
                self._tables.change("deleting documents", partial(table.delete, _among(doc_ids)))
        self._update_rows(before, map(clean, doc_ids))
        return len(set(doc_ids))


def _in_order(rows: Iterable[DocumentRow]) -> tuple[DocumentRow, ...]:
    return tuple(sorted(rows, key=lambda row: (row.source, len(row.doc_id), row.doc_id)))


def _versions(earlier: DocumentRow | None, document: Document) -> tuple[Version, ...]:
    if earlier is None:
        return ()
    if earlier.hash == document.hash:
        return earlier.versions
    return (*earlier.versions, Version(earlier.hash, earlier.updated_at))


def _not_found(uri: str, doc_id: str) -> NotFoundError:
    return NotFoundError(
        f"There is no document '{doc_id}' in {uri}; list the documents to see their ids.", where=doc_id
    )


def _is(doc_id: str) -> Any:
    from lancedb.expr import col, lit

    return col("doc_id") == lit(clean(doc_id))


def _among(doc_ids: Iterable[str], column: str = "doc_id") -> Any:
    from lancedb.expr import col

    return col(column).isin([clean(doc_id) for doc_id in doc_ids])


# -- source files: by hash, each once


class FileTable:
    """Table `files` of stored source files by hash; documents of equal hash share a row."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, hash: str) -> bytes | None:
        """Return the bytes of a stored file by hash, or None."""
        rows = self._tables.read("reading a document's file", FILES, ("data",), _hash_among([hash]), limit=1)
        return bytes(rows[0]["data"]) if rows else None

    def hashes(self) -> set[str]:
        """Return the hashes of all stored files, without reading the files."""
        return set(self._tables.read_columns("listing the files", FILES, ("hash",))["hash"])

    def put(self, files: Mapping[str, bytes]) -> None:
        """Save files in one commit, skipping those already stored."""
        import pyarrow as pa

        if not files:
            return
        stored = self.hashes()
        rows = [{"hash": hash, "data": data} for hash, data in files.items() if hash not in stored]
        if rows:
            self._tables.upsert(
                "saving a document's file", FILES, "hash", pa.Table.from_pylist(rows, schema=schema(FILES))
            )

    def delete(self, hashes: Collection[str]) -> None:
        """Delete files by hash; missing ones are ignored."""
        table = self._tables.table(FILES)
        if table is not None and hashes:
            self._tables.change("deleting a document's file", partial(table.delete, _hash_among(hashes)))


def _hash_among(hashes: Collection[str]) -> Any:
    from lancedb.expr import col

    return col("hash").isin(list(hashes))
