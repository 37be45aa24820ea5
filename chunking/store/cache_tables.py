"""Cache tables of a workspace: generated texts, embeddings and document encodings, by key.

One process at a time claims the work on a key; the others wait and read its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.store.engine.file_locks import CacheLock
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import EMBEDDINGS, ENCODINGS, GENERATED_TEXTS, schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["WORTH_AN_INDEX", "CacheTable", "EncodingTable", "TextTable", "VectorTable"]

_KEYS_AT_ONCE = 1000
"""Keys of one query: 20 ms at 100,000 rows."""
WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""
_INDEX_NAME = "key_idx"

_MOST = 4 * 2**30
"""Maximum bytes stored: encodings of about 700 MB of text with 384 dimensions."""


class CacheTable:
    """Table of cached rows by key; rows of users without the right to write are not saved."""

    def __init__(self, tables: Tables, name: str, content: str) -> None:
        """`content` names the rows in error messages."""
        self._tables, self._name, self._content = tables, name, content
        self._lock = CacheLock(tables)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the computation of some keys among the processes of this machine; see `CacheLock.claim`."""
        return self._lock.claim(keys, waiting)

    def stored_keys(self, keys: Sequence[str]) -> set[str]:
        """Return the keys that have a row, reading no other column."""
        return {key for rows in self._rows(keys, ["key"]) for key in rows["key"].to_pylist()}

    def index(self) -> None:
        """Create an index on the keys once the table is large; the table's upkeep maintains it."""
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
            yield self._tables.fetch(f"reading {self._content}", query)


# -- generated texts, by model and prompt


class TextTable(CacheTable):
    """Generated texts by key, about 1 KB each; never trimmed, since they cost money and minutes."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, GENERATED_TEXTS, "generated texts")

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Return stored texts by key; keys without a text are absent."""
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


# -- embeddings, by model and text (law 7)


class VectorTable(CacheTable):
    """Embeddings of all models by key; the cache behind `CachedEmbedder`."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, EMBEDDINGS, "saved embeddings")

    def get(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """Return stored vectors by key, (d,) float32 each; keys without a vector are absent."""
        vectors_by_key: dict[str, np.ndarray] = {}
        for rows in self._rows(keys, ["key", "vector"]):
            names = rows["key"].to_pylist()
            vectors = rows["vector"].combine_chunks()
            flat, offsets = vectors.flatten().to_numpy(), vectors.offsets.to_numpy()
            offsets = offsets - offsets[:1]
            vectors_by_key |= {name: flat[offsets[n] : offsets[n + 1]].copy() for n, name in enumerate(names)}
        return vectors_by_key

    def put(self, rows: Mapping[str, np.ndarray]) -> None:
        """Save vectors in one commit; any thread may call it.

        A key that another process saved meanwhile is skipped, unless its vector has another length: then a server had
        another model under the name, and the vector is replaced.
        """
        if not rows or not self._tables.writable:
            return
        import numpy as np

        arrays = {key: np.asarray(vector, dtype=np.float32).reshape(-1) for key, vector in rows.items()}
        with self._lock.writing(EMBEDDINGS):
            stored = self.get(list(arrays))
            new = {key: vector for key, vector in arrays.items() if key not in stored}
            other = {key: vector for key, vector in arrays.items() if key in stored and len(stored[key]) != len(vector)}
            if new:
                self._tables.add("saving embeddings", EMBEDDINGS, _batch(new))
            if other:
                self._tables.upsert("saving embeddings", EMBEDDINGS, "key", _batch(other))


def _batch(rows: Mapping[str, np.ndarray]) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    offsets = np.concatenate([[0], np.cumsum([len(vector) for vector in rows.values()])]).astype(np.int32)
    vectors = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(list(rows.values()))))
    return pa.Table.from_arrays([pa.array(list(rows)), vectors], schema=schema(EMBEDDINGS))


# -- document encodings, from which late vectors of any size are pooled


class EncodingTable(CacheTable):
    """Serialised document encodings, by a key of model, window and text.

    A changed document leaves its old encoding behind, so `trim` deletes the oldest over a bound; a deleted encoding is
    computed again when needed.
    """

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, ENCODINGS, "encodings")

    def get(self, key: str) -> bytes | None:
        """Return the bytes of an encoding, or None."""
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
