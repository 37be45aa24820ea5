"""A workspace: everything a folder (or URI) of LanceDB tables holds."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from chunking.config import Config
from chunking.errors import NotFoundError, StoreError
from chunking.model import Document
from chunking.paths import AnyPath
from chunking.store.access import EVERYTHING, Access, Right
from chunking.store.caches.encoding_cache import EncodingTable
from chunking.store.caches.text_cache import TextTable
from chunking.store.caches.vector_cache import VectorTable
from chunking.store.documents.change_log import ChangeLogs
from chunking.store.documents.changed_documents import ChangedDocuments
from chunking.store.documents.document_rows import DocumentRow
from chunking.store.documents.document_table import DocumentTable
from chunking.store.documents.source_files import FileTable
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import (
    CHANGES,
    CHUNKS,
    DOCUMENTS,
    EMBEDDINGS,
    ENCODINGS,
    FILES,
    GENERATED_TEXTS,
    INDEXES,
    NAMED_RECORDS,
    SEARCH_HISTORY,
    SECTIONS,
)
from chunking.store.engine.writer_lock import WriterLock
from chunking.store.index.chunk_arrow import chunks_schema
from chunking.store.index.index import Index
from chunking.store.index.index_registry import IndexRow, Registry
from chunking.store.named_records import NamedRecords
from chunking.store.scratch_folder import ScratchFolder
from chunking.store.search_history import SearchHistory
from chunking.text.byte_caches import forget_texts

__all__ = ["Workspace"]

_WRITTEN = 2
"""The version of a table that rows were put into; the first one has none."""


def _tables(uri: AnyPath, *, create: bool = True, access: Access = EVERYTHING, sole_writer: bool = False) -> Tables:
    name = os.fspath(uri)
    if not name.strip():
        raise StoreError("No workspace was given; give its folder, existing or new.")
    return Tables(name, create=create, access=access, sole_writer=sole_writer)


class Workspace:
    """Documents, saved embeddings and indexes. Holds no state but open tables: several may stand side by side.

    Attributes:
        uri: where it is.
        access: what whoever it was opened for may do with it.
        vectors: the cache of embeddings.
        texts: the cache of what a language model wrote.
        encodings: the cache of documents encoded once, for late vectors.
        question_sets: by name (`evaluation.QuestionSet`).
        labelling_queues: queries that wait to be labelled, by name (`evaluation.labelling`).
        runs: what was measured, by key (`evaluation.Run`).
        sweeps: what is to be measured, by name (`evaluation.Sweep`).
        configurations: settings that people share, by name (`SavedConfiguration`).
        loaded_chunks: chunks made elsewhere, by name (`evaluation.LoadedChunks`).
        changes: what people did to documents, by document and kind, with undo and redo.
        search_history: what was searched for in it.
    """

    def __init__(self, place: AnyPath | Tables, caches: Workspace | None = None) -> None:
        """As `open`, which has more options.

        Args:
            place: where it is; or its tables, opened already.
        """
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
        self.changes = ChangeLogs(tables)
        self.search_history = SearchHistory(tables)
        self._tables = tables
        self._borrows = caches is not None
        self._documents = DocumentTable(tables)
        self._changed = ChangedDocuments(self.changes)
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
        """Open the workspace at `uri`; its folder is made where there is none.

        Args:
            uri: a folder, also as `file:///folder`; `memory://`, which is this object's alone; or object storage
                (`s3://…`, `gs://…`,
                `az://…`), which is read and not written to: no lock keeps two writers apart there.
            sole_writer: of object storage: nothing else writes to it while this is open, so this may. The caller
                answers for it.
            access: of whom it is opened for; the store refuses what it does not allow. Without one everything is
                allowed.
            caches: another workspace, whose saved embeddings, texts and encodings are read and added to instead of own
                ones.
        Raises:
            AccessError: who it is opened for may not read it.
            NotFoundError: `create` is False and there is no such folder.
            StoreError: the place cannot be read or written; or it begins with `~`, which is not expanded (see
                `chunking.paths`).

        >>> Workspace.open("memory://").documents()
        []
        """
        return cls(_tables(uri, create=create, access=access, sole_writer=sole_writer), caches)

    def __repr__(self) -> str:
        return f"Workspace({self.uri!r})"

    def seen_by(self, access: Access) -> Workspace:
        """The same workspace, sharing open tables, for another user; AccessError if they may not read it."""
        return Workspace(self._tables.seen_by(access))

    def may(self, right: Right) -> bool:
        """Whether who it was opened for has a right now."""
        return self._tables.may(right)

    def require(self, right: Right) -> None:
        """Raises AccessError where who it was opened for has not, or not any more, the right: before work that would
        come to nothing.
        """
        self._tables.require(right)

    @property
    def calls(self) -> int:
        """Queries and writes issued so far (law 8 counts them)."""
        return self._tables.calls

    def version(self) -> str:
        """Changes with every write to documents, their changes or indexes, by any process: a key for what is derived
        from them.
        """
        tables = [DOCUMENTS, CHANGES, INDEXES, *(row.table for row in self._registry.rows())]
        return "-".join(self._tables.stamp(name) for name in tables)

    @property
    def folder(self) -> Path | None:
        """Where it is on this machine; None for the memory of the process and for object storage."""
        return self._tables.folder

    def table_stamps(self) -> dict[str, str]:
        """The tables that belong to it, all but those of an index that is not listed (yet), with what changes with
        every write.
        """
        listed = {row.table for row in self._registry.rows()}
        names = [name for name in self._tables.names() if not name.startswith(CHUNKS) or name in listed]
        return {name: self._tables.stamp(name) for name in names}

    def check(self) -> None:
        """Read from everything that is in it: something of every chunk of an index, and what its searches read; of
        other tables, a row.

        Raises:
            NotFoundError: a table is missing, or was built anew meanwhile.
            StoreError: what is there cannot be read.
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
        """True where no document was ever saved, not even one that was deleted since."""
        return self._tables.version(DOCUMENTS) < _WRITTEN

    @contextmanager
    def writer(self) -> Iterator[None]:
        """Hold the workspace's lock; may be nested.

        Raises:
            AccessError: who it was opened for may not write to it.
            LockedError: at once, when another process or thread writes.
        """
        self._tables.require(Right.WRITE)
        with self._lock.held():
            yield

    # -- documents

    def documents(self) -> list[DocumentRow]:
        """All documents without their texts, by source; those with changes as they are with them."""
        rows = self._documents.rows()
        if not self.changes.listed():
            return rows
        return [self._changed.row(row, partial(self._documents.get, row.doc_id)) for row in rows]

    def document(self, doc_id: str) -> Document:
        """A document with its text, blocks and sections, and with its changes. Raises NotFoundError."""
        row = self._changed_row(doc_id)
        read = partial(self._documents.get, doc_id)
        return read() if row is None else self._changed.document(row, read)

    def parsed(self, doc_id: str) -> Document:
        """A document as it was read from its file, without its changes. Raises NotFoundError."""
        row = self._changed_row(doc_id)
        read = partial(self._documents.get, doc_id)
        return read() if row is None else self._changed.parsed(row, read)

    def _changed_row(self, doc_id: str) -> DocumentRow | None:
        """What was read of a document that has changes; None where nobody changed it, or there is no such document."""
        if not self._changed.digests(doc_id):
            return None
        return next((row for row in self._documents.rows() if row.doc_id == doc_id), None)

    def with_changes(self, parsed: Document) -> Document:
        """A document that was read, saved or not, with the changes in force of its id."""
        return self._changed.with_changes(parsed)

    def read_documents(self, doc_ids: Sequence[str]) -> Iterator[Document]:
        """Read documents with their changes, a few at a time; missing ids are skipped."""
        return map(self._changed.with_changes, self._documents.many(doc_ids))

    def document_texts(self, rows: Iterable[DocumentRow]) -> Iterator[tuple[str, str]]:
        """(id, text) of documents, in no order, a few million characters read at a time; those that are gone are left
        out.
        """
        return self._documents.texts(rows)

    def put_document(self, document: Document) -> None:
        """Save a document as it was read, or a new version of it."""
        self.put_documents([document])

    def put_documents(self, documents: Sequence[Document], files: Mapping[str, bytes] | None = None) -> None:
        """Save several in one commit, and in the same one delete what their files held before and do not hold any more.

        A document that stands for a file (its `parent_id` is empty) is saved together with those of the files in it:
        another
        one of that parent in the workspace is deleted, with its chunks in every index.

        Args:
            files: source files to keep, by hash: those of formats whose files are kept (`parsing.Format.keeps_file`).
                They are written
                first and those of replaced versions deleted last: when this is cut short, a file too many is there,
                    which
                `tidy` clears away, and none is missing.
        """
        with self.writer():
            self._files.put(files or {})
            saved = {document.doc_id for document in documents}
            before = self._documents.inner([document.doc_id for document in documents if not document.parent_id])
            gone = [row for row in before if row.doc_id not in saved]
            self._forget_everywhere([row.doc_id for row in gone])
            replaced = self._documents.put(documents, gone)
            self._drop_files(replaced)
            if replaced or gone:
                forget_texts()

    def put_file(self, hash: str, data: bytes) -> None:
        """Keep a document's source file; hold `writer` until the document is saved, if it is not saved yet.

        Args:
            hash: sha256 (hex) of the bytes, the document's `hash`.
        """
        with self.writer():
            self._files.put({hash: data})

    def file(self, hash: str) -> bytes | None:
        """The source file of the documents of a hash; None where it is not kept: nothing of its format needs it."""
        return self._files.get(hash)

    def _drop_files(self, hashes: Collection[str]) -> None:
        """Delete the files that no document has any more."""
        if self._tables.table(FILES) is not None:
            self._files.delete(self._documents.unused(hashes))

    def delete_documents(self, doc_ids: Sequence[str]) -> int:
        """Delete documents, and those of the files in them, with their chunks in every index; saved embeddings stay,
        they belong to texts.

        The documents go last, but for their files: when this is cut short, it can be done again. Their changes stay:
        they hold again
        when the file comes back.

        Returns:
            The number of chunks deleted, over all indexes.
        Raises:
            NotFoundError: one of them does not exist; nothing is deleted then.
        """
        with self.writer():
            hashes = self._documents.check(doc_ids)
            sources = [row.source for row in self._documents.rows() if row.doc_id in set(doc_ids)]
            inner = self._documents.inner(doc_ids)
            every = [*doc_ids, *(row.doc_id for row in inner)]
            gone = self._forget_everywhere(every)
            self._documents.delete(every)
            self._drop_files(hashes | {row.hash for row in inner})
            self._documents.note("deleted", sources)
            forget_texts()
            return gone

    def _forget_everywhere(self, doc_ids: Sequence[str]) -> int:
        """Delete the chunks of documents in all indexes; how many they were."""
        return sum(self._forget(Index(self._tables, row), doc_ids) for row in self._registry.rows()) if doc_ids else 0

    def _forget(self, index: Index, doc_ids: Sequence[str]) -> int:
        from chunking.store.index.fingerprint import index_fingerprint

        known = index.documents()
        gone = {doc_id: known.pop(doc_id).chunks for doc_id in dict.fromkeys(doc_ids) if doc_id in known}
        if gone:
            index.remove_tree()  # its summaries are of all documents; the next run writes it anew
        for doc_id in gone:
            index.remove_document(doc_id)
        if gone:
            fingerprint = index_fingerprint(left.fingerprint for left in known.values())
            chunks = sum(left.chunks for left in known.values())
            built = replace(index.row.built, levels=index.count_levels()) if index.row.built.levels else index.row.built
            self._registry.put(
                replace(index.row, fingerprint=fingerprint, documents=len(known), chunks=chunks, built=built)
            )
        return sum(gone.values())

    # -- indexes

    def indexes(self) -> list[IndexRow]:
        """All indexes, the newest first. Read again only after a change, so that a warm search pays no call for it."""
        return self._registry.rows()

    def index(self, name: str | None = None) -> Index:
        """An index by its name; where there is none given the newest, of those that were complete once if there are
        such.

        Raises:
            NotFoundError: there is no such index; the sentence names those there are.
        """
        rows = self.indexes()
        chosen = (
            [row for row in rows if row.name == name]
            if name is not None
            else [row for row in rows if row.fingerprint] or rows
        )
        if chosen:
            return Index(self._tables, chosen[0])
        if not rows:
            raise NotFoundError(f"The workspace {self.uri} has no index yet; build one first.", where=name)
        raise NotFoundError(
            f"There is no index '{name}' in {self.uri}; the indexes are {', '.join(row.name for row in rows)}.",
            where=name,
        )

    def create_index(
        self, name: str, config: Config, *, model_key: str, dimension: int, code_version: str = ""
    ) -> Index:
        """An empty index in a table of its own. It is found by its name from `publish` on, in the place of an earlier
        one.
        """
        with self.writer():
            row = IndexRow.new(name, config, model_key=model_key, dimension=dimension, code_version=code_version)
            self._tables.table(row.table, chunks_schema(dimension))
            index = Index(self._tables, row)
            index.build()
            return index

    def publish(self, index: Index, row: IndexRow | None = None) -> Index:
        """List an index under its name, in one commit; the table of an earlier one of that name is deleted after it."""
        with self.writer():
            earlier = [known.table for known in self._registry.rows() if known.name == index.name]
            published = self._registry.put(row or index.row)
            for table in earlier:
                if table != published.table:
                    self._tables.drop(table)
            if published.state == "complete":
                self._tables.note("built the index", published.name)
            return Index(self._tables, published)

    def discard(self, index: Index) -> None:
        """Delete the table of an index that was not published; one that was, stays: the commit may have come before a
        fault.
        """
        with self.writer():
            if index.row.table not in {row.table for row in self._registry.rows()}:
                self._tables.drop(index.row.table)

    def drop_index(self, name: str) -> None:
        """Delete an index. Raises NotFoundError."""
        with self.writer():
            index = self.index(name)
            self._registry.delete(name)
            self._tables.drop(index.row.table)
            self._tables.note("deleted the index", name)

    def tidy(self) -> None:
        """Delete tables, files and folders that a stopped or killed run left, merge small files, clear old versions
        away.

        Raises:
            LockedError: another process writes; its unfinished index is not ours to delete.
        """
        with self.writer():
            listed = {row.table for row in self._registry.rows()}
            for name in self._tables.names():
                if name.startswith(CHUNKS) and name not in listed:
                    self._tables.drop(name)
            self._drop_files(self._files.hashes())
            if self.folder is not None:
                ScratchFolder.clear_beside(self.folder)
            if not self._borrows:  # who lends the caches tidies them, under a lock that is not held here
                self.encodings.trim()
            for name in (
                DOCUMENTS,
                SECTIONS,
                FILES,
                EMBEDDINGS,
                GENERATED_TEXTS,
                ENCODINGS,
                NAMED_RECORDS,
                CHANGES,
                SEARCH_HISTORY,
                INDEXES,
            ):
                self._tables.upkeep(name)
            if not self._borrows:
                self.vectors.index()
                self.texts.index()
