"""An open index: write, read and search chunks of all levels; stream, pack and unpack them."""

from __future__ import annotations

import io
import lzma
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from chunking.errors import StoreError
from chunking.model import CHUNK, CLUSTER, Chunk, Document
from chunking.store.access import Right
from chunking.store.documents.document_rows import document_row, row_document
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import sql
from chunking.store.engine.schema import DOCUMENTS, arrow_schema, later_columns, schema
from chunking.store.engine.table_upkeep import upkeep, upkeep_if_due
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS, chunk_table, row_chunk, with_vectors
from chunking.store.index.full_text import words_config
from chunking.store.index.index_registry import IndexRow, Registry
from chunking.store.index.index_samples import IndexSamples
from chunking.store.index.index_search import IndexSearches

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = [
    "DocumentChunks",
    "Index",
    "fill_index",
    "pack_documents",
    "pack_index",
    "scalar_indexes",
    "stream_chunks",
    "unpack_documents",
]

_CHUNK_KEY = "id"
_NO_DOCUMENT = ""
"""Document id of clusters."""

AT_ONCE = 2_000
"""Rows read in one query, about; a document is never split between queries."""
_DELETED_AT_ONCE = 1_000
"""Documents whose rows are deleted in one commit."""


@dataclass(frozen=True, slots=True)
class DocumentChunks:
    """A document's chunks of all levels with their vectors, as written to an index."""

    document: Document
    rows: Sequence[Chunk]
    """Chunks, each level in reading order."""
    vectors: np.ndarray
    """(n, d) float32, a row each: of unit length, or zeros for chunks that are only returned (parents)."""
    fingerprint: str
    """Stored for `Index.document_fingerprints`."""
    stamp: str = ""
    """Of the document in the workspace; empty: the stamp of `document`."""


