"""Maximal marginal relevance: of two results that say the same the second sinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from chunking.retrieval.ranking.fused_hits import Addition, Fused

if TYPE_CHECKING:
    import numpy as np

__all__ = ["most_diverse"]


def most_diverse(hits: Sequence[Fused], vectors: Mapping[str, np.ndarray], weight: float) -> list[Fused]:
    """Candidates in the order of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

    Each place goes to the candidate with the most of (1 - weight) × relevance - weight × likeness, where relevance is
    its
    score between the least (0) and the best (1), and likeness the greatest cosine to those above. The step added to a
    score is what makes it that value, in the units of the scores; since likeness only grows, the values fall with the
    rank.

    Args:
        hits: candidates, best first.
        vectors: (d,) unit vectors by id; what has none is like nothing.
        weight: 0: only relevance counts; 1: only difference.
    """
    import numpy as np

    if not hits or not weight:
        return list(hits)
    width = next((len(vector) for vector in vectors.values()), 1)
    matrix = np.stack([vectors.get(hit.chunk_id, np.zeros(width, np.float32)) for hit in hits])
    scores = np.array([hit.score for hit in hits])
    least, spread = scores.min(), float(np.ptp(scores)) or 1.0
    likeness, left, ordered = np.zeros(len(hits)), list(range(len(hits))), list[Fused]()
    while left:
        values = (1 - weight) * (scores[left] - least) - weight * spread * likeness[left]
        best = left.pop(int(np.argmax(values)))
        ordered.append(_lowered(hits[best], float(scores[best] - least), float(likeness[best]), weight, spread))
        likeness = np.maximum(likeness, matrix @ matrix[best])
    return ordered


def _lowered(hit: Fused, margin: float, likeness: float, weight: float, spread: float) -> Fused:
    def because(amount: float) -> str:
        sum_ = f"{likeness:.2f} × {spread:.2f} + {margin:.2f}"
        return (
            f"Like the results above by {likeness:.2f}, {margin:.2f} over the least: -{weight:.2f} × ({sum_}) = "
            f"{amount:+.2f}."
        )

    amount = -weight * (margin + spread * likeness)
    return hit.plus(Addition("diversity", amount, partial(because, amount)))
