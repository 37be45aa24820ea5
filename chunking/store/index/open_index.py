"""Base of an open index: its registry row, its table, and its levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.config import Config
from chunking.errors import StoreError
from chunking.model import CHUNK
from chunking.store.engine.lance_tables import Tables, sql
from chunking.store.index.chunk_arrow import CHUNK_FIELDS, PACKED_FIELDS

if TYPE_CHECKING:
    from chunking.store.index.index_registry import IndexRow

__all__ = ["OpenIndex", "known_levels", "level_condition"]

T = TypeVar("T")

_COLUMN = "level"


class OpenIndex:
    """Base of an open index: its registry row, and calls on its table."""

    def __init__(self, tables: Tables, row: IndexRow) -> None:
        self._tables = tables
        self.row = row

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def config(self) -> Config:
        return self.row.config

    @property
    def fingerprint(self) -> str:
        return self.row.fingerprint

    @property
    def dimension(self) -> int:
        return self.row.dimension

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """Number of rows of each level: from the registry for a complete index, else counted once."""
        levels = known_levels(self._tables, self.row)
        return self.count_levels() if levels is None else levels

    def _forget_levels(self) -> None:
        """Discard the counted `levels` after a write."""
        self.__dict__.pop("levels", None)

    def count_levels(self) -> dict[str, int]:
        """Count the current rows of each level in one query, for `BuildReport.levels`."""
        return count_levels(self._tables, self.row)

    @property
    def _chunk_fields(self) -> tuple[str, ...]:
        """Columns from which a chunk is restored soonest."""
        return PACKED_FIELDS if self._tables.is_packed(self.row.table) else CHUNK_FIELDS

    def on_table(self, what: str, call: Callable[[Any], T]) -> T:
        """Return a function's result on the engine's table, which it only reads; one counted call.

        Args:
            what: the action, for an error's sentence, such as `counting vectors`.
        """
        return self._tables.run(f"{what} of the index {self.name}", lambda: call(self._table()))

    def change_table(self, what: str, call: Callable[[Any], T]) -> T:
        """Return a function's result on the engine's table, which it writes to. Raises AccessError."""
        return self._tables.change(f"{what} of the index {self.name}", lambda: call(self._table()))

    def _table(self) -> Any:
        table = self._tables.table(self.row.table)
        if table is None:
            raise StoreError(
                f"The table of the index {self.name} is missing in {self._tables.uri}; build the index again.",
                where=self.name,
            )
        return table

    def _query(self) -> Any:
        """The engine's query over the index's table, without conditions."""
        self._table()
        return self._tables.query(self.row.table)


# -- levels


def known_levels(tables: Tables, row: IndexRow) -> Mapping[str, int] | None:
    """Return the number of rows of each level without counting; None if it is not known.

    It is known for a complete index, and for one of an earlier version, which holds chunks only.
    """
    if tables.missing(row.table, [_COLUMN]):  # a table of an earlier version holds chunks only
        return {CHUNK: row.chunks}
    return dict(row.built.levels) if row.built.levels and row.state == "complete" else None


def level_condition(rows_per_level: Mapping[str, int] | None, levels: Iterable[str]) -> Any | None:
    """Return a filter for rows of the given levels; None if the index has no other levels.

    With the index on levels it costs a full-text search nothing, and a vector search reads fewer rows.

    Args:
        rows_per_level: rows of each level, if known.
    """
    from lancedb.expr import col

    names = list(dict.fromkeys(levels))
    return None if rows_per_level is not None and rows_per_level.keys() <= set(names) else col(_COLUMN).isin(names)


def count_levels(tables: Tables, row: IndexRow) -> dict[str, int]:
    """Count the rows of each level: those of the last build by the index on levels, else all in one query."""
    from lancedb.expr import col, lit

    def by_index() -> dict[str, int] | None:
        table = tables.table(row.table)
        assert table is not None
        counts = {level: table.count_rows(sql(col(_COLUMN) == lit(level))) for level in sorted(row.built.levels)}
        return {level: rows for level, rows in counts.items() if rows} if sum(counts.values()) == len(table) else None

    if row.built.levels and not tables.missing(row.table, [_COLUMN]):
        counted = tables.run(f"reading the index {row.name}", by_index)
        if counted is not None:
            return counted
    levels = tables.columns(f"reading the index {row.name}", row.table, lambda: tables.query(row.table), (_COLUMN,))
    counts: Counter[str] = Counter()
    for counted in levels[_COLUMN].value_counts().to_pylist():
        counts[counted["values"] or CHUNK] += counted["counts"]
    return dict(sorted(counts.items()))