class Index(IndexSearches, IndexSamples):
    """Open index of a workspace, which searches, reads and replaces its chunks of all levels.

    `Workspace.index` opens it. Callers of writing methods must hold the workspace's lock (`Workspace.writer`).
    """

    def replace_document(
        self,
        document: Document,
        rows: Sequence[Chunk],
        vectors: np.ndarray,
        fingerprint: str,
        *,
        has_rows: bool = True,
        stamp: str = "",
    ) -> None:
        """Replace a document's chunks of all levels in one commit; see `replace_documents`.

        Args:
            has_rows: False if the index certainly has no rows of the document.
        """
        written = DocumentChunks(document, rows, vectors, fingerprint, stamp)
        self.replace_documents([written], has_rows={document.doc_id} if has_rows else ())

    def replace_documents(self, documents: Sequence[DocumentChunks], *, has_rows: Collection[str]) -> None:
        """Replace documents' chunks of all levels, all in one commit; without documents do nothing.

        Rows that have no successor are deleted in a commit before.

        Args:
            has_rows: ids of documents that the index may have rows of. If none of `documents` is among them, their rows
                are just added, at a cost that does not grow with the index.
        Raises:
            StoreError: vectors of another shape or with values that are not finite, or two rows with one id.
        """
        import pyarrow as pa

        if not documents:
            return
        for one in documents:
            self._check([row.chunk_id for row in one.rows], one.vectors, f"of the document {one.document.doc_id}")
        self._forget_levels()
        tables = [self._arrow(one.document, one.rows, one.vectors, one.fingerprint, one.stamp) for one in documents]
        doc_ids = [one.document.doc_id for one in documents]
        replaced = [doc_id for doc_id in doc_ids if doc_id in has_rows]
        self._write(doc_ids, pa.concat_tables(tables), replaced)

    def add_rows(self, rows: pa.Table, vectors: np.ndarray) -> None:
        """Add Arrow rows of any documents and levels, with ids new to the index, in one commit.

        Args:
            rows: the columns of `chunk_arrow.CHUNK_COLUMNS`.
            vectors: (n, d) float32, a row each: see `replace_document`.
        Raises:
            StoreError: as `replace_document`.
        """
        self._check(rows["id"].to_pylist(), vectors, "of these rows")
        self._forget_levels()
        written = with_vectors(rows, vectors, self.dimension)
        with self._writing((), rows):
            self._tables.add(f"writing rows to the index {self.name}", self.row.table, written)

    def replace_tree(self, nodes: Sequence[Chunk], vectors: np.ndarray) -> None:
        """Replace the index's summary tree, all its clusters, in one commit.

        Args:
            nodes: the new clusters, each with an empty `doc_id`.
            vectors: (n, d) float32, unit length, a row each.
        Raises:
            StoreError: as `replace_document`, or a node has a `doc_id`.
        """
        self._check([node.chunk_id for node in nodes], vectors, "of the summary tree")
        if any(node.doc_id != _NO_DOCUMENT for node in nodes):
            raise StoreError("A cluster belongs to no document; give it an empty doc_id.", where=self.name)
        self._write([_NO_DOCUMENT], self._arrow(None, nodes, vectors), [_NO_DOCUMENT])

    def remove_tree(self) -> None:
        """Delete the index's summary tree (all clusters) in one commit, if there is one."""
        if CLUSTER in self.levels:
            self.remove_documents([_NO_DOCUMENT])

    def remove_document(self, doc_id: str) -> None:
        """Delete a document's chunks of all levels in one commit; the registry is not updated."""
        self.remove_documents([doc_id])

    def remove_documents(self, doc_ids: Sequence[str]) -> None:
        """Delete documents' chunks of all levels, a thousand documents a commit.

        The rows are found by the index on document ids, so the cost does not grow with the index. The registry is not
        updated.
        """
        self._forget_levels()
        for first in range(0, len(doc_ids), _DELETED_AT_ONCE):
            some = doc_ids[first : first + _DELETED_AT_ONCE]
            with self._writing(some):
                self.change_table(f"deleting {_spoken(some)}", methodcaller("delete", sql(_of_documents(some))))

    def _arrow(
        self,
        document: Document | None,
        rows: Sequence[Chunk],
        vectors: np.ndarray,
        fingerprint: str = "",
        stamp: str = "",
    ) -> pa.Table:
        tokenizer = self.config.index.tokenizer
        return chunk_table(document, rows, vectors, fingerprint, self.dimension, tokenizer, stamp)

    def _check(self, ids: Sequence[str], vectors: np.ndarray, of: str) -> None:
        import numpy as np

        if vectors.shape != (len(ids), self.dimension):
            raise StoreError(
                (
                    f"{len(ids)} chunks with vectors of the shape {vectors.shape} do not fit the index "
                    f"{self.name}, which has {self.dimension} dimensions; build another index with the model "
                    f"that made them."
                ),
                where=self.name,
            )
        if not np.isfinite(vectors).all():
            raise StoreError(
                f"A vector {of} contains values that are not numbers; check the embedding model.", where=self.name
            )
        if len(set(ids)) != len(ids):
            raise StoreError(f"Two chunks {of} have the same id.", where=self.name)

    def _write(self, doc_ids: Sequence[str], rows: pa.Table, replaced: Sequence[str]) -> None:
        """Write rows of documents in one commit, after deleting those of `replaced` that have no successor.

        Deleted first, since a run that is killed between the two commits then finds the documents' old stamps, and
        writes them again. Rows are found by the indexes on ids, so the cost does not grow with the index.
        """
        self._tables.require(Right.WRITE)
        self._forget_levels()
        what = f"writing {_spoken(doc_ids)} to the index {self.name}"
        if not replaced:
            with self._writing((), rows):
                self._tables.add(what, self.row.table, rows)
            return
        stored = self._columns((_CHUNK_KEY,), _of_documents(replaced))[_CHUNK_KEY].to_pylist()
        gone = set(stored) - set(rows[_CHUNK_KEY].to_pylist())
        if gone:
            emptied = [doc_id for doc_id in replaced if f"{doc_id}_chunk0" in gone]  # others stay, with their stamp
            with self._writing(emptied):
                self.change_table(f"deleting rows of {_spoken(replaced)}", methodcaller("delete", sql(_with_ids(gone))))
        if rows.num_rows:
            with self._writing(doc_ids, rows):
                self._tables.upsert(what, self.row.table, _CHUNK_KEY, rows, by_index=True)

    def build(self) -> None:
        """Create or replace the engine's indexes on full text, chunk ids, document ids and levels.

        Rows added later are searched too, more slowly until `optimize` adds them. Vectors get their index from
        `build_vector_index`.
        """
        for column, kind in scalar_indexes(self.row).items():
            create = partial(self._table().create_index, column, config=kind, replace=True)
            self._tables.change(f"indexing {column}", create)

    def optimize(self) -> None:
        """Merge small files, add new rows to search structures, and delete old versions.

        Without it searches are right, but slower.
        """
        upkeep(self._tables, self.row.table)

    def optimize_if_due(self) -> bool:
        """Run `optimize` for a small index, and for a larger one once much has changed; return whether it ran."""
        return upkeep_if_due(self._tables, self.row.table)


def scalar_indexes(row: IndexRow) -> dict[str, Any]:
    """Return LanceDB's configurations of an index's indexes on words and on ids, by column."""
    from lancedb.index import Bitmap, BTree

    words = words_config(row.config.index.tokenizer, row.text_form)
    return {_CHUNK_KEY: BTree(), "doc_id": BTree(), "level": Bitmap(), "indexed_text": words, "headings": words}


def _of_documents(doc_ids: Iterable[str]) -> Any:
    """Condition that a row is of one of the documents; an empty id stands for clusters."""
    from lancedb.expr import col

    return col("doc_id").isin([clean(doc_id) for doc_id in doc_ids])


def _with_ids(ids: Iterable[str]) -> Any:
    """Condition that a row has one of the ids."""
    from lancedb.expr import col

    return col(_CHUNK_KEY).isin(sorted(ids))


