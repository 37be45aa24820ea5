"""Two ways of splitting one document, boundary against boundary.

A boundary is where a chunk ends and new text begins. An overlap moves none: what a chunk repeats is not new. White
space
does not count either, so two splitters agree where they part the text before the same visible character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoundaryComparison", "ChunkSpans", "compare_boundaries", "new_text"]

Ints = NDArray[np.int32]


class ChunkSpans(Protocol):
    """Where chunks begin and end, such as `Boundaries`: both ascend strictly (law 3)."""

    @property
    def starts(self) -> Ints: ...
    @property
    def ends(self) -> Ints: ...


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryComparison:
    """The boundaries of A and B, as ascending offsets in characters."""

    shared: Ints
    only_a: Ints
    only_b: Ints


def new_text(text: str, spans: ChunkSpans) -> Ints:
    """Where the text of each chunk begins that no chunk before it holds.

    Args:
        text: of the document.
        spans: n chunks of it, each with some visible text that the one before does not hold.
    Returns:
        (n,) strictly ascending. All but the first are boundaries.

    >>> from types import SimpleNamespace
    >>> new_text("One two. Three.", SimpleNamespace(starts=np.int32([0, 4]), ends=np.int32([8, 15]))).tolist()
    [0, 9]
    """
    starts, ends = np.asarray(spans.starts, np.int32), np.asarray(spans.ends, np.int32)
    if not len(starts):
        return starts
    begins = np.maximum(starts, np.concatenate([[0], ends[:-1]])).tolist()
    for number, at in enumerate(begins):
        while at < len(text) and text[at].isspace():
            at += 1
        begins[number] = at
    return np.array(begins, np.int32)


def compare_boundaries(a: Ints, b: Ints) -> BoundaryComparison:
    """Which boundaries two ways of splitting share, and which only one of them has.

    Args:
        a, b: what `new_text` gives for each, of one document.

    >>> found = compare_boundaries(np.int32([0, 10, 20]), np.int32([0, 20, 30]))
    >>> found.shared.tolist(), found.only_a.tolist(), found.only_b.tolist()
    ([20], [10], [30])
    """
    a, b = a[1:], b[1:]
    in_b, in_a = np.isin(a, b, assume_unique=True), np.isin(b, a, assume_unique=True)
    return BoundaryComparison(a[in_b], a[~in_b], b[~in_a])
