"""The cache of embeddings: a vector by the key of its model and text (law 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from chunking.store.engine.cache_lock import CacheLock
from chunking.store.engine.key_lookup import by_key, index_keys, known_keys
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import EMBEDDINGS, schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["VectorTable"]

_WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""


class VectorTable:
    """Vectors by key, for every model of the workspace; what `CachedEmbedder` takes as its cache.

    Nothing is kept for who may not write to the workspace."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = CacheLock(tables)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the embedding of some keys among the processes of this machine; see `CacheLock.claim`."""
        return self._lock.claim(keys, waiting)

    def get(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors that are known, (d,) float32 each; keys without one are left out."""
        found: dict[str, np.ndarray] = {}
        for rows in by_key(self._tables, "reading saved embeddings", EMBEDDINGS, keys, ["key", "vector"]):
            names = rows["key"].to_pylist()
            vectors = rows["vector"].combine_chunks()
            flat, offsets = vectors.flatten().to_numpy(), vectors.offsets.to_numpy()
            offsets = offsets - offsets[:1]
            found |= {name: flat[offsets[n] : offsets[n + 1]].copy() for n, name in enumerate(names)}
        return found

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a vector; reads no vectors."""
        return known_keys(self._tables, "reading saved embeddings", EMBEDDINGS, keys)

    def put(self, rows: Mapping[str, np.ndarray]) -> None:
        """Keep vectors, in one commit. A key that another process has put meanwhile is not written again; one whose
        vector has
        another length is replaced: a server had another model under the name. Any thread may put.
        """
        if not rows or not self._tables.writable:
            return
        import numpy as np

        made = {key: np.asarray(vector, dtype=np.float32).reshape(-1) for key, vector in rows.items()}
        with self._lock.writing(EMBEDDINGS):
            there = self.get(list(made))
            new = {key: vector for key, vector in made.items() if key not in there}
            other = {key: vector for key, vector in made.items() if key in there and len(there[key]) != len(vector)}
            if new:
                self._tables.add("saving embeddings", EMBEDDINGS, _batch(new))
            if other:
                self._tables.upsert("saving embeddings", EMBEDDINGS, "key", _batch(other))

    def index(self) -> None:
        """Make an index over the keys, once there are many."""
        index_keys(self._tables, "saved embeddings", EMBEDDINGS, _WORTH_AN_INDEX)


def _batch(rows: Mapping[str, np.ndarray]) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    offsets = np.concatenate([[0], np.cumsum([len(vector) for vector in rows.values()])]).astype(np.int32)
    vectors = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(list(rows.values()))))
    return pa.Table.from_arrays([pa.array(list(rows)), vectors], schema=schema(EMBEDDINGS))
