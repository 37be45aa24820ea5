"""Targets with Arrow rows: a LanceDB table, or a folder with one Parquet file per document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.integrations.writers.vector_target import DIGEST, VectorRow, foreign_rows, other_dimension
from chunking.store.engine.store_opening import import_lancedb

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "METADATA_NUMBERS",
    "METADATA_TEXTS",
    "LanceTarget",
    "ParquetTarget",
    "rows_schema",
    "rows_table",
    "vector_size",
]

_LONGEST_NAME = 60

METADATA_TEXTS = (
    *(
        "doc_id",
        "source",
        "title",
        "title_path",
        "section_id",
        "parent_id",
        "level",
        "content_type",
        "category",
        "language",
        "pages",
    ),
    *("flags", "hash", "prefix"),
)
METADATA_NUMBERS = ("chunk_index", "total_chunks", "token_count", "start_index", "end_index")
"""Metadata stored as integer columns; `chunk_id` is the column `id`."""


# -- LanceDB


class LanceTarget:
    """LanceDB table, created if missing, with a row per chunk.

    The columns are `id`, `text`, `vector` and the metadata. Raises StoreError for another program's table, or vectors
    of another dimension.
    """

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._dimension, self._changed = dimension, False
        self._table = _open_table(import_lancedb().connect(place), place, collection, dimension)

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        query = self._table.search().where(_among([row.id for row in rows])).select(["id", DIGEST]).limit(len(rows))
        matches = query.to_arrow()
        return dict(zip(matches["id"].to_pylist(), matches[DIGEST].to_pylist(), strict=True))

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        self._changed = True
        merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(rows_table(rows, self._dimension))

    def ids(self) -> Iterator[str]:
        for batch in self._table.search().select(["id"]).to_batches():
            yield from batch.column("id").to_pylist()

    def delete(self, ids: Sequence[str]) -> None:
        self._changed = True
        self._table.delete(_among(ids))

    def close(self) -> None:
        if self._changed:  # small files of many batches become few
            self._table.optimize()


def _open_table(database: Any, place: str, collection: str, dimension: int) -> Any:
    if collection not in database.list_tables().tables:
        return database.create_table(collection, schema=rows_schema(dimension))
    table = database.open_table(collection)
    there = vector_size(table.schema)
    if not there:
        raise foreign_rows(collection, place)
    if there != dimension:
        raise other_dimension(collection, place, there, dimension)
    return table


def _among(ids: Sequence[str]) -> str:
    """Return a SQL condition: the id is in a list."""
    quoted = ", ".join(f"'{one.replace(chr(39), chr(39) * 2)}'" for one in ids)
    return f"id IN ({quoted})"


# -- Parquet


class ParquetTarget:
    """Folder, created if missing, with a Parquet file per document and a row per chunk.

    The columns are `id`, `text`, `vector` and the metadata. Raises StoreError for another program's files, or vectors
    of another dimension.
    """

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._folder, self._dimension = Path(place) / collection, dimension
        self._folder.mkdir(parents=True, exist_ok=True)
        _check(self._folder, place, collection, dimension)

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        import pyarrow.parquet as pq

        digests: dict[str, str] = {}
        for file in dict.fromkeys(self._file(row) for row in rows):
            if file.exists():
                table = pq.read_table(file, columns=["id", DIGEST])
                digests |= dict(zip(table["id"].to_pylist(), table[DIGEST].to_pylist(), strict=True))
        return digests

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        by_file: dict[Path, list[VectorRow]] = {}
        for row in rows:
            by_file.setdefault(self._file(row), []).append(row)
        for file, some in by_file.items():
            table = rows_table(some, self._dimension)
            if file.exists():
                table = pa.concat_tables(
                    [
                        _without(pq.read_table(file, schema=rows_schema(self._dimension)), {row.id for row in some}),
                        table,
                    ]
                )
            self._replace(file, table.sort_by([("level", "ascending"), ("chunk_index", "ascending")]))

    def ids(self) -> Iterator[str]:
        import pyarrow.parquet as pq

        for file in self._files():
            yield from pq.read_table(file, columns=["id"])["id"].to_pylist()

    def delete(self, ids: Sequence[str]) -> None:
        import pyarrow.parquet as pq

        gone = set(ids)
        for file in self._files():
            if gone.isdisjoint(pq.read_table(file, columns=["id"])["id"].to_pylist()):
                continue
            left = _without(pq.read_table(file, schema=rows_schema(self._dimension)), gone)
            if left.num_rows:
                self._replace(file, left)
            else:
                file.unlink()

    def close(self) -> None:
        """Do nothing: every file is complete once written."""

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.parquet"))

    def _file(self, row: VectorRow) -> Path:
        """Return the file of a row's document, with a portable and unique name."""
        doc_id = row.chunk.doc_id
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", doc_id)[:_LONGEST_NAME]
        return self._folder / f"{plain}-{blake2b(doc_id.encode(), digest_size=6).hexdigest()}.parquet"

    def _replace(self, file: Path, table: pa.Table) -> None:
        """Write a file atomically: readers see the old or the new one."""
        import pyarrow.parquet as pq

        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            pq.write_table(table, temporary, compression="zstd")
            os.replace(temporary, file)
        finally:
            temporary.unlink(missing_ok=True)


def _check(folder: Path, place: str, collection: str, dimension: int) -> None:
    """Refuse a folder of other files, or of vectors with other dimensions."""
    import pyarrow.parquet as pq

    for file in folder.glob("*.parquet"):
        there = vector_size(pq.read_schema(file))
        if not there:
            raise foreign_rows(collection, place)
        if there != dimension:
            raise other_dimension(collection, place, there, dimension)


def _without(table: pa.Table, ids: set[str]) -> pa.Table:
    import pyarrow as pa

    return table.filter(pa.array([one not in ids for one in table["id"].to_pylist()], pa.bool_()))


# -- rows


def rows_schema(dimension: int) -> pa.Schema:
    """Return the Arrow schema of rows with vectors of a dimension."""
    import pyarrow as pa

    texts = [pa.field(name, pa.string()) for name in ("id", "text", *METADATA_TEXTS, DIGEST)]
    numbers = [pa.field(name, pa.int64()) for name in METADATA_NUMBERS]
    return pa.schema([*texts, *numbers, pa.field("vector", pa.list_(pa.float32(), dimension))])


def rows_table(rows: Sequence[VectorRow], dimension: int) -> pa.Table:
    """Return rows as an Arrow table; missing metadata are null."""
    import numpy as np
    import pyarrow as pa

    schema = rows_schema(dimension)
    flat = pa.array(np.concatenate([row.vector for row in rows]), type=pa.float32())
    names = (*METADATA_TEXTS, *METADATA_NUMBERS)
    columns: dict[str, Any] = {name: [row.metadata.get(name) for row in rows] for name in names}
    columns |= {
        "id": [row.id for row in rows],
        "text": [row.text for row in rows],
        DIGEST: [row.digest for row in rows],
    }
    columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, dimension)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def vector_size(schema: pa.Schema) -> int:
    """Return the dimension of a table's vectors; 0 if the table is not Chunkscope's."""
    there = DIGEST in schema.names and "vector" in schema.names
    return int(getattr(schema.field("vector").type, "list_size", 0)) if there else 0
