"""Hashes of a table's keys in memory, so that new keys are told from stored ones without a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock

from chunking.store.engine.lance_tables import Tables

__all__ = ["KeyHashes"]

_FEW = 1_000
"""Keys looked up in vain before it is asked whether all keys are worth reading."""
_COST = 10
"""Keys that are read in the time in which one is looked up, about; more while many rows are not indexed yet."""
_MOST = 4_000_000
"""Maximum rows of a table whose keys are read: about 300 MB."""


class KeyHashes:
    """Hashes of a table's keys, read once many were looked up in vain.

    Another process's write makes them be read again, if they are still worth it.
    To look up a thousand keys in a million rows takes 50 ms, and seconds while half of the rows are not indexed, as in
    a long run that adds to the table all the time.
    """

    def __init__(self, tables: Tables, name: str) -> None:
        self._tables, self._name = tables, name
        self._hashes: set[int] = set()
        self._stamp = ""
        """State of the table that the hashes describe; empty: no hashes."""
        self._missed, self._worth = 0, _FEW
        """Keys looked up in vain since the hashes were read, and number from which reading them is worth it."""
        self._lock = Lock()

    def candidates(self, keys: Sequence[str]) -> list[str]:
        """Return the keys to look up: without those that the table is known to lack."""
        with self._lock:
            if self._is_current():
                return [key for key in keys if hash(key) in self._hashes]
        return list(keys)

    def count_misses(self, number: int) -> None:
        """Count keys that were looked up and that the table lacks."""
        with self._lock:
            self._missed += number

    def add(self, keys: Iterable[str], before: str) -> None:
        """Note keys that this process has added; nothing else may have been added meanwhile.

        Args:
            before: the table's stamp before.
        """
        with self._lock:
            if self._stamp and self._stamp == before:
                self._hashes.update(map(hash, keys))
                self._stamp = self._tables.stamp(self._name)

    def _is_current(self) -> bool:
        """True if the hashes are those of the present rows, after reading them if that is worth it."""
        stamp = self._tables.stamp(self._name)
        if stamp == self._stamp:
            return True
        table = self._tables.table(self._name)
        if self._missed < self._worth or table is None:
            return False
        rows = self._tables.run("counting keys", table.count_rows)
        self._worth = max(_FEW, rows // _COST)
        if self._missed < self._worth or rows > _MOST:
            return False
        keys = self._tables.fetch("reading keys", self._tables.query(self._name).select(["key"]))["key"]
        self._hashes = {hash(key) for part in keys.chunks for key in part.to_pylist()}
        self._stamp, self._missed = stamp, 0  # taken before: a write meanwhile makes them be read again
        return True
