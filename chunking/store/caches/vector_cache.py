"""Cache of embeddings, by the key of model and text (law 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.store.caches.cache_table import CacheTable
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import EMBEDDINGS, schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["VectorTable"]


class VectorTable(CacheTable):
    """Vectors by key, of every model of the workspace; the cache of `CachedEmbedder`."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables, EMBEDDINGS, "saved embeddings")

    def get(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """Stored vectors by key, (d,) float32 each; keys without one are missing."""
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
