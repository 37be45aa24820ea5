"""A folder of Parquet files, one a document: a changed document is a new file, a deleted one none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.integrations.writers.arrow_rows import rows_schema, rows_table, vector_size
from chunking.integrations.writers.vector_rows import DIGEST, VectorRow
from chunking.integrations.writers.vector_target import foreign_rows, other_dimension

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetTarget"]

_LONGEST_NAME = 60


class ParquetTarget:
    """Files with a row a chunk: `id`, `text`, `vector` and the metadata as columns, in the order of the document."""

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._folder, self._dimension = Path(place) / collection, dimension
        self._folder.mkdir(parents=True, exist_ok=True)
        _check(self._folder, place, collection, dimension)

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        import pyarrow.parquet as pq

        found: dict[str, str] = {}
        for file in dict.fromkeys(self._file(row) for row in rows):
            if file.exists():
                table = pq.read_table(file, columns=["id", DIGEST])
                found |= dict(zip(table["id"].to_pylist(), table[DIGEST].to_pylist(), strict=True))
        return found

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        by_file: dict[Path, list[VectorRow]] = {}
        for row in rows:
            by_file.setdefault(self._file(row), []).append(row)
        for file, some in by_file.items():
            made = rows_table(some, self._dimension)
            if file.exists():
                made = pa.concat_tables(
                    [_without(pq.read_table(file, schema=rows_schema(self._dimension)), {row.id for row in some}), made]
                )
            self._replace(file, made.sort_by([("level", "ascending"), ("chunk_index", "ascending")]))

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
        """Nothing is open: each file was written whole."""

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.parquet"))

    def _file(self, row: VectorRow) -> Path:
        """The file of a row's document; a name that every disk takes, on which two ids never meet."""
        doc_id = row.chunk.doc_id
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", doc_id)[:_LONGEST_NAME]
        return self._folder / f"{plain}-{blake2b(doc_id.encode(), digest_size=6).hexdigest()}.parquet"

    def _replace(self, file: Path, table: pa.Table) -> None:
        """Write a file in one step: a reader sees the old one or the new one."""
        import pyarrow.parquet as pq

        made = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            pq.write_table(table, made, compression="zstd")
            os.replace(made, file)
        finally:
            made.unlink(missing_ok=True)


def _check(folder: Path, place: str, collection: str, dimension: int) -> None:
    """Refuse a folder of other files, or of other vectors."""
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
