"""The cache of texts that a language model wrote: a text by the key of its model and prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from chunking.store.engine.cache_lock import CacheLock
from chunking.store.engine.filters import clean
from chunking.store.engine.key_lookup import by_key, index_keys, known_keys
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import GENERATED_TEXTS, schema

__all__ = ["TextTable"]

_WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""


class TextTable:
    """Texts by key. They cost money and minutes, so they stay for the life of the workspace: about 1 KB each.

    Nothing is kept for who may not write to the workspace."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = CacheLock(tables)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the writing of some keys among the processes of this machine; see `CacheLock.claim`."""
        return self._lock.claim(keys, waiting)

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """The texts that are known; keys without one are left out."""
        found = by_key(self._tables, "reading generated texts", GENERATED_TEXTS, keys, ["key", "text"])
        return {
            key: text
            for rows in found
            for key, text in zip(rows["key"].to_pylist(), rows["text"].to_pylist(), strict=True)
        }

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a text."""
        return known_keys(self._tables, "reading generated texts", GENERATED_TEXTS, keys)

    def put(self, rows: Mapping[str, str], model: str) -> None:
        """Keep texts, in one commit: put several at once. A key that is there gets the new text. Any thread may put.

        Args:
            model: name of the model that wrote them.
        """
        import pyarrow as pa

        if not rows or not self._tables.writable:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        lines = [{"key": key, "text": clean(text), "model": clean(model), "created": now} for key, text in rows.items()]
        with self._lock.writing(GENERATED_TEXTS):
            self._tables.upsert(
                "saving generated texts",
                GENERATED_TEXTS,
                "key",
                pa.Table.from_pylist(lines, schema=schema(GENERATED_TEXTS)),
            )

    def index(self) -> None:
        """Make an index over the keys, once there are many."""
        index_keys(self._tables, "written texts", GENERATED_TEXTS, _WORTH_AN_INDEX)
