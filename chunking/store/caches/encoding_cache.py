"""The cache of documents encoded once, from which late vectors of any size are pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial

from chunking.store.engine.cache_lock import CacheLock
from chunking.store.engine.key_lookup import by_key, known_keys
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import ENCODINGS, schema

__all__ = ["EncodingTable"]

_MOST = 4 * 2**30
"""Bytes kept: the encodings of about 700 MB of text with 384 dimensions."""


class EncodingTable:
    """Bytes by key. A key has a model, a window and a text in it, so a changed document leaves its old encoding behind:
    `trim` deletes the oldest ones over a bound. What is deleted is encoded again when it is next wanted.

    Nothing is kept for who may not write to the workspace."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = CacheLock(tables)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the encoding of a document among the processes of this machine; see `CacheLock.claim`."""
        return self._lock.claim(keys, waiting)

    def get(self, key: str) -> bytes | None:
        """The bytes, None where there are none."""
        for rows in by_key(self._tables, "reading an encoding", ENCODINGS, [key], ["data"]):
            if rows.num_rows:
                return bytes(rows["data"][0].as_py())
        return None

    def known(self, keys: list[str]) -> set[str]:
        """Those of the keys that are there; reads no encodings."""
        return known_keys(self._tables, "reading encodings", ENCODINGS, keys)

    def put(self, key: str, data: bytes) -> None:
        """Keep an encoding, in one commit; one that is there is replaced. Any thread may put."""
        self.put_all({key: data})

    def put_all(self, encodings: Mapping[str, bytes]) -> None:
        """Keep several, as `put` keeps one, in one commit."""
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
        """Delete the encodings that were saved first, until at most `most` bytes are left.

        Returns:
            The number deleted.
        """
        from lancedb.expr import col

        table = self._tables.table(ENCODINGS)
        rows = self._tables.read("listing encodings", ENCODINGS, ("key", "size", "created"))
        left, gone = most, []
        for row in sorted(rows, key=lambda row: str(row["created"]), reverse=True):
            left -= row["size"]
            if left < 0:
                gone.append(row["key"])
        if table is not None and gone:
            self._tables.change("deleting encodings", partial(table.delete, col("key").isin(gone)))
        return len(gone)
