"""Rows of an index as Arrow: the columns of the LanceDB table and of the Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chunking.integrations.writers.vector_rows import DIGEST, VectorRow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["METADATA_NUMBERS", "METADATA_TEXTS", "rows_schema", "rows_table", "vector_size"]

METADATA_TEXTS = (
    *("doc_id", "source", "title", "title_path", "section_id", "parent_id", "level", "content_type", "category", "language", "pages"),
    *("flags", "hash", "prefix"),
)
METADATA_NUMBERS = ("chunk_index", "total_chunks", "token_count", "start_index", "end_index")
"""Metadata of a row as columns; `chunk_id` is the column `id`."""


def rows_schema(dimension: int) -> pa.Schema:
    """The columns of rows whose vectors have `dimension` numbers."""
    import pyarrow as pa

    texts = [pa.field(name, pa.string()) for name in ("id", "text", *METADATA_TEXTS, DIGEST)]
    numbers = [pa.field(name, pa.int64()) for name in METADATA_NUMBERS]
    return pa.schema([*texts, *numbers, pa.field("vector", pa.list_(pa.float32(), dimension))])


def rows_table(rows: Sequence[VectorRow], dimension: int) -> pa.Table:
    """Rows as a table of that schema; metadata that a row lacks are null."""
    import numpy as np
    import pyarrow as pa

    schema = rows_schema(dimension)
    flat = pa.array(np.concatenate([row.vector for row in rows]), type=pa.float32())
    names = (*METADATA_TEXTS, *METADATA_NUMBERS)
    columns: dict[str, Any] = {name: [row.metadata.get(name) for row in rows] for name in names}
    columns |= {"id": [row.id for row in rows], "text": [row.text for row in rows], DIGEST: [row.digest for row in rows]}
    columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, dimension)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def vector_size(schema: pa.Schema) -> int:
    """Numbers of a vector of a table that `rows_table` made; 0 where it is another one."""
    there = DIGEST in schema.names and "vector" in schema.names
    return int(getattr(schema.field("vector").type, "list_size", 0)) if there else 0
