"""Chunks that end where the meaning of neighbouring sentences changes most.

A break stands wherever the distance between what is before a sentence and what follows is over a percentile of all such
distances of the document (Greg Kamradt, "5 Levels of Text Splitting", 2024, level 4). Unlike there a heading that
splits
always breaks, since there the writer says himself that the subject changes, and what is still too long is cut again at
its
largest distances.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.split_at_places import joined, split_at

__all__ = ["semantic"]

Ints = NDArray[np.int32]

_MIDDLE = 0.25
"""Share of a stretch at each end in which it is not cut while there is a sentence between: no slivers."""


def semantic(job: SplitInputs) -> ChunkColumns:
    """By sections, then where meaning changes; a small chunk joins the one before it under the same parent heading."""
    at, distances = job.answers.sentence_places, job.answers.distances
    regions = np.array(job.region_starts, np.int32)
    inside = ~np.isin(at, regions)
    inside[:1] = False
    least = np.percentile(distances[inside], job.config.semantic_share) if inside.any() else np.inf
    breaks = np.union1d(regions, at[inside & (distances > least)])
    edges = [*breaks.tolist(), len(job.marks) - 1]
    further = [place for low, high in pairwise(edges) for place in _further(job, low, high, at, distances)]
    return joined(job, split_at(job, [*edges[:-1], *further]))


def _further(job: SplitInputs, low: int, high: int, at: Ints, distances: NDArray[np.float32]) -> list[int]:
    """Where a stretch that is too long is cut: at the largest distance in its middle, and so on with its parts."""
    found: list[int] = []
    waiting = [(low, high)]
    while waiting:
        low, high = waiting.pop()
        section = job.survey.section[low]
        first, after = np.searchsorted(at, np.array([low + 1, high], np.int32)).tolist()
        if first == after or job.fits(low, high, section):
            continue
        before = job.survey.ruler.ends[at[first:after]] - job.survey.starts[low]
        share = before / (job.survey.ends[high] - job.survey.starts[low])
        middle = (share >= _MIDDLE) & (share <= 1 - _MIDDLE)
        best = int(at[first + np.argmax(np.where(middle | ~middle.any(), distances[first:after], -1))])
        found.append(best)
        waiting += [(low, best), (best, high)]
    return found
