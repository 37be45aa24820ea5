"""The levels of an index: which rows of its table a search looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chunking.model import CHUNK
from chunking.store.engine.lance_tables import Tables

if TYPE_CHECKING:
    from chunking.store.index.index_registry import IndexRow

__all__ = ["condition", "count_levels", "has_levels", "known_levels"]

_COLUMN = "level"


def has_levels(tables: Tables, row: IndexRow) -> bool:
    """False for a table that an earlier version made: it holds chunks only, and no column says so."""
    return not tables.missing(row.table, [_COLUMN])


def known_levels(tables: Tables, row: IndexRow) -> Mapping[str, int] | None:
    """Rows of each level where that is known without a look; None for an index that is being built."""
    if not has_levels(tables, row):
        return {CHUNK: row.chunks}
    return dict(row.built.levels) if row.built.levels and row.state == "complete" else None


def condition(known: Mapping[str, int] | None, levels: Iterable[str]) -> Any | None:
    """What keeps a query to some levels; None where there are no others.

    With the index on levels it costs a search by words nothing, and makes one by vectors faster: it reads no others.

    Args:
        known: rows of each level, where that is known.
    """
    from lancedb.expr import col

    wanted = list(dict.fromkeys(levels))
    return None if known is not None and known.keys() <= set(wanted) else col(_COLUMN).isin(wanted)


def count_levels(tables: Tables, row: IndexRow) -> dict[str, int]:
    """Rows of each level, in one query."""
    rows = tables.read(f"reading the index {row.name}", row.table, (_COLUMN,))
    return dict(sorted(Counter(one[_COLUMN] or CHUNK for one in rows).items()))
