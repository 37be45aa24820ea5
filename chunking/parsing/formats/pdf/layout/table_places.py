"""Tables in the reading order of a page: each row takes part as a strip of its width, so that its table stands in the
column it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from chunking.model import Box
from chunking.parsing.formats.pdf.characters.segments import Segment

__all__ = ["place_among", "strips_of", "table_of"]

_VISIBLE = 10
"""Characters that a strip counts for."""
_TIGHT = 0.6
"""In heights of a line: lines nearer than this are of one paragraph."""


def strips_of(
    tables: Sequence[Sequence[Box]], segments: Sequence[Segment], width: float, height: float
) -> list[Segment]:
    """A strip for each row of each table, as high as a line of the page's text.

    Args:
        tables: the boxes of the rows of each, as shares of the page.
        segments: of the page's text, in points.
        width, height: of the page.
    """
    size = median([one.height for one in segments]) if segments else 0.0
    return [
        _strip(number, (left * width, top * height, right * width, bottom * height), size)
        for number, rows in enumerate(tables)
        for left, top, right, bottom in rows
    ]


def table_of(segment: Segment) -> int | None:
    """The number of the table that a strip belongs to; None for text."""
    return -1 - segment.style if segment.style < 0 else None


def place_among(rows: Sequence[Sequence[Segment]], top: float, bottom: float) -> int:
    """Before which row of its column a table stands: below what is above it; a paragraph that goes on beside it is not
    parted.
    """
    place = next((n for n, row in enumerate(rows) if row[0].middle > top), len(rows))
    if place == len(rows) or not place or rows[place][0].top >= bottom:
        return place
    for after, before in pairwise(reversed(rows[: place + 1])):
        if after[0].top - before[0].bottom > _TIGHT * after[0].height or after[0].style != before[0].style:
            break
        place -= 1
    return place


def _strip(number: int, box: Box, size: float) -> Segment:
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    height = min(size, bottom - top) or bottom - top
    top, bottom = middle - height / 2, middle + height / 2
    return Segment("", left, top, right, bottom, -1 - number, 0, 0, 0, _VISIBLE, False, height, middle)
