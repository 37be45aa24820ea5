"""How many partitions of a vector index a search must look into to find as many rows as it wants."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chunking.config.choices import VectorIndex
    from chunking.store.index.build_record import BuildReport

__all__ = ["described", "enough_probes"]

_MARGIN = 4
"""Partitions differ in size, and a level is not spread evenly over them."""
_PARTITIONS = re.compile(r"(\d+) partitions")


def described(kind: VectorIndex, partitions: int, vectors: int, graph: tuple[int, int] | None = None) -> str:
    """A vector index in words, as it stands in `BuildReport.vector_index`.

    Args:
        graph: m and ef_construction, where it is made of graphs.
    >>> from chunking.config.choices import VectorIndex
    >>> described(VectorIndex.IVF_SQ, 224, 50_000)
    'ivf_sq, 224 partitions, 50000 vectors'
    >>> described(VectorIndex.IVF_HNSW_SQ, 4, 64_000, (20, 300))
    'ivf_hnsw_sq, 4 partitions, m 20, ef_construction 300, 64000 vectors'
    """
    graphs = f"m {graph[0]}, ef_construction {graph[1]}, " if graph else ""
    return f"{kind}, {partitions} partitions, {graphs}{vectors} vectors"


def enough_probes(built: BuildReport, levels: Collection[str], limit: int, probes: int) -> int:
    """At least `probes`; more where `limit` is large, or where the levels searched have few rows.

    Args:
        built: what the index is; where it says nothing of partitions, `probes` is the answer.
    >>> from chunking.store.index.build_record import BuildReport
    >>> index = "ivf_sq, 224 partitions, 50500 vectors"
    >>> built = BuildReport(levels={"chunk": 50_000, "document": 500}, vector_index=index)
    >>> searches = (["chunk"], 100), (["document"], 100), (["chunk"], 10_000)
    >>> tuple(enough_probes(built, levels, count, 20) for levels, count in searches)
    (20, 180, 180)
    """
    found = _PARTITIONS.search(built.vector_index)
    if found is None:
        return probes
    partitions, rows = int(found[1]), sum(built.levels.get(level, 0) for level in levels)
    return max(probes, min(partitions, math.ceil(_MARGIN * limit * partitions / max(rows, 1))))
