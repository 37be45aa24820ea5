"""Segments of a column to rows: what stands in one line, and what is printed twice."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from statistics import median

from chunking.parsing.formats.pdf.characters.segments import Segment

__all__ = ["once", "rows_of"]

_SAME_ROW = 0.4
"""Two segments share a line when this part of the lower one stands beside the other."""
_SHADOW = 0.25
"""In heights: text that is printed again no further away than this is a shadow or made bold by it."""
_CELL = 8.0
"""Points of a grid in which it is looked for: further than any shadow is away."""
_SMALL = 0.8
"""Times the usual height: lower segments are raised or lowered parts of a line, if they touch one."""
_AT = 0.25
"""They touch it when this part of them stands beside it."""
_OVERLAP = 0.6
"""In heights: segments that lie over each other further than this are not of one line."""


def once(segments: Iterable[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Segments without those printed a second time in (nearly) the same place, as shadows and some bold text are; and
    these.
    """
    first: list[Segment] = []
    twice: list[Segment] = []
    seen: dict[str, Segment | dict[tuple[int, int], Segment]] = {}
    for segment in segments:
        there = seen.setdefault(segment.text, segment)
        if there is segment:
            first.append(segment)
            continue
        if isinstance(there, Segment):
            there = seen[segment.text] = {_cell(there): there}
        across, down = _cell(segment)
        near = (there.get((across + x, down + y)) for x in (-1, 0, 1) for y in (-1, 0, 1))
        if any(
            one and max(abs(one.left - segment.left), abs(one.top - segment.top)) < _SHADOW * segment.height
            for one in near
        ):
            twice.append(segment)
        else:
            there[across, down] = segment
            first.append(segment)
    return first, twice


def _cell(segment: Segment) -> tuple[int, int]:
    """Where it stands, so coarsely that what may lie over it is in a neighbouring cell at most."""
    return round(segment.left / _CELL), round(segment.top / _CELL)


def rows_of(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Segments of one column as its lines, from the top: raised and lowered ones stand in the line they belong to."""
    if len(segments) == 1:
        return [list(segments)]
    usual = median(one.height for one in segments)
    small = [one for one in segments if one.height < _SMALL * usual]
    large = [one for one in segments if one.height >= _SMALL * usual]
    rows = _stacked(large)
    if not small:
        return rows
    alone = []
    middles = [row[0].middle for row in rows]
    reach = max((one.height for one in large), default=0.0)
    for one in small:
        first, after = bisect_left(middles, one.middle - reach), bisect_right(middles, one.middle + reach)
        near = [row for row in rows[first:after] if _touches(one, row)]
        if near:
            max(near, key=lambda row: _shared(one, row[0]) - _distance(one, row)).append(one)
        else:
            alone.append(one)
    return sorted([*rows, *_stacked(alone)], key=lambda row: row[0].middle)


def _stacked(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Rows of segments of about one size, each with its highest first."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda one: (one.middle, one.left)):
        for row in rows[-1:-4:-1]:
            if (
                segment.top <= row[0].bottom
                and _beside(segment, row[0])
                and not any(_over(segment, one) for one in row)
            ):
                row.insert(0 if segment.height > row[0].height else len(row), segment)
                break
        else:
            rows.append([segment])
    return sorted(rows, key=lambda row: row[0].middle)


def _touches(one: Segment, row: Sequence[Segment]) -> bool:
    """Whether a small segment stands in or at a row: beside it or a little raised or lowered."""
    return (
        _shared(one, row[0]) >= _AT * one.height
        and _distance(one, row) < row[0].height
        and not any(_over(one, other) for other in row)
    )


def _shared(one: Segment, other: Segment) -> float:
    return min(one.bottom, other.bottom) - max(one.top, other.top)


def _distance(one: Segment, row: Sequence[Segment]) -> float:
    return max(min(max(other.left - one.right, one.left - other.right) for other in row), 0.0)


def _beside(one: Segment, other: Segment) -> bool:
    shared = _shared(one, other)
    return shared >= 0 and shared >= _SAME_ROW * min(one.height, other.height)


def _over(one: Segment, other: Segment) -> bool:
    shared = min(one.right, other.right) - max(one.left, other.left)
    return shared > _OVERLAP * max(one.height, other.height)
