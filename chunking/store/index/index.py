"""An open index: write, read and search chunks of all levels; stream, pack and unpack them."""

from __future__ import annotations

import io
import lzma
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.errors import StoreError
from chunking.model import CHUNK, CLUSTER, Chunk, Document
from chunking.store.documents.document_rows import document_row, row_document
from chunking.store.engine.filters import clean
from chunking.store.engine.schema import DOCUMENTS, arrow_schema, later_columns, schema
from chunking.store.index.build_record import index_fingerprint
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS, chunk_table, chunks_schema, row_chunk, with_vectors
from chunking.store.index.full_text import words_config
from chunking.store.index.index_registry import Registry
from chunking.store.index.index_samples import IndexSamples
from chunking.store.index.index_search import IndexSearches

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["Index", "fill_index", "pack_documents", "pack_index", "stream_chunks", "unpack_documents"]

_CHUNK_KEY = "id"
_NO_DOCUMENT = ""
"""Document id of clusters."""

AT_ONCE = 2_000
"""Rows read in one query, about; a document is never split between queries."""


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
        """Replace a document's chunks of all levels in one commit.

        Args:
            rows: chunks, each level in reading order.
            vectors: (n, d) float32, a row each: of unit length, or zeros for chunks that are only returned (parents).
            fingerprint: stored for `document_fingerprints`.
            has_rows: False if the index certainly has no rows of the document: they are then just added, at a cost that
                does not grow with the index.
            stamp: of the document in the workspace; empty: the stamp of `document`.
        Raises:
            StoreError: vectors of another shape or with values that are not finite, or two rows with one id.
        """
        self._check([row.chunk_id for row in rows], vectors, f"of the document {document.doc_id}")
        self._forget_levels()
        table = self._arrow(document, rows, vectors, fingerprint, stamp)
        if has_rows:
            self._replace(document.doc_id, table)
        else:
            self._tables.add(f"writing the document {document.doc_id} to the index {self.name}", self.row.table, table)

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
        self._tables.add(
            f"writing rows to the index {self.name}", self.row.table, with_vectors(rows, vectors, self.dimension)
        )

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
        self._replace(_NO_DOCUMENT, self._arrow(None, nodes, vectors))

    def remove_tree(self) -> None:
        """Delete the index's summary tree (all clusters) in one commit, if there is one."""
        if CLUSTER in self.levels:
            self._replace(_NO_DOCUMENT, chunks_schema(self.dimension).empty_table())

    def remove_document(self, doc_id: str) -> None:
        """Delete a document's chunks of all levels in one commit; the registry is not updated."""
        self._replace(doc_id, chunks_schema(self.dimension).empty_table())

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

    def _replace(self, doc_id: str, rows: Any) -> None:
        from lancedb.expr import col, lit

        self._forget_levels()
        what = (
            f"writing the document {doc_id} to the index {self.name}"
            if doc_id
            else f"writing clusters to the index {self.name}"
        )
        self._tables.upsert(what, self.row.table, _CHUNK_KEY, rows, replacing=col("doc_id") == lit(clean(doc_id)))

    def build(self) -> None:
        """Create or replace the engine's indexes on full text, chunk ids, document ids and levels.

        Rows added later are searched too, more slowly until `optimize` adds them. Vectors get their index from
        `build_vector_index`.
        """
        from lancedb.index import Bitmap, BTree

        words = words_config(self.config.index.tokenizer, self.row.text_form)
        kinds = {_CHUNK_KEY: BTree(), "doc_id": BTree(), "level": Bitmap(), "indexed_text": words, "headings": words}
        for column, kind in kinds.items():
            create = partial(self._table().create_index, column, config=kind, replace=True)
            self._tables.change(f"indexing {column}", create)

    def optimize(self) -> None:
        """Merge small files, add new rows to search structures, and delete old versions.

        Without it searches are right, but slower.
        """
        self._tables.upkeep(self.row.table)


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
    documents = index.documents()
    deleted = {doc_id: documents.pop(doc_id).chunks for doc_id in dict.fromkeys(doc_ids) if doc_id in documents}
    if not deleted:
        return 0
    index.remove_tree()  # its summaries cover all documents; the next run rebuilds it
    for doc_id in deleted:
        index.remove_document(doc_id)
    built = replace(index.row.built, levels=index.count_levels()) if index.row.built.levels else index.row.built
    registry.put(
        replace(
            index.row,
            fingerprint=index_fingerprint(left.fingerprint for left in documents.values()),
            documents=len(documents),
            chunks=sum(left.chunks for left in documents.values()),
            built=built,
        )
    )
    return sum(deleted.values())
