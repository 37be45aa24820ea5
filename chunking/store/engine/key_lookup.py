"""Tables that are read by key: how many keys a query asks for, and from when on they are worth an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from chunking.store.engine.lance_tables import Tables

__all__ = ["by_key", "index_keys", "known_keys"]

_KEYS_AT_ONCE = 1000
"""Keys asked for in one query: 20 ms at 100,000 rows."""
_INDEX_NAME = "key_idx"


def by_key(tables: Tables, what: str, name: str, keys: Sequence[str], columns: Sequence[str]) -> Iterator[Any]:
    """Rows of some keys as Arrow tables, a query a thousand keys; none where there is no such table."""
    from lancedb.expr import col

    unique = list(dict.fromkeys(keys))
    if tables.table(name) is None:
        return
    for first in range(0, len(unique), _KEYS_AT_ONCE):
        query = tables.query(name).where(col("key").isin(unique[first : first + _KEYS_AT_ONCE])).select(list(columns))
        yield tables.found(what, query)


def known_keys(tables: Tables, what: str, name: str, keys: Sequence[str]) -> set[str]:
    """Those of some keys that have a row; reads nothing else of it."""
    return {key for rows in by_key(tables, what, name, keys, ["key"]) for key in rows["key"].to_pylist()}


def index_keys(tables: Tables, what: str, name: str, least: int) -> None:
    """Make an index over the keys, once there are `least` rows; it is kept up with the table's other upkeep."""
    table = tables.table(name)
    if table is None or not tables.writable or tables.run(f"counting {what}", table.count_rows) < least:
        return
    names = {index.name for index in tables.run("listing indexes", table.list_indices)}
    if _INDEX_NAME not in names:
        from lancedb.index import BTree

        tables.change(f"indexing {what}", partial(table.create_index, "key", config=BTree(), name=_INDEX_NAME))
