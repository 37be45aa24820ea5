"""An index that is open: its settings, its levels, its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.config import Config
from chunking.errors import StoreError
from chunking.store.engine.lance_tables import Tables
from chunking.store.index.index_levels import count_levels, known_levels

if TYPE_CHECKING:
    from chunking.store.index.index_registry import IndexRow

__all__ = ["OpenIndex"]

T = TypeVar("T")


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
        known = known_levels(self._tables, self.row)
        return self.count_levels() if known is None else known

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
