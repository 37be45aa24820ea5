"""Outermost lines of pages, row by row from the top and the bottom, and those that share a place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine

__all__ = ["NUMBER", "SAME_PLACE", "EdgeLine", "EdgeRows", "grouped", "key_of"]

_EDGE = 0.16
"""Zone at the top and bottom that may hold furniture, in page heights."""
_OUTERMOST = 3
"""Rows examined on each side."""
_SPACE = 0.7
"""Minimum gap wider than line spacing, in line heights."""
_OTHER_SIZE = 0.05
SAME_PLACE = 0.012
"""Maximum vertical distance of lines in one place, in page heights."""
NUMBER = re.compile(r"\d+|(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)


class EdgeLine(NamedTuple):
    """A line near an edge of its page."""

    line: int
    """Line index."""
    page: int
    key: str
    """Its text, every number as `#`."""
    middle: float
    top: bool
    rank: int
    """0 for the outermost line of its edge."""


class EdgeRows:
    """The outermost lines of every page, row by row from the top and the bottom.

    Attributes:
        places: lines of the first rows.
    """

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        self._lines = lines
        self._rows: dict[tuple[int, bool], list[list[int]]] = {}
        by_page: dict[int, list[int]] = defaultdict(list)
        for index, line in enumerate(lines):
            if not line.left_out:
                by_page[line.page].append(index)
        for page, indices in by_page.items():
            self._rows[page, True] = self._stacked(sorted(indices, key=lambda index: lines[index].bbox[1]))
            self._rows[page, False] = self._stacked(sorted(indices, key=lambda index: -lines[index].bbox[3]))
        self.places = [
            EdgeLine(index, page, key_of(lines[index].text), self._middle(index), top, rank)
            for (page, top), rows in self._rows.items()
            for rank, row in enumerate(rows[:_OUTERMOST])
            for index in row
            if (self._middle(index) if top else 1 - self._middle(index)) <= _EDGE
        ]

    def apart(self, groups: Iterable[list[EdgeLine]], other_furniture: Collection[int] = ()) -> list[list[EdgeLine]]:
        """Groups set apart on most of their pages: only furniture outside, space or another font inside."""
        chosen = list(groups)
        while True:
            candidates = {*other_furniture, *(place.line for same in chosen for place in same)}
            remaining = [
                same for same in chosen if 2 * sum(self._is_apart(place, candidates) for place in same) > len(same)
            ]
            if len(remaining) == len(chosen):
                return remaining
            chosen = remaining

    def space_inside(self, place: EdgeLine) -> float:
        """Space between a line and the next row of its page, in line heights; infinite if none follows."""
        rows = self._rows[place.page, place.top]
        if place.rank + 1 >= len(rows):
            return float("inf")
        one, two = self._lines[place.line].bbox, self._lines[rows[place.rank + 1][0]].bbox
        return max(two[1] - one[3], one[1] - two[3]) / max(one[3] - one[1], 1e-6)

    def _is_apart(self, place: EdgeLine, candidates: Collection[int]) -> bool:
        rows = self._rows[place.page, place.top]
        if not all(any(index in candidates for index in row) for row in rows[: place.rank]):
            return False
        for row, inner in pairwise([*rows[place.rank :], []]):
            if not any(index in candidates for index in row):
                return False
            if not inner or self._differ(row, inner):
                return True
        return False

    def _differ(self, row: Sequence[int], inner: Sequence[int]) -> bool:
        """True if two rows are further apart than lines, or set differently."""
        one, two = self._lines[row[0]], self._lines[inner[0]]
        space = max(two.bbox[1] - one.bbox[3], one.bbox[1] - two.bbox[3])
        return (
            space > _SPACE * (one.bbox[3] - one.bbox[1])
            or one.font != two.font
            or abs(one.size - two.size) > _OTHER_SIZE * two.size
        )

    def _stacked(self, indices: Sequence[int]) -> list[list[int]]:
        rows: list[list[int]] = []
        for index in indices:
            if rows and abs(self._middle(index) - self._middle(rows[-1][0])) <= SAME_PLACE / 2:
                rows[-1].append(index)
            elif len(rows) > _OUTERMOST:
                break
            else:
                rows.append([index])
        return rows

    def _middle(self, index: int) -> float:
        box = self._lines[index].bbox
        return (box[1] + box[3]) / 2


def grouped(
    places: Iterable[EdgeLine], kind: Callable[[EdgeLine], Hashable], tolerance: float
) -> Iterator[list[EdgeLine]]:
    """Group places of one kind by height."""
    kinds: dict[Hashable, list[EdgeLine]] = defaultdict(list)
    for place in places:
        kinds[kind(place)].append(place)
    for alike in kinds.values():
        group: list[EdgeLine] = []
        for place in sorted(alike, key=lambda one: one.middle):
            if group and place.middle - group[-1].middle > tolerance:
                yield group
                group = []
            group.append(place)
        yield group


def key_of(text: str) -> str:
    """A text in one case, every number as `#`."""
    return NUMBER.sub("#", " ".join(text.casefold().split()))
