"""Named records of a workspace (question sets, runs, configurations …) and its search history."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from chunking.errors import StoreError
from chunking.store.access import Right
from chunking.store.engine.faults import retry_conflicts
from chunking.store.engine.file_locks import CacheLock
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import NAMED_RECORDS, SEARCH_HISTORY, schema
from chunking.store.engine.table_upkeep import upkeep_now_and_then

__all__ = ["NamedRecords", "SearchHistory"]

_ACTIONS: Mapping[str, tuple[str, str]] = {
    "question sets": ("saved the question set", "deleted the question set"),
    "labelling queues": ("labelled queries of", "deleted the labelling queue"),
    "sweeps": ("saved the experiment", "discarded the experiment"),
    "configurations": ("saved the configuration", "deleted the configuration"),
    "parsers": ("chose the parser of", "took back the parser of"),
    "loaded chunks": ("loaded the chunks of", "removed the chunks of"),
}
"""Actions in the audit log for a write and a deletion, by kind; runs report themselves."""


MOST_CHARACTERS = 2_000
"""Maximum characters of a query; a longer one is not stored, since it is no query to label."""
MOST_QUERIES = 5_000
"""Maximum queries of a workspace; the oldest are deleted."""
_FORGET_EVERY = 200
"""Commits between two checks of the number of queries."""


class NamedRecords:
    """JSON records of one kind by name; needs no workspace lock, since every write is one commit.

    The last `put` of a name wins; use `change` to build on the stored record.
    """

    def __init__(self, tables: Tables, kind: str) -> None:
        self.kind = kind
        self._tables = tables
        self._lock = CacheLock(tables)

    @property
    def version(self) -> str:
        """Stamp that changes with each write to records of any kind by any process."""
        return self._tables.stamp(NAMED_RECORDS)

    def names(self) -> list[str]:
        """Return the names of all records, last written first."""
        rows = self._read(["name", "updated"])
        return [row["name"] for row in sorted(rows, key=lambda row: str(row["updated"]), reverse=True)]

    def get(self, name: str) -> str | None:
        """Return the JSON of a name, or None."""
        from lancedb.expr import col, lit

        rows = self._read(["data"], col("name") == lit(clean(name)))
        return rows[0]["data"] if rows else None

    def all(self) -> dict[str, str]:
        """Return the JSON of all records by name, last written first."""
        rows = sorted(self._read(["name", "data", "updated"]), key=lambda row: str(row["updated"]), reverse=True)
        return {row["name"]: row["data"] for row in rows}

    def put(self, rows: Mapping[str, str], *, done: tuple[str, str] | None = None) -> None:
        """Save JSON records by name in one commit, replacing stored ones; any thread may call it.

        Args:
            done: action in the past tense and name of its object for the audit log; None: those of the kind.
        Raises:
            AccessError: the access does not allow writing.
            StoreError: it cannot be written; the earlier records are unharmed.
        """
        if not rows:
            return
        self._tables.require(Right.WRITE)
        with self._lock.writing(NAMED_RECORDS):
            self._put(rows)
        self._note(_ACTIONS.get(self.kind, ("", ""))[0], rows, done)

    def change(self, name: str, becomes: Callable[[str | None], str | None]) -> str | None:
        """Replace or delete a record by a function of its current JSON, under a lock.

        Args:
            becomes: returns the new JSON for the stored one (None: there is none); None deletes the name. An exception
                leaves all unchanged. It must be fast and write nothing itself.
        Returns:
            The JSON as stored now; None if there is no such record.
        Raises:
            AccessError: the access does not allow writing.
            StoreError: it cannot be written; the earlier record is unharmed.
        """
        self._tables.require(Right.WRITE)
        with self._lock.writing(NAMED_RECORDS):
            before = self.get(name)
            after = becomes(before)
            if after == before:
                return after
            if after is None:
                self._delete([name])
            else:
                self._put({name: after})
        self._note(_ACTIONS.get(self.kind, ("", ""))[after is None], [name], None)
        return after

    def rename(
        self,
        name: str,
        new: str,
        check: Callable[[str | None, str | None], None],
        *,
        done: tuple[str, str] | None = None,
    ) -> None:
        """Rename a record in one commit, if `check` raises nothing.

        Args:
            check: called with the JSON of both names (None: there is none); raises to prevent the renaming. Otherwise a
                record of the new name is replaced, and a missing old one is ignored.
            done: action in the past tense and name of its object for the audit log; None: nothing is reported.
        Raises:
            StoreError: it cannot be written; the earlier records are unharmed.
        """
        from lancedb.expr import col, lit

        self._tables.require(Right.WRITE)
        with self._lock.writing(NAMED_RECORDS):
            kept = self.get(name)
            check(kept, self.get(new))
            if kept is None or name == new:
                return
            self._put({new: kept}, replacing=col("key") == lit(self._key(name)))
        self._note("", [new], done)

    def delete(self, names: Sequence[str]) -> None:
        """Delete records by name; missing names are ignored."""
        if names and self._tables.table(NAMED_RECORDS) is not None:
            self._tables.require(Right.WRITE)
            with self._lock.writing(NAMED_RECORDS):
                self._delete(names)
            self._note(_ACTIONS.get(self.kind, ("", ""))[1], names, None)

    def _put(self, rows: Mapping[str, str], *, replacing: Any = None) -> None:
        import pyarrow as pa

        now = datetime.now(UTC).isoformat(timespec="microseconds")
        lines = [
            {"key": self._key(name), "kind": self.kind, "name": clean(name), "data": clean(data), "updated": now}
            for name, data in rows.items()
        ]
        table = pa.Table.from_pylist(lines, schema=schema(NAMED_RECORDS))
        what = f"saving {self.kind}"
        retry_conflicts(partial(self._tables.upsert, what, NAMED_RECORDS, "key", table, replacing=replacing))
        upkeep_now_and_then(self._tables, NAMED_RECORDS)

    def _delete(self, names: Sequence[str]) -> None:
        from lancedb.expr import col

        table, keys = self._tables.table(NAMED_RECORDS), [self._key(name) for name in names]
        if table is not None:
            self._tables.change(f"deleting {self.kind}", lambda: table.delete(col("key").isin(keys)))
            upkeep_now_and_then(self._tables, NAMED_RECORDS)

    def _note(self, what: str, names: Iterable[str], done: tuple[str, str] | None) -> None:
        if done is not None:
            self._tables.note(*done)
        elif what:
            for name in names:
                self._tables.note(what, name)

    def _key(self, name: str) -> str:
        return f"{self.kind}/{clean(name)}"

    def _read(self, columns: Sequence[str], where: Any = None) -> list[dict[str, Any]]:
        from lancedb.expr import col, lit

        mine = col("kind") == lit(self.kind)
        return self._tables.read(
            f"reading {self.kind}", NAMED_RECORDS, columns, mine if where is None else mine & where
        )


# -- search history: never exported, deleted with the workspace


class SearchHistory:
    """Past search queries of a workspace in order, repeats included; about the last 5,000 are kept.

    Needs no workspace lock, since every query is one commit. Searches of users without the right to write are not
    stored.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def version(self) -> str:
        """Stamp that changes with every query in any process."""
        return self._tables.stamp(SEARCH_HISTORY)

    def add(self, query: str) -> None:
        """Add a query in one line unless empty, over 2,000 characters, or the user may not write.

        Now and then the oldest queries over the limit are deleted, and the table is compacted.

        Raises:
            StoreError: it cannot be written.
        """
        import pyarrow as pa

        line = " ".join(clean(query).split())
        if not line or not self._tables.writable or len(line) > MOST_CHARACTERS:
            return
        row = {"query": line, "asked": datetime.now(UTC).isoformat(timespec="microseconds")}
        self._tables.add(
            "saving the search history", SEARCH_HISTORY, pa.Table.from_pylist([row], schema=schema(SEARCH_HISTORY))
        )
        if self._tables.version(SEARCH_HISTORY) % _FORGET_EVERY == 0:
            self._forget_oldest()
        upkeep_now_and_then(self._tables, SEARCH_HISTORY)

    def _forget_oldest(self) -> None:
        """Delete the oldest queries over the limit; a failure is logged, and the next call deletes more."""
        from lancedb.expr import col, lit

        try:
            by_time = sorted(
                str(row["asked"]) for row in self._tables.read("reading the search history", SEARCH_HISTORY, ["asked"])
            )
            table = self._tables.table(SEARCH_HISTORY)
            if len(by_time) > MOST_QUERIES and table is not None:
                older = col("asked") < lit(by_time[-MOST_QUERIES])
                self._tables.change("forgetting the oldest searches", lambda: table.delete(older))
        except StoreError as error:
            logging.getLogger(__name__).warning("The oldest searches were not forgotten. %s", error)

    def queries(self) -> list[str]:
        """Return all queries, oldest first, repeats included."""
        rows = self._tables.read("reading the search history", SEARCH_HISTORY, ["query", "asked"])
        return [row["query"] for row in sorted(rows, key=lambda row: str(row["asked"]))]

    def clear(self) -> None:
        """Delete all queries with their table."""
        self._tables.drop(SEARCH_HISTORY)
