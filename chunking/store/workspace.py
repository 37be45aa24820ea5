"""A workspace: the documents, caches, indexes and records in a folder (or URI) of LanceDB tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from chunking.config import Config
from chunking.errors import NotFoundError, StoreError
from chunking.model import Document
from chunking.paths import AnyPath
from chunking.store.access import EVERYTHING, Access, Right
from chunking.store.bulk.bulk_writer import BulkWriter
from chunking.store.cache_tables import EncodingTable, TextTable, VectorTable
from chunking.store.candidate_indexes import is_live, promote, undo_promotion
from chunking.store.documents.change_log import ChangeLogs
from chunking.store.documents.changed_documents import ChangedDocuments
from chunking.store.documents.document_listing import DocumentListing
from chunking.store.documents.document_rows import DocumentRow
from chunking.store.documents.document_stamps import DocumentStamps
from chunking.store.documents.document_table import DocumentTable, FileTable
from chunking.store.engine.file_locks import WriterLock
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import CHANGES, CHUNKS, DOCUMENTS, FILES, INDEXES, WORKSPACE_TABLES
from chunking.store.engine.table_upkeep import upkeep_if_due
from chunking.store.index.chunk_arrow import table_schema
from chunking.store.index.index import Index, delete_chunks
from chunking.store.index.index_registry import IndexRow, Registry
from chunking.store.scratch_folder import ScratchFolder
from chunking.store.workspace_records import NamedRecords, SearchHistory
from chunking.text.byte_caches import forget_texts

__all__ = ["Workspace"]

T = TypeVar("T")

_FIRST_WRITTEN_VERSION = 2
"""Version of a table once rows were written; the first version is empty."""


def _tables(uri: AnyPath, *, create: bool = True, access: Access = EVERYTHING, sole_writer: bool = False) -> Tables:
    name = os.fspath(uri)
    if not name.strip():
        raise StoreError("No workspace was given; give its folder, existing or new.")
    return Tables(name, create=create, access=access, sole_writer=sole_writer)


class Workspace:
    """Documents, saved embeddings and indexes at one URI.

    It holds question sets, runs and other named records, too. It has no state but open tables and caches of their
    rows, so several may be open at once.

    Attributes:
        uri: its folder or URI.
        access: rights of the user it was opened for.
        vectors: the cache of embeddings.
        texts: the cache of texts by a language model.
        encodings: the cache of documents encoded once, for late vectors.
        question_sets: by name (`evaluation.QuestionSet`).
        labelling_queues: queries that wait to be labelled, by name (`evaluation.labelling`).
        runs: evaluation results, by key (`evaluation.EvaluationRun`).
        sweeps: planned evaluations, by name (`evaluation.Sweep`).
        configurations: settings that users share, by name (`SavedConfiguration`).
        parsers: the parser of new documents (`indexing.workspace_parser`).
        loaded_chunks: chunks of other splitters, by name (`evaluation.LoadedChunks`).
        table_samples: where sampled documents came from (`indexing.TableSample`).
        changes: users' edits and pins, by document and kind, with undo and redo.
        search_history: queries, oldest first.
    """

    def __init__(self, place: AnyPath | Tables, caches: Workspace | None = None) -> None:
        """Open a URI, or wrap open tables; `open` has more options."""
        tables = place if isinstance(place, Tables) else _tables(place)
        self.uri = tables.uri
        self.access = tables.access
        self.vectors: VectorTable = caches.vectors if caches else VectorTable(tables)
        self.texts: TextTable = caches.texts if caches else TextTable(tables)
        self.encodings: EncodingTable = caches.encodings if caches else EncodingTable(tables)
        self.question_sets = NamedRecords(tables, "question sets")
        self.labelling_queues = NamedRecords(tables, "labelling queues")
        self.runs = NamedRecords(tables, "runs")
        self.sweeps = NamedRecords(tables, "sweeps")
        self.configurations = NamedRecords(tables, "configurations")
        self.loaded_chunks = NamedRecords(tables, "loaded chunks")
        self.parsers = NamedRecords(tables, "parsers")
        self.table_samples = NamedRecords(tables, "table samples")
        self.changes = ChangeLogs(tables)
        self.search_history = SearchHistory(tables)
        self._tables = tables
        self._borrows = caches is not None
        self._documents = DocumentTable(tables)
        self._changed = ChangedDocuments(self.changes)
        self._listing = DocumentListing(tables, self._documents, self._changed)
        self._files = FileTable(tables)
        self._registry = Registry(tables)
        self._lock = WriterLock(tables.uri, tables.folder, tables.threads)

    @classmethod
    def open(
        cls,
        uri: AnyPath,
        *,
        create: bool = True,
        caches: Workspace | None = None,
        access: Access = EVERYTHING,
        sole_writer: bool = False,
    ) -> Workspace:
        """Open the workspace at `uri`; creates its folder unless `create` is False.

        Args:
            uri: a folder, also as `file:///folder`; `memory://`, private to this object; or object storage
                (`s3://…`, `gs://…`, `az://…`), read-only because no lock keeps two writers apart there.
            sole_writer: allow writes to object storage; the caller answers for being the only writer.
            access: rights that the store enforces; everything is allowed by default.
            caches: another workspace whose embeddings, texts and encodings are used instead of its own.
        Raises:
            AccessError: `access` does not allow reading.
            NotFoundError: `create` is False and there is no such folder.
            StoreError: the place cannot be read or written, or begins with `~` (never expanded, see `chunking.paths`).

        >>> Workspace.open("memory://").documents()
        []
        """
        return cls(_tables(uri, create=create, access=access, sole_writer=sole_writer), caches)

    def __repr__(self) -> str:
        return f"Workspace({self.uri!r})"

    def seen_by(self, access: Access) -> Workspace:
        """Return the same workspace for another user's access, sharing open tables.

        It uses its own caches, even if this one was opened with those of another workspace (`caches`).

        Raises:
            AccessError: `access` does not allow reading.
        """
        return Workspace(self._tables.seen_by(access))

    def may(self, right: Right) -> bool:
        """True if the user has a right now; on object storage writing also needs `sole_writer`."""
        return self._tables.may(right)

    def require(self, right: Right) -> None:
        """Raise AccessError unless `may(right)`; call it before long work that would be lost."""
        self._tables.require(right)

    @property
    def calls(self) -> int:
        """Number of table queries and writes so far through this object (law 8 counts them)."""
        return self._tables.calls

    def version(self) -> str:
        """Return a stamp that changes with each write to documents, users' changes or indexes.

        Writes by any process count; those to question sets, other records and caches do not.
        """
        tables = [DOCUMENTS, CHANGES, INDEXES, *(row.table for row in self._registry.rows())]
        return "-".join(self._tables.stamp(name) for name in tables)

    @property
    def folder(self) -> Path | None:
        """Folder on this machine; None for memory and object storage."""
        return self._tables.folder

    def table_stamps(self) -> dict[str, str]:
        """Return by table a stamp that changes with each write; unlisted indexes are left out."""
        listed = {row.table for row in self._registry.rows()}
        names = [name for name in self._tables.names() if not name.startswith(CHUNKS) or name in listed]
        return {name: self._tables.stamp(name) for name in names}

    def check(self) -> None:
        """Check that data can be read: list documents, search each index, read a row of each table.

        Raises:
            NotFoundError: a table is missing, or was rebuilt meanwhile.
            StoreError: the data cannot be read.
        """
        self.documents()
        for row in self._registry.rows():
            index = Index(self._tables, row)
            index.documents()
            index.check()
        for name in self.table_stamps():
            self._tables.first_row(name)

    @property
    def untouched(self) -> bool:
        """True if no document was ever saved, not even one deleted since, and `begin_empty` was not called."""
        return self._tables.version(DOCUMENTS) < _FIRST_WRITTEN_VERSION

    def begin_empty(self) -> None:
        """Make a new workspace one that is meant to be empty: it is not `untouched` any more.

        Raises:
            AccessError, LockedError: as `writer`, whose lock is taken.
        """
        with self.writer():
            if self.untouched:
                self._documents.begin()

    @contextmanager
    def writer(self) -> Iterator[None]:
        """Hold the lock of the workspace's only writer during a `with` block; may be nested.

        Raises:
            AccessError: the access does not allow writing.
            LockedError: another process or thread is writing; raised at once, without waiting.
        """
        self._tables.require(Right.WRITE)
        with self._lock.hold():
            yield

    # -- documents

    def documents(self, doc_ids: Collection[str] | None = None) -> list[DocumentRow]:
        """Return a row of each document, or of some, without text, by source, with users' changes applied."""
        return list(self._listing.rows(doc_ids))

    def document_stamps(self) -> DocumentStamps:
        """Return id and stamp of each of `documents()`, in a tenth of the time in which rows are read."""
        return self._listing.stamps()

    def derived(self, make: Callable[[Sequence[DocumentRow]], T]) -> T:
        """Return `make(documents())`, computed once until a document or a user's change of one is written.

        Args:
            make: a function of a module, such as `document_labels`; its value must not be changed.
        """
        return self._listing.derived(make)

    def document(self, doc_id: str) -> Document:
        """Return a document with its text, users' changes applied. Raises NotFoundError."""
        return self._changed_document(doc_id, self._changed.document)

    def parsed(self, doc_id: str) -> Document:
        """Return a document as it was parsed, without users' changes. Raises NotFoundError."""
        return self._changed_document(doc_id, self._changed.parsed)

    def _changed_document(
        self, doc_id: str, load: Callable[[DocumentRow, Callable[[], Document]], Document]
    ) -> Document:
        read = partial(self._documents.get, doc_id)
        if not self._changed.digests(doc_id):
            return read()
        row = next((row for row in self._documents.rows() if row.doc_id == doc_id), None)
        return read() if row is None else load(row, read)

    def with_changes(self, parsed: Document) -> Document:
        """Return a parsed document, saved or not, with users' stored edits and pins applied."""
        return self._changed.with_changes(parsed)

    def read_documents(self, doc_ids: Sequence[str]) -> Iterator[Document]:
        """Yield documents in the order of ids, users' changes applied; missing ids are skipped.

        A few are read at a time.
        """
        return map(self._changed.with_changes, self._documents.many(doc_ids))

    def document_texts(self, rows: Iterable[DocumentRow]) -> Iterator[tuple[str, str]]:
        """Yield (id, text as parsed) of documents, without users' changes, in any order.

        A few million characters are read at a time. Deleted documents are left out.
        """
        return self._documents.texts(rows)

    def put_document(self, document: Document) -> None:
        """Save one document, or a new version, by `put_documents`.

        Documents saved as embedded in its earlier version are deleted, since it comes without any.
        """
        self.put_documents([document])

    def put_documents(
        self,
        documents: Sequence[Document],
        files: Mapping[str, bytes] | None = None,
        parse_keys: Mapping[str, str] | None = None,
    ) -> None:
        """Save documents, and delete documents that their files no longer contain, in one commit.

        Takes the writer's lock; raises as `writer`.

        A file's document (empty `parent_id`) comes with the documents of all files in it: others of that parent are
        deleted, with their chunks in every index.

        Args:
            files: source files to store, by hash (formats with `parsing.Format.keeps_file`). Written first, and those
                of replaced versions deleted last: an interruption leaves a file too many (see `tidy`), never too few.
            parse_keys: code and options of parses by document id (`DocumentRow.parse_key`).
        """
        with self.writer():
            self._files.put(files or {})
            saved = {document.doc_id for document in documents}
            before = self._documents.inner([document.doc_id for document in documents if not document.parent_id])
            gone = [row for row in before if row.doc_id not in saved]
            self._delete_chunks([row.doc_id for row in gone])
            replaced = self._documents.put(documents, gone, parse_keys)
            self._drop_unused_files(replaced)
            if replaced or gone:
                forget_texts()

    def put_file(self, hash: str, data: bytes) -> None:
        """Save a document's source file by hash; hold `writer` until the document itself is saved.

        Otherwise `tidy` may delete the file, which no document has yet.

        Args:
            hash: sha256 (hex) of the bytes, the document's `hash`.
        """
        with self.writer():
            self._files.put({hash: data})

    def file(self, hash: str) -> bytes | None:
        """Return the stored source file of a document's `hash` (sha256), or None."""
        return self._files.get(hash)

    def _drop_unused_files(self, hashes: Collection[str]) -> None:
        """Delete the files that no document has any more."""
        if self._tables.table(FILES) is not None:
            self._files.delete(self._documents.unused(hashes))

    def delete_documents(self, doc_ids: Sequence[str]) -> int:
        """Delete documents with those embedded in them, their source files, and all their chunks.

        Chunks go before documents, and documents before files, so that an interrupted call can be repeated. Embeddings
        stay; so do users' changes, for when the file comes back.

        Returns:
            Number of chunks deleted over all indexes; rows of other levels do not count.
        Raises:
            NotFoundError: one of them does not exist; then nothing is deleted.
            AccessError, LockedError: as `writer`, whose lock is taken.
        """
        with self.writer():
            hashes = self._documents.check(doc_ids)
            sources = [row.source for row in self._documents.rows() if row.doc_id in set(doc_ids)]
            inner = self._documents.inner(doc_ids)
            every = [*doc_ids, *(row.doc_id for row in inner)]
            gone = self._delete_chunks(every)
            self._documents.delete(every)
            self._drop_unused_files(hashes | {row.hash for row in inner})
            self._documents.note("deleted", sources)
            forget_texts()
            return gone

    def _delete_chunks(self, doc_ids: Sequence[str]) -> int:
        """Delete the chunks of documents in all indexes, and return their number."""
        if not doc_ids:
            return 0
        return sum(delete_chunks(Index(self._tables, row), doc_ids, self._registry) for row in self._registry.rows())

    # -- indexes

    def indexes(self) -> list[IndexRow]:
        """Return the registry rows of all indexes, last updated first; candidates and previous ones come last."""
        return sorted(self._registry.rows(), key=lambda row: not is_live(row.name))

    def index(self, name: str | None = None) -> Index:
        """Return an index by name; None: the last updated live one, preferring those once complete.

        Raises:
            NotFoundError: there is no such index; the message lists the existing ones.
        """
        rows = self.indexes()
        complete = [row for row in rows if row.fingerprint] or rows
        matches = complete if name is None else [row for row in rows if row.name == name]
        if matches:
            return Index(self._tables, matches[0])
        if not rows:
            raise NotFoundError(f"The workspace {self.uri} has no index yet; build one first.", where=name)
        raise NotFoundError(
            f"There is no index '{name}' in {self.uri}; the indexes are {', '.join(row.name for row in rows)}.",
            where=name,
        )

    def create_index(
        self, name: str, config: Config, *, model_key: str, dimension: int, code_version: str = ""
    ) -> Index:
        """Create the empty table of a new index; it is not listed before `publish`."""
        with self.writer():
            row = IndexRow.new(name, config, model_key=model_key, dimension=dimension, code_version=code_version)
            self._tables.table(row.table, table_schema(dimension))
            index = Index(self._tables, row)
            index.build()
            return index

    def bulk_writer(self) -> BulkWriter:
        """Return the writer of tables that many processes fill; hold `writer` while it commits.

        Raises:
            StoreError: the workspace is in memory.
        """
        return BulkWriter(self._tables)

    def publish(self, index: Index, row: IndexRow | None = None) -> Index:
        """List an index under its name in one commit, then delete the table of its predecessor.

        Args:
            row: registry row to write; None: the index's own.
        Returns:
            The index with the row as written.
        """
        with self.writer():
            earlier = [listed.table for listed in self._registry.rows() if listed.name == index.name]
            published = self._registry.put(row or index.row)
            for table in earlier:
                if table != published.table:
                    self._tables.drop(table)
            if published.state == "complete":
                self._tables.note("built the index", published.name)
            return Index(self._tables, published)

    def discard(self, index: Index) -> None:
        """Delete the table of an index, unless it is listed (`publish` may have got that far)."""
        with self.writer():
            if index.row.table not in {row.table for row in self._registry.rows()}:
                self._tables.drop(index.row.table)

    def drop_index(self, name: str) -> None:
        """Delete an index by name, with its table of chunks. Raises NotFoundError."""
        with self.writer():
            index = self.index(name)
            self._registry.delete(name)
            self._tables.drop(index.row.table)
            self._tables.note("deleted the index", name)

    def promote(self, name: str, fingerprint: str | None = None) -> Index:
        """Make the candidate of an index live, see `candidate_indexes.promote`; raises also as `writer`."""
        with self.writer():
            return Index(self._tables, promote(self._tables, self._registry, name, fingerprint))

    def undo_promotion(self, name: str) -> Index:
        """Make the previous index live again, see `candidate_indexes.undo_promotion`; raises also as `writer`."""
        with self.writer():
            return Index(self._tables, undo_promotion(self._tables, self._registry, name))

    def tidy(self) -> None:
        """Delete unlisted indexes, unused files, scratch folders, excess encodings; compact tables.

        Encodings are deleted oldest first until 4 GB remain.

        Raises:
            LockedError: another process is writing; its unfinished index must stay.
        """
        with self.writer():
            listed = {row.table for row in self._registry.rows()}
            for name in self._tables.names():
                if name.startswith(CHUNKS) and name not in listed:
                    self._tables.drop(name)
            self._drop_unused_files(self._files.hashes())
            if self.folder is not None:
                ScratchFolder.clear_inside(self.folder)
            if not self._borrows:  # else their owner compacts them, under its own lock
                self.encodings.trim()
            for name in WORKSPACE_TABLES:
                upkeep_if_due(self._tables, name)
            if not self._borrows:
                self.vectors.index()
                self.texts.index()
