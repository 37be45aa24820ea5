"""The cache of embeddings: a vector by the key of its model and text (law 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.store.keys import by_key, index_keys, known_keys
from chunking.store.schema import EMBEDDINGS, schema
from chunking.store.tables import Tables

if TYPE_CHECKING:
    import numpy as np

__all__ = ["VectorTable"]

_WORTH_AN_INDEX = 5_000
"""Rows below which a scan is as fast."""


class VectorTable:
    """Vectors by key, for every model of the workspace; what `CachedEmbedder` takes as its cache."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

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
        """Keep vectors, in one commit. Keys must be new: `CachedEmbedder` puts only what `get` lacked."""
        if not rows:
            return
        import numpy as np
        import pyarrow as pa

        matrix = [np.asarray(vector, dtype=np.float32).reshape(-1) for vector in rows.values()]
        offsets = np.concatenate([[0], np.cumsum([len(vector) for vector in matrix])]).astype(np.int32)
        vectors = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(matrix)))
        batch = pa.Table.from_arrays([pa.array(list(rows)), vectors], schema=schema(EMBEDDINGS))
        self._tables.add("saving embeddings", EMBEDDINGS, batch)

    def index(self) -> None:
        """Make an index over the keys, once there are many."""
        index_keys(self._tables, "saved embeddings", EMBEDDINGS, _WORTH_AN_INDEX)
