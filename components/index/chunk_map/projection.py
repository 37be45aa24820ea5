"""Vectors of many dimensions on a plane: the two directions in which they differ most (principal components, Pearson
1901).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Projection", "project", "spread"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Projection:
    """The chunks of an index on a plane."""

    ids: list[str]
    """(n,) chunk ids."""
    doc_ids: list[str]
    """(n,) the document of each."""
    points: Floats
    """(n, 2)."""
    mean: Floats
    """(d,)."""
    axes: Floats
    """(d, 2), columns of unit length."""
    explained: float
    """Share of the vectors' variance that the plane holds (0 to 1)."""

    def place(self, vectors: Floats) -> Floats:
        """Other vectors on the same plane: (m, d) to (m, 2)."""
        placed: Floats = ((vectors - self.mean) @ self.axes).astype(np.float32)
        return placed


def project(ids: Sequence[str], doc_ids: Sequence[str], vectors: Floats) -> Projection:
    """Put vectors on a plane.

    Args:
        ids: (n,) of chunks.
        doc_ids: (n,) the document of each.
        vectors: (n, d); any n, 0 and 1 too. What is not finite counts as 0.
    Returns:
        The same plane for the same vectors: each axis points to where its largest entry is positive.
    """
    d = vectors.shape[1]
    rows = np.nan_to_num(vectors.astype(np.float32))
    mean = rows.mean(axis=0) if len(rows) else np.zeros(d, np.float32)
    centred = rows - mean
    values, directions = np.linalg.eigh(centred.T @ centred)
    axes = np.zeros((d, 2), np.float32)
    axes[:, : min(d, 2)] = directions[:, ::-1][:, :2]
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    total = float(values.sum())
    explained = float(values[-2:].sum()) / total if total > 0 else 0.0
    return Projection(list(ids), list(doc_ids), (centred @ axes).astype(np.float32), mean, axes, explained)


def spread(count: int, most: int) -> NDArray[np.intp]:
    """At most `most` of `count` places, evenly apart.

    >>> spread(5, 10).tolist(), spread(10, 4).tolist()
    ([0, 1, 2, 3, 4], [0, 3, 6, 9])
    """
    return (
        np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))
        if count
        else np.zeros(0, np.intp)
    )
