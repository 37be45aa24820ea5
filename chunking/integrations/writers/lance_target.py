"""A table of another LanceDB database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chunking.integrations.writers.arrow_rows import rows_schema, rows_table, vector_size
from chunking.integrations.writers.vector_rows import DIGEST, VectorRow
from chunking.integrations.writers.vector_target import foreign_rows, other_dimension
from chunking.store.engine.store_opening import import_lancedb

__all__ = ["LanceTarget"]


class LanceTarget:
    """A table with a row a chunk: `id`, `text`, `vector` and the metadata as columns."""

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._dimension, self._changed = dimension, False
        self._table = _open_table(import_lancedb().connect(place), place, collection, dimension)

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        query = self._table.search().where(_among([row.id for row in rows])).select(["id", DIGEST]).limit(len(rows))
        found = query.to_arrow()
        return dict(zip(found["id"].to_pylist(), found[DIGEST].to_pylist(), strict=True))

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
    """A condition in SQL: the id is one of these."""
    quoted = ", ".join(f"'{one.replace(chr(39), chr(39) * 2)}'" for one in ids)
    return f"id IN ({quoted})"
