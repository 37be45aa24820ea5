"""The cache of embeddings: a vector by the key of its model and text (law 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.store.schema import EMBEDDINGS, schema
from chunking.store.tables import Tables

if TYPE_CHECKING:
    import numpy as np

__all__ = ["VectorTable"]

_KEYS_AT_ONCE = 1000
"""Keys asked for in one query: 20 ms at 100,000 rows."""
_INDEX_NAME = "key_idx"
_WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""


class VectorTable:
    """Vectors by key, for every model of the workspace; what `CachedEmbedder` takes as its cache."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors that are known, (d,) float32 each; keys without one are left out."""
        found: dict[str, np.ndarray] = {}
        unique = list(dict.fromkeys(keys))
        for first in range(0, len(unique), _KEYS_AT_ONCE):
            found |= self._get(unique[first : first + _KEYS_AT_ONCE])
        return found

    def _get(self, keys: list[str]) -> dict[str, np.ndarray]:
        rows = self._select(keys, ["key", "vector"])
        if rows is None:
            return {}
        names = rows["key"].to_pylist()
        vectors = rows["vector"].combine_chunks()
        flat, offsets = vectors.flatten().to_numpy(), vectors.offsets.to_numpy()
        offsets = offsets - offsets[:1]
        return {name: flat[offsets[n] : offsets[n + 1]].copy() for n, name in enumerate(names)}

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a vector; reads no vectors."""
        found: set[str] = set()
        unique = list(dict.fromkeys(keys))
        for first in range(0, len(unique), _KEYS_AT_ONCE):
            rows = self._select(unique[first : first + _KEYS_AT_ONCE], ["key"])
            found.update(rows["key"].to_pylist() if rows is not None else ())
        return found

    def _select(self, keys: list[str], columns: list[str]) -> Any | None:
        table = self._tables.table(EMBEDDINGS)
        if table is None or not keys:
            return None
        from lancedb.expr import col

        query = table.search().where(col("key").isin(keys)).select(columns)
        return self._tables.run("reading saved embeddings", query.to_arrow)

    def put(self, rows: Mapping[str, np.ndarray]) -> None:
        """Keep vectors, in one commit. Keys must be new: `CachedEmbedder` puts only what `get` lacked."""
        if not rows:
            return
        import numpy as np
        import pyarrow as pa

        matrix = [np.asarray(vector, dtype=np.float32).reshape(-1) for vector in rows.values()]
        offsets = np.concatenate([[0], np.cumsum([len(vector) for vector in matrix])]).astype(np.int32)
        vectors = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(matrix)))
        batch = pa.Table.from_arrays([pa.array(list(rows)), vectors], schema=schema(EMBEDDINGS))
        table = self._tables.table(EMBEDDINGS, schema(EMBEDDINGS))
        assert table is not None
        self._tables.run("saving embeddings", lambda: table.add(batch))

    def index(self) -> None:
        """Make an index over the keys, once there are many; it is kept up with the table's other upkeep."""
        table = self._tables.table(EMBEDDINGS)
        if table is None or self._tables.run("counting saved embeddings", table.count_rows) < _WORTH_AN_INDEX:
            return
        names = {index.name for index in self._tables.run("listing indexes", table.list_indices)}
        if _INDEX_NAME not in names:
            from lancedb.index import BTree

            self._tables.run("indexing saved embeddings", partial(table.create_index, "key", config=BTree(), name=_INDEX_NAME))
