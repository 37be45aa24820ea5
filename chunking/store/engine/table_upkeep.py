"""Upkeep of tables: merge small files, add new rows to indexes, delete old versions; when it is due.

Upkeep rewrites files, up to all of a table's (80 s for a million chunks), so a large table gets it only once enough has
changed. Without it every read is right, and slower by what has not been merged.
"""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.errors import StoreError
from chunking.store.engine.faults import retry_conflicts

if TYPE_CHECKING:
    from chunking.store.engine.lance_tables import Tables

__all__ = ["upkeep", "upkeep_if_due", "upkeep_now_and_then"]

_OLD = timedelta(minutes=10)
"""Age at which versions are deleted: no search takes that long, so no reader misses them."""
_MOST_VERSIONS = 200
"""Maximum versions since the last upkeep; each lists all fragments, so n commits write n² lines."""
_SMALL = 50_000
"""Rows up to which a table is rewritten at any time; the default for a vector index as well."""
_MOST_FRAGMENTS = 100
"""Maximum fragments of a larger table; a search opens each."""
_MOST_BEHIND = 2_000
"""Maximum rows of a larger table that an index lacks; each thousand makes a search a quarter slower."""


def upkeep(tables: Tables, name: str) -> None:
    """Merge a table's small files, add new rows to its indexes, and delete old versions.

    Versions of the last 10 minutes stay for readers.
    """
    table = tables.table(name)
    if table is not None:
        optimize = partial(table.optimize, cleanup_older_than=_OLD)
        retry_conflicts(partial(tables.change, f"tidying the table {name}", optimize))


def upkeep_if_due(tables: Tables, name: str) -> bool:
    """Run `upkeep` for a small table, and for a larger one once much has changed; return whether it ran."""
    table = tables.table(name)
    if table is None or not tables.run(f"counting the files of the table {name}", partial(_is_due, table)):
        return False
    upkeep(tables, name)
    return True


def _is_due(table: Any) -> bool:
    stats = table.stats()
    return (
        stats["num_rows"] <= _SMALL
        or stats["fragment_stats"]["num_fragments"] >= _MOST_FRAGMENTS
        or any((index.num_unindexed_rows or 0) >= _MOST_BEHIND for index in table.list_indices())
    )


def upkeep_now_and_then(tables: Tables, name: str) -> None:
    """Run `upkeep` once a table has 200 new versions; for tables with a commit per click.

    A failure is logged: commits are unharmed, and the next attempt comes after as many versions again.
    """
    before = _versions(tables, name)
    if before - min(tables.versions_left.get(name, 0), before) < _MOST_VERSIONS:
        return
    try:
        upkeep(tables, name)
    except StoreError as error:
        logging.getLogger(__name__).warning("The table %s was not compacted and will be later. %s", name, error)
    tables.versions_left[name] = _versions(tables, name)


def _versions(tables: Tables, name: str) -> int:
    """Number of a table's versions; outside of a folder, of all versions ever."""
    if tables.folder is None:
        return tables.version(name)
    try:
        return sum(file.endswith(".manifest") for file in os.listdir(tables.folder / f"{name}.lance" / "_versions"))
    except FileNotFoundError:  # it is gone already
        return 0
