"""Chunks as Parquet, group by group: no more of an index is held than one group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from chunking.export.chunk_exports import packed_row
from chunking.model import Chunk
from chunking.store.engine.schema import arrow_schema
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa

__all__ = ["write_parquet"]

_GROUP = 2_000
"""Rows of a group: a few megabytes."""
_COLUMNS = (
    *(
        "chunk_id",
        "doc_id",
        "section_id",
        "parent_id",
        "level",
        "chunk_index",
        "total_chunks",
        "prev_id",
        "next_id",
        "title_path",
    ),
    *(
        "content_type",
        "prefix",
        "content",
        "embedding_content",
        "summary",
        "description",
        "token_count",
        "start",
        "end",
        "pages",
    ),
    *("bboxes", "hash", "source_hint", "flags", "children", "larger_ids", "metadata"),
)

Vectors = Mapping[str, "np.ndarray"]


def write_parquet(
    sink: BinaryIO,
    chunks: Iterable[Chunk],
    *,
    dimension: int = 0,
    vectors_of: Callable[[list[str]], Vectors] | None = None,
) -> None:
    """Write chunks; with their vectors as a column `vector` where `vectors_of` is given.

    Args:
        dimension: numbers of a vector.
        vectors_of: ids to their vectors; asked once a group. A chunk that has none gets none.
    """
    import pyarrow.parquet as pq

    kinds = {name: CHUNK_COLUMNS.get(name, "text") for name in _COLUMNS}
    schema = arrow_schema(kinds, dimension if vectors_of else 0)
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for group in _groups(chunks):
            writer.write_table(_table(group, schema, vectors_of))


def _groups(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    left = iter(chunks)
    while group := list(islice(left, _GROUP)):
        yield group


def _table(group: list[Chunk], schema: pa.Schema, vectors_of: Callable[[list[str]], Vectors] | None) -> pa.Table:
    import pyarrow as pa

    rows: list[dict[str, Any]] = [packed_row(chunk) for chunk in group]
    if vectors_of is not None:
        found = vectors_of([chunk.chunk_id for chunk in group])
        rows = [row | {"vector": found.get(chunk.chunk_id)} for row, chunk in zip(rows, group, strict=True)]
    return pa.Table.from_pylist(rows, schema=schema)
