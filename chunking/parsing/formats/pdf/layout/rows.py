"""Group the segments of a column into rows, and drop text printed twice."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from statistics import median

from chunking.parsing.formats.pdf.characters.segments import Segment

__all__ = ["drop_shadows", "rows_of"]

_SAME_ROW = 0.4
"""Minimum vertical overlap within a row, relative to the lower segment."""
_SHADOW = 0.25
"""Maximum offset of a shadow or fake bold, in heights."""
_CELL = 8.0
"""Lookup grid in points, coarser than any shadow's offset."""
_SMALL = 0.8
"""Smaller segments, relative to the usual height, are raised or lowered parts of a line they touch."""
_AT = 0.25
"""Minimum vertical overlap to touch a line."""
_OVERLAP = 0.6
"""Segments overlapping horizontally by more heights are on different lines."""


def drop_shadows(segments: Iterable[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Separate segments printed again in nearly the same place, as for shadows and fake bold."""
    first: list[Segment] = []
    twice: list[Segment] = []
    by_text: dict[str, Segment | dict[tuple[int, int], Segment]] = {}
    for segment in segments:
        there = by_text.setdefault(segment.text, segment)
        if there is segment:
            first.append(segment)
            continue
        if isinstance(there, Segment):
            there = by_text[segment.text] = {_cell(there): there}
        across, down = _cell(segment)
        neighbours = (there.get((across + x, down + y)) for x in (-1, 0, 1) for y in (-1, 0, 1))
        if any(
            one and max(abs(one.left - segment.left), abs(one.top - segment.top)) < _SHADOW * segment.height
            for one in neighbours
        ):
            twice.append(segment)
        else:
            there[across, down] = segment
            first.append(segment)
    return first, twice


def _cell(segment: Segment) -> tuple[int, int]:
    """Grid cell of a segment; a shadow is in the same or a neighbouring cell."""
    return round(segment.left / _CELL), round(segment.top / _CELL)


def rows_of(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Rows of one column from the top; raised and lowered segments join their line."""
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
        touching = [row for row in rows[first:after] if _touches(one, row)]
        if touching:
            max(touching, key=lambda row: _shared(one, row[0]) - _distance(one, row)).append(one)
        else:
            alone.append(one)
    return sorted([*rows, *_stacked(alone)], key=lambda row: row[0].middle)


def _stacked(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Rows of segments of similar size, each led by its highest."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda one: (one.middle, one.left)):
        for row in rows[-1:-4:-1]:
            if (
                segment.top <= row[0].bottom
                and _on_one_line(segment, row[0])
                and not any(_overlaps(segment, one) for one in row)
            ):
                row.insert(0 if segment.height > row[0].height else len(row), segment)
                break
        else:
            rows.append([segment])
    return sorted(rows, key=lambda row: row[0].middle)


def _touches(one: Segment, row: Sequence[Segment]) -> bool:
    """True if a small segment is in a row or slightly raised or lowered next to it."""
    return (
        _shared(one, row[0]) >= _AT * one.height
        and _distance(one, row) < row[0].height
        and not any(_overlaps(one, other) for other in row)
    )


def _shared(one: Segment, other: Segment) -> float:
    return min(one.bottom, other.bottom) - max(one.top, other.top)


def _distance(one: Segment, row: Sequence[Segment]) -> float:
    return max(min(max(other.left - one.right, one.left - other.right) for other in row), 0.0)


def _on_one_line(one: Segment, other: Segment) -> bool:
    shared = _shared(one, other)
    return shared >= 0 and shared >= _SAME_ROW * min(one.height, other.height)


def _overlaps(one: Segment, other: Segment) -> bool:
    shared = min(one.right, other.right) - max(one.left, other.left)
    return shared > _OVERLAP * max(one.height, other.height)
