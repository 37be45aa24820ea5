"""An open index: its settings, its table, and the levels that a search looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.config import Config
from chunking.errors import StoreError
from chunking.model import CHUNK
from chunking.store.engine.lance_tables import Tables

if TYPE_CHECKING:
    from chunking.store.index.index_registry import IndexRow

__all__ = ["OpenIndex", "condition", "known_levels"]

T = TypeVar("T")

_COLUMN = "level"


class OpenIndex:
    """What searching, reading and writing an index have in common."""

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
        """Rows of each level; of a complete index without a call, of one that is being built counted once."""
        levels = known_levels(self._tables, self.row)
        return self.count_levels() if levels is None else levels

    def _forget_levels(self) -> None:
        """Rows are written: the next look at `levels` counts anew."""
        self.__dict__.pop("levels", None)

    def count_levels(self) -> dict[str, int]:
        """Rows of each level as they are now, in one query: for `BuildReport.levels`."""
        return count_levels(self._tables, self.row)

    def on_table(self, what: str, call: Callable[[Any], T]) -> T:
        """Make one counted call on the engine's table.

        Args:
            what: what is being done, for an error's sentence, such as `counting vectors`.
        """
        return self._tables.run(f"{what} of the index {self.name}", lambda: call(self._table()))

    def change_table(self, what: str, call: Callable[[Any], T]) -> T:
        """Make one counted call that writes to the engine's table, as `on_table` makes one that reads."""
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
        """The engine's query over its table, without conditions."""
        self._table()
        return self._tables.query(self.row.table)


# -- levels


def has_levels(tables: Tables, row: IndexRow) -> bool:
    """False for a table that an earlier version made: it holds chunks only, and no column says so."""
    return not tables.missing(row.table, [_COLUMN])


def known_levels(tables: Tables, row: IndexRow) -> Mapping[str, int] | None:
    """Rows of each level where that is known without a look; None for an index that is being built."""
    if not has_levels(tables, row):
        return {CHUNK: row.chunks}
    return dict(row.built.levels) if row.built.levels and row.state == "complete" else None


def condition(rows_per_level: Mapping[str, int] | None, levels: Iterable[str]) -> Any | None:
    """What keeps a query to some levels; None where there are no others.

    With the index on levels it costs a search by words nothing, and makes one by vectors faster: it reads no others.

    Args:
        rows_per_level: rows of each level, where that is known.
    """
    from lancedb.expr import col

    names = list(dict.fromkeys(levels))
    return None if rows_per_level is not None and rows_per_level.keys() <= set(names) else col(_COLUMN).isin(names)


def count_levels(tables: Tables, row: IndexRow) -> dict[str, int]:
    """Rows of each level, in one query."""
    rows = tables.read(f"reading the index {row.name}", row.table, (_COLUMN,))
    return dict(sorted(Counter(one[_COLUMN] or CHUNK for one in rows).items()))
