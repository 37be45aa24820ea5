"""What a vector index finds of the nearest vectors, and how fast, measured on an index's own vectors."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from chunking.store.index.index import Index
    from chunking.store.index.store_hits import StoreHit

__all__ = ["VectorRecall", "measure"]

_NEAREST = 10
_SAME = 1e-5
"""Cosines nearer than this are equal: which of two repeats is found does not matter."""


@dataclass(frozen=True, slots=True)
class VectorRecall:
    """What searches with some parameters found."""

    probes: int
    """Partitions searched; 0: every vector was compared, which the others are measured against."""
    refine: int
    """Times as many candidates as wanted that were compared exactly; 0 with `probes`."""
    recall_at_10: float
    """Share (0 to 1) of the ten nearest that was found, on average."""
    milliseconds: float
    """Of the search by vector alone, its median."""


def measure(
    index: Index,
    probes: Sequence[int] = (1, 5, 20, 50),
    refine: Sequence[int] = (1, 5),
    sample: int = 100,
    *,
    ef: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[VectorRecall]:
    """Search an index for the neighbours of some of its own chunks, with each of the parameters.

    The chunks are chosen at random, always the same ones, and are not counted as found themselves. Without a vector
    index
    all rows come out alike.

    Args:
        probes: numbers of partitions to try, and `refine` factors, each with each.
        sample: chunks to search from; fewer where the index has fewer.
        ef: candidates that a search of an HNSW graph keeps; 0: one and a half times as many as are compared exactly.
        on_progress: called with the searches done and their number; what it raises stops the measuring.
    Returns:
        First the exact search, then a row for each pair; nothing for an index of fewer than two chunks with a vector.
    """
    vectors = _sample(index, sample)
    pairs = [(0, 0), *((some, times) for some in probes for times in refine)]
    rows, exact = [], dict[str, list[float]]()
    for number, (some, times) in enumerate(pairs if len(vectors) > 1 else ()):
        recalls, seconds = [], []
        for place, (chunk_id, vector) in enumerate(vectors.items()):
            if on_progress is not None:
                on_progress(number * len(vectors) + place, len(pairs) * len(vectors))
            started = perf_counter()
            hits = index.vector_search(vector, _NEAREST + 1, probes=some or 1, refine=times or 1, ef=ef, exact=not some)
            seconds.append(perf_counter() - started)
            cosines = _others(hits, chunk_id)
            recalls.append(_recall(cosines, exact.setdefault(chunk_id, cosines)))
        rows.append(VectorRecall(some, times, sum(recalls) / len(recalls), median(seconds) * 1000))
    return rows


def _sample(index: Index, size: int) -> dict[str, np.ndarray]:
    """Some chunk ids with their vectors, and the index's pages warm."""
    ids = sorted(index.ids())
    chosen = random.Random(0).sample(ids, min(size, len(ids)))
    found = index.vectors_by_id(chosen)
    for vector in list(found.values())[:1]:
        index.vector_search(vector, _NEAREST)
    return found


def _others(hits: Sequence[StoreHit], chunk_id: str) -> list[float]:
    """Cosines of the hits but the chunk itself, best first."""
    return [hit.score for hit in hits if hit.chunk.chunk_id != chunk_id][:_NEAREST]


def _recall(found: Sequence[float], exact: Sequence[float]) -> float:
    """Share of the nearest that was found, by their cosines.

    >>> _recall([0.9, 0.7], [0.9, 0.8])
    0.5
    """
    return sum(cosine >= exact[-1] - _SAME for cosine in found) / len(exact) if exact else 1.0