def _spoken(doc_ids: Sequence[str]) -> str:
    """Documents of a write, for an error's sentence."""
    if len(doc_ids) > 1:
        return f"{len(doc_ids):,} documents"
    return f"the document {doc_ids[0]}" if doc_ids[0] else "clusters"


# -- from the first chunk to the last, a few documents at a time


def stream_chunks(index: Index, levels: Iterable[str] = (CHUNK,), *, at_once: int = AT_ONCE) -> Iterator[Chunk]:
    """Yield chunks of the given levels by document id, level and position; clusters last.

    Equal indexes give equal orders. Only the rows of a few documents are in memory at a time.

    Args:
        levels: levels to yield, in their order within a document; by default chunks only.
        at_once: rows of one query, about.
    """
    order = {level: place for place, level in enumerate(dict.fromkeys(levels))}
    for doc_ids in _groups(index.levels_by_document(), at_once):
        chunks = (chunk for chunk in index.of_documents(doc_ids) if chunk.level in order)
        yield from sorted(chunks, key=lambda chunk: (chunk.doc_id, order[chunk.level], chunk.chunk_index))
    if CLUSTER in order:
        yield from index.by_level(CLUSTER)


def _groups(counts: Mapping[str, Counter[str]], at_once: int) -> Iterator[Sequence[str]]:
    group: list[str] = []
    size = 0
    for doc_id in sorted(doc_id for doc_id in counts if doc_id):
        rows = counts[doc_id].total()
        if group and size + rows > at_once:
            yield group
            group, size = [], 0
        group.append(doc_id)
        size += rows
    if group:
        yield group


# -- bytes without vectors, for snapshots


def pack_documents(documents: Sequence[Document]) -> bytes:
    """Pack documents into compressed bytes, without modification times and earlier versions."""
    return _pack([document_row(replace(document, updated_at=""), ()) for document in documents], schema(DOCUMENTS))


def unpack_documents(data: bytes) -> list[Document]:
    """Return the documents in the bytes of `pack_documents`. Raises StoreError for other bytes."""
    table = _unpack(data, schema(DOCUMENTS), later_columns(DOCUMENTS))
    return [row_document(row) for row in table.to_pylist()]


def pack_index(index: Index) -> tuple[bytes, list[Chunk]]:
    """Return an index's rows, without vectors, as compressed bytes, and their chunks in order.

    Equal indexes give equal bytes.
    """
    rows = sorted(index.table_rows(), key=lambda row: (row["doc_id"], row["level"], row["chunk_index"]))
    return _pack(rows, arrow_schema(CHUNK_COLUMNS)), [row_chunk(row) for row in rows]


def fill_index(index: Index, data: bytes, vectors: np.ndarray) -> None:
    """Write the rows of `pack_index` into an empty index, in one commit.

    Args:
        vectors: (n, d) float32, unit length, a row each.
    Raises:
        StoreError: the bytes are not packed rows, or of another version; then nothing is written.
    """
    index.add_rows(_unpack(data, arrow_schema(CHUNK_COLUMNS)), vectors)


def _pack(rows: list[dict[str, Any]], columns: pa.Schema) -> bytes:
    import pyarrow as pa

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, columns) as stream:
        stream.write_table(pa.Table.from_pylist(rows, schema=columns))
    return lzma.compress(sink.getvalue(), preset=9)


def _unpack(data: bytes, columns: pa.Schema, later: Collection[str] = ()) -> pa.Table:
    """Return the rows in the bytes of `_pack`; columns of `later` may be missing, and are then null."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_stream(lzma.decompress(data)).read_all()
    except (lzma.LZMAError, EOFError, pa.ArrowInvalid) as error:
        raise StoreError("These bytes are not packed rows, or not all of them; make the snapshot again.") from error
    for field in columns:
        if field.name in later and field.name not in table.schema.names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    if table.schema != columns:
        raise StoreError("These rows have another version's columns; make the snapshot again.")
    return table


# -- documents that are deleted


def delete_chunks(index: Index, doc_ids: Sequence[str], registry: Registry) -> int:
    """Delete documents' rows and an index's summary tree; return the number of chunks deleted.

    The index's row in the registry gets the new counts and fingerprint. If the index has none of the documents, nothing
    is done. The number returned does not count rows of other levels.
    """
    documents = index.indexed_documents()
    deleted, left = documents.among(doc_ids), documents.among(doc_ids, but=True)
    if not deleted:
        return 0
    index.remove_tree()  # its summaries cover all documents; the next run rebuilds it
    index.remove_documents(deleted.doc_ids)
    built = replace(index.row.built, levels=index.count_levels()) if index.row.built.levels else index.row.built
    registry.put(
        replace(
            index.row,
            fingerprint=left.fingerprint,
            documents=len(left),
            chunks=left.chunks,
            built=built,
        )
    )
    return deleted.chunks
