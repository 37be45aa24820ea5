"""Base of the workspace's cache tables: rows by key, claimed by one process at a time, read in few queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from chunking.store.engine.cache_lock import CacheLock
from chunking.store.engine.lance_tables import Tables

__all__ = ["WORTH_AN_INDEX", "CacheTable"]

_KEYS_AT_ONCE = 1000
"""Keys of one query: 20 ms at 100,000 rows."""
WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""
_INDEX_NAME = "key_idx"


class CacheTable:
    """Rows by key, saved only for those who may write to the workspace."""

    def __init__(self, tables: Tables, name: str, content: str) -> None:
        """Args:
        name: of the table.
        content: what it holds, for error messages.
        """
        self._tables, self._name, self._content = tables, name, content
        self._lock = CacheLock(tables)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the computation of some keys among the processes of this machine; see `CacheLock.claim`."""
        return self._lock.claim(keys, waiting)

    def stored_keys(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a row; reads nothing else of it."""
        return {key for rows in self._rows(keys, ["key"]) for key in rows["key"].to_pylist()}

    def index(self) -> None:
        """Index the keys once there are many; the table's other upkeep maintains the index."""
        tables, table = self._tables, self._tables.table(self._name)
        if table is None or not tables.writable:
            return
        if tables.run(f"counting {self._content}", table.count_rows) < WORTH_AN_INDEX:
            return
        names = {index.name for index in tables.run("listing indexes", table.list_indices)}
        if _INDEX_NAME not in names:
            from lancedb.index import BTree

            create = partial(table.create_index, "key", config=BTree(), name=_INDEX_NAME)
            tables.change(f"indexing {self._content}", create)

    def _rows(self, keys: Sequence[str], columns: Sequence[str]) -> Iterator[Any]:
        """Rows of some keys as Arrow tables, one query per thousand keys; none without a table."""
        from lancedb.expr import col

        unique = list(dict.fromkeys(keys))
        if self._tables.table(self._name) is None:
            return
        for first in range(0, len(unique), _KEYS_AT_ONCE):
            some = unique[first : first + _KEYS_AT_ONCE]
            query = self._tables.query(self._name).where(col("key").isin(some)).select(list(columns))
            yield self._tables.found(f"reading {self._content}", query)
