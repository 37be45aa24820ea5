"""Divide the files or documents of a run into parts: enough for all workers, and none too large."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["part_spans"]

_PARTS_PER_WORKER = 4
"""Minimum parts for each worker, so that all end at about the same time."""
_MOST_MEMBERS, _MOST_BYTES = 512, 32 * 2**20
"""Maximum members and bytes of a part, if it has more than one member."""


def part_spans(sizes: Sequence[int], workers: int) -> list[tuple[int, int]]:
    """Return the first member and the end of each part, in order.

    Args:
        sizes: of the members, in bytes or characters.

    >>> part_spans([10, 10, 50_000_000, 10], workers=1)
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    """
    most = max(1, min(_MOST_MEMBERS, -(-len(sizes) // (_PARTS_PER_WORKER * workers))))
    spans: list[tuple[int, int]] = []
    first = total = 0
    for place, size in enumerate(sizes):
        if place > first and (place - first >= most or total + size > _MOST_BYTES):
            spans.append((first, place))
            first, total = place, 0
        total += size
    return [*spans, (first, len(sizes))] if sizes else []
