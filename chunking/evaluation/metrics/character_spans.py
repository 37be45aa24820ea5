"""Sets of characters as intervals: what of the answers is still missing, and what a result adds.

A result takes microseconds, whatever its length, where sets of characters would take as many steps as they have
characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["Missing", "length", "minus", "union"]

Interval = tuple[int, int]
"""Half-open: first character, one past the last."""


def union(spans: Iterable[Interval]) -> list[Interval]:
    """The characters of some spans as intervals that are apart, in order; empty spans hold none.

    >>> union([(5, 9), (0, 3), (2, 4), (9, 9)])
    [(0, 4), (5, 9)]
    """
    apart: list[Interval] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return apart


def minus(intervals: Iterable[Interval], start: int, end: int) -> list[Interval]:
    """What remains of some intervals without the characters from `start` to `end`.

    >>> minus([(0, 4), (5, 9)], 2, 6)
    [(0, 2), (6, 9)]
    """
    rest: list[Interval] = []
    for low, high in intervals:
        if start >= high or end <= low or start >= end:
            rest.append((low, high))
            continue
        if low < start:
            rest.append((low, start))
        if end < high:
            rest.append((end, high))
    return rest


def length(intervals: Iterable[Interval]) -> int:
    """Characters of intervals that are apart."""
    return sum(end - start for start, end in intervals)


class Missing:
    """The characters of the answers that nothing has shown yet; results take theirs out."""

    __slots__ = ("_by_document", "total")

    def __init__(self, spans: Iterable[tuple[str, int, int]]) -> None:
        """Of spans (document, start, end), which may overlap and stand in several documents."""
        lists: dict[str, list[Interval]] = {}
        for doc_id, start, end in spans:
            lists.setdefault(doc_id, []).append((start, end))
        self._by_document = {doc_id: union(intervals) for doc_id, intervals in lists.items()}
        self.total = sum(map(length, self._by_document.values()))
        """Characters at the beginning."""

    def by_document(self) -> list[int]:
        """Characters that are missing of each document."""
        return [length(intervals) for intervals in self._by_document.values()]

    def rest(self) -> Iterator[tuple[str, int, int]]:
        """What nothing has shown, as (document, start, end)."""
        for doc_id, intervals in self._by_document.items():
            yield from ((doc_id, start, end) for start, end in intervals)

    def take(self, doc_id: str, start: int, end: int) -> int:
        """How many of the missing characters stand there; they are missing no more."""
        before = self._by_document.get(doc_id)
        if not before or end <= before[0][0] or start >= before[-1][1]:
            return 0
        after = self._by_document[doc_id] = minus(before, start, end)
        return length(before) - length(after)
