"""Compare the boundaries of two ways of splitting one document.

A boundary is where a chunk ends and new text begins. Overlap moves none, as repeated text is not new, and white space
does not count: two splitters agree where they part the text before the same visible character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoundaryComparison", "ChunkSpans", "compare_boundaries", "new_text"]

Ints = NDArray[np.int32]


class ChunkSpans(Protocol):
    """Starts and ends of chunks, such as `Boundaries`; both ascend strictly (law 3)."""

    @property
    def starts(self) -> Ints: ...
    @property
    def ends(self) -> Ints: ...


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryComparison:
    """The boundaries of A and B: ascending offsets in characters."""

    shared: Ints
    only_a: Ints
    only_b: Ints


def new_text(text: str, spans: ChunkSpans) -> Ints:
    """Where the text begins that each chunk does not share with the one before.

    Args:
        text: of the document.
        spans: n chunks, each with some visible text of its own.
    Returns:
        (n,) strictly ascending; all but the first are boundaries.

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
    """Part the boundaries of two splits into those they share and those only one of them has.

    Args:
        a, b: `new_text` of each, for one document.

    >>> compared = compare_boundaries(np.int32([0, 10, 20]), np.int32([0, 20, 30]))
    >>> compared.shared.tolist(), compared.only_a.tolist(), compared.only_b.tolist()
    ([20], [10], [30])
    """
    a, b = a[1:], b[1:]
    in_b, in_a = np.isin(a, b, assume_unique=True), np.isin(b, a, assume_unique=True)
    return BoundaryComparison(a[in_b], a[~in_b], b[~in_a])
