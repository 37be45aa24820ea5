"""Cache of document encodings, from which late vectors of any size are pooled."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial

from chunking.store.caches.cache_table import CacheTable
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import ENCODINGS, schema

__all__ = ["EncodingTable"]

_MOST = 4 * 2**30
"""Bytes kept: the encodings of about 700 MB of text with 384 dimensions."""


class EncodingTable(CacheTable):
    """Encodings as bytes, by a key of model, window and text.

    A changed document leaves its old encoding behind, so `trim` deletes the oldest over a bound; a deleted encoding is
    computed again when needed.
    """

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, ENCODINGS, "encodings")

    def get(self, key: str) -> bytes | None:
        """The bytes of an encoding; None without one."""
        for rows in self._rows([key], ["data"]):
            if rows.num_rows:
                return bytes(rows["data"][0].as_py())
        return None

    def put(self, key: str, data: bytes) -> None:
        """Save or replace an encoding in one commit; any thread may call it."""
        self.put_all({key: data})

    def put_all(self, encodings: Mapping[str, bytes]) -> None:
        """Save or replace several encodings in one commit."""
        import pyarrow as pa

        if not self._tables.writable:
            return
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        rows = [{"key": key, "data": data, "size": len(data), "created": now} for key, data in encodings.items()]
        with self._lock.writing(ENCODINGS):
            self._tables.upsert(
                "saving encodings", ENCODINGS, "key", pa.Table.from_pylist(rows, schema=schema(ENCODINGS))
            )

    def trim(self, most: int = _MOST) -> int:
        """Delete the oldest encodings until at most `most` bytes remain.

        Returns:
            The number deleted.
        """
        from lancedb.expr import col

        table = self._tables.table(ENCODINGS)
        rows = self._tables.read("listing encodings", ENCODINGS, ("key", "size", "created"))
        room, oldest = most, []
        for row in sorted(rows, key=lambda row: str(row["created"]), reverse=True):
            room -= row["size"]
            if room < 0:
                oldest.append(row["key"])
        if table is not None and oldest:
            self._tables.change("deleting encodings", partial(table.delete, col("key").isin(oldest)))
        return len(oldest)
