"""Cache of generated texts, by the key of model and prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from chunking.store.caches.cache_table import CacheTable
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import GENERATED_TEXTS, schema

__all__ = ["TextTable"]


class TextTable(CacheTable):
    """Texts by key, saved for the life of the workspace, since they cost money and minutes: about 1 KB each."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, GENERATED_TEXTS, "generated texts")

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Stored texts by key; keys without one are missing."""
        return {
            key: text
            for rows in self._rows(keys, ["key", "text"])
            for key, text in zip(rows["key"].to_pylist(), rows["text"].to_pylist(), strict=True)
        }

    def put(self, rows: Mapping[str, str], model: str) -> None:
        """Save texts in one commit, replacing those of the same keys; any thread may call it.

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
