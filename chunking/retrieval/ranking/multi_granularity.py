"""Score several sizes together: a chunk gets a share of the scores of larger chunks that contain it.

Three nested sizes (100 ⊂ 200 ⊂ 400 tokens), each searched by both legs and added at half weight, measured 2 to 4 points
of recall above any single size: a small chunk locates, a larger one tells whether the place is about the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from chunking.model import Chunk
from chunking.retrieval.ranking.fused_hits import Addition, Fused
from chunking.retrieval.ranking.fusion import from_larger

__all__ = ["Size", "with_larger"]


@dataclass(frozen=True, slots=True)
class Size:
    """Search results of a larger size."""

    level: str
    """Such as `x2`."""
    hits: tuple[Fused, ...]
    """Best first."""
    least: float
    """Score of a chunk of this size that no leg matched."""


def with_larger(
    hits: Sequence[Fused], sizes: Sequence[Size], chunks: Mapping[str, Chunk], weight: float
) -> tuple[Fused, ...]:
    """Candidates with the scores of the larger chunks they stand in, best first; ties by id.

    Args:
        hits: candidates of the smallest size; what only a larger one found is none.
        sizes: the larger sizes.
        chunks: the chunk of each hit, by id.
        weight: the share of a larger chunk's score that its chunks get.
    """
    own = np.array([[hit.score for hit in hits]])
    added = list(
        zip(*(_additions(own, size, [chunks[hit.chunk_id] for hit in hits], weight) for size in sizes), strict=True)
    )
    fused = (hit.plus(*some) for hit, some in zip(hits, added, strict=True)) if sizes else hits
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.chunk_id)))


def _additions(own: np.ndarray, size: Size, chunks: Sequence[Chunk], weight: float) -> list[Addition]:
    """What a size adds to each chunk; what no leg found of it is one more column, behind the others."""
    places, missing = {hit.chunk_id: place for place, hit in enumerate(size.hits)}, len(size.hits)
    names = (
        next((name for name in chunk.larger_ids if name.startswith(f"{chunk.doc_id}_{size.level}_")), None)
        for chunk in chunks
    )
    parents = [-1 if name is None else places.get(name, missing) for name in names]
    larger = np.array([[*(hit.score for hit in size.hits), size.least]])
    scores = from_larger(own, larger, np.array(parents, np.int64))[0].tolist()
    rows = zip(parents, scores, strict=True)
    return [
        Addition(size.level, weight * score, partial(_because, size, place, score, weight)) for place, score in rows
    ]


def _because(size: Size, place: int, score: float, weight: float) -> str:
    if place < 0:  # its category has no chunks of this size, so its own score counts
        return (
            f"No larger chunk around it ({size.level}): its own score {score:+.2f} × {weight:.2f} = "
            f"{weight * score:+.2f}."
        )
    where = (
        f"rank {place + 1} of {len(size.hits)}"
        if place < len(size.hits)
        else f"not among {len(size.hits)}, counted as their lowest"
    )
    return (
        f"The larger chunk around it ({size.level}): {where}, score {score:+.2f} × {weight:.2f} = "
        f"{weight * score:+.2f}."
    )
