"""The vectors of many rows as one matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["LevelVectors", "level_vectors", "unit_means"]


class LevelVectors(NamedTuple):
    """The vectors of a level, by document and place in it."""

    ids: list[str]
    """(n,) ids of the chunks."""
    doc_ids: list[str]
    """(n,) the document of each; empty texts for clusters."""
    vectors: np.ndarray
    """(n, d) float32."""


def level_vectors(rows: pa.Table | None, dimension: int) -> LevelVectors:
    """Rows as they were read, in the order of documents and places; those without a vector are left out.

    Args:
        rows: with the columns id, doc_id, chunk_index and vector.
    """
    import numpy as np

    if rows is None or not rows.num_rows:
        return LevelVectors([], [], np.zeros((0, dimension), np.float32))
    rows = rows.filter(rows["vector"].is_valid()).sort_by([("doc_id", "ascending"), ("chunk_index", "ascending")])
    matrix = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return LevelVectors(rows["id"].to_pylist(), rows["doc_id"].to_pylist(), matrix.reshape(-1, dimension))


def unit_means(found: LevelVectors) -> tuple[list[str], np.ndarray]:
    """Document ids, and the mean of each one's vectors, (n, d) float32 of unit length; zeros where they cancel out."""
    import numpy as np

    if not found.ids:
        return [], found.vectors
    documents = np.array(found.doc_ids, dtype=object)
    firsts = np.flatnonzero(np.r_[True, documents[1:] != documents[:-1]])
    sums = np.add.reduceat(found.vectors, firsts, axis=0)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return documents[firsts].tolist(), (sums / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
