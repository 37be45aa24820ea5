"""Pack documents and index rows (without vectors) into bytes and back, for snapshots."""

from __future__ import annotations

import io
import lzma
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chunking.errors import StoreError
from chunking.model import Chunk, Document
from chunking.store.documents.document_rows import document_row, row_document
from chunking.store.engine.schema import DOCUMENTS, arrow_schema, schema
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS, row_chunk

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from chunking.store.index.index import Index

__all__ = ["fill_index", "pack_documents", "pack_index", "unpack_documents"]


def pack_documents(documents: Sequence[Document]) -> bytes:
    """Pack documents without their times of change, which belong to the files, not the content."""
    return _packed([document_row(replace(document, updated_at=""), ()) for document in documents], schema(DOCUMENTS))


def unpack_documents(data: bytes) -> list[Document]:
    """What `pack_documents` was given. Raises StoreError where these are other bytes, or another version's columns."""
    return [row_document(row) for row in _unpacked(data, schema(DOCUMENTS)).to_pylist()]


def pack_index(index: Index) -> tuple[bytes, list[Chunk]]:
    """Every row of an index, and the chunks of all levels that they are, in the same order; equal indexes give equal
    bytes.
    """
    rows = sorted(index.table_rows(), key=lambda row: (row["doc_id"], row["level"], row["chunk_index"]))
    return _packed(rows, arrow_schema(CHUNK_COLUMNS)), [row_chunk(row) for row in rows]


def fill_index(index: Index, data: bytes, vectors: np.ndarray) -> None:
    """Put what `pack_index` made into an empty index, in one commit.

    Args:
        vectors: (n, d) float32, unit length, a row each.
    Raises:
        StoreError: these are other bytes, or another version's columns; nothing is written then.
    """
    index.add_rows(_unpacked(data, arrow_schema(CHUNK_COLUMNS)), vectors)


def _packed(rows: list[dict[str, Any]], columns: pa.Schema) -> bytes:
    import pyarrow as pa

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, columns) as stream:
        stream.write_table(pa.Table.from_pylist(rows, schema=columns))
    return lzma.compress(sink.getvalue(), preset=9)


def _unpacked(data: bytes, columns: pa.Schema) -> pa.Table:
    import pyarrow as pa

    try:
        table = pa.ipc.open_stream(lzma.decompress(data)).read_all()
    except (lzma.LZMAError, EOFError, pa.ArrowInvalid) as error:
        raise StoreError("These bytes are not packed rows, or not all of them; make the snapshot again.") from error
    if table.schema != columns:
        raise StoreError("These rows have another version's columns; make the snapshot again.")
    return table
