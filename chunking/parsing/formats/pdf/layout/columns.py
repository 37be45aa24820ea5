"""Find the reading order: split a page into columns and bands by the gaps between its segments.

A gutter is a vertical strip that few segments cross. Those that do (titles over all columns, captions of wide figures)
divide the page into bands; in a band where both sides look like running text, the left side is read first. Sides are
split recursively, so three columns are two gutters. A page without columns (tables without rules, lists with labels) is
read line by line. Ruled tables take part as strips without text (see `pdf_lines`); gutters are found in text alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from chunking.parsing.formats.pdf.characters.segments import Segment
from chunking.parsing.formats.pdf.layout.margins import split_side_heads

__all__ = ["drop_shadows", "regions_of", "rows_of"]

_MAX_DEPTH = 8
_MAX_GUTTERS = 6
"""Most gutters tried, the widest of the emptiest first."""
_MOST_BINS = 10_000
"""Most bins of the gutter histogram across the page, each at least one point wide."""
_MIN_ROWS = 3
"""Minimum lines of a column."""
_MIN_WIDTH = 6.0
"""Minimum width of a column in font sizes; narrower are labels, bullets or numbers."""
_MIN_GUTTER = 0.7
"""Minimum width of a gutter in font sizes."""
_ACROSS = 1.5
"""Font sizes by which a segment that crosses a gutter reaches into both sides, or into neither."""
_FULL = 0.55
"""Minimum median share of a column's width that its lines fill."""
_WHOLE, _SOME = 0.8, 0.3
"""Or this share of the width, filled by this share of the lines (next to tables, formulas, lists)."""
_EDGE = 0.08
"""Zone of page header and footer, in page heights."""
_FAR = 1.2
"""Minimum gap between header or footer and the body, in line heights."""
_NOTE = 0.45
"""Maximum width of a side of notes, relative to the other side, which is read first."""

_SAME_ROW = 0.4
"""Minimum vertical overlap within a row, relative to the lower segment."""
_SHADOW = 0.25
"""Maximum offset of a shadow or fake bold, in heights."""
_CELL = 8.0
"""Lookup grid in points, coarser than any shadow's offset."""
_SMALL = 0.8
"""Maximum height of raised or lowered parts of a line they touch, relative to the usual height."""
_AT = 0.25
"""Minimum vertical overlap to touch a line."""
_OVERLAP = 0.6
"""Horizontal overlap, in heights, from which two segments are on different lines."""


class _Gutter(NamedTuple):
    """Vertical strip between two columns."""

    left: float
    right: float


class _Part(NamedTuple):
    """Segments on both sides of a gutter, between two segments that cross it."""

    left: list[Segment]
    right: list[Segment]


def regions_of(segments: Sequence[Segment], top: float, bottom: float) -> list[list[Segment]]:
    """Split segments into regions in reading order; within a region, lines run from top to bottom.

    Header and footer are regions of their own if a gap sets them apart; the body is split at side heads, then at
    gutters into columns.

    Args:
        top, bottom: of the page, in the segments' coordinates.
    """
    order = sorted(segments, key=lambda one: one.middle)
    edge = _EDGE * (bottom - top)
    head = _cut_off(order, lambda one: one.middle < top + edge)
    rest = order[head:]
    foot = _cut_off(rest[::-1], lambda one: one.middle > bottom - edge)
    body, last = rest[: len(rest) - foot], rest[len(rest) - foot :]
    parts = _with_side_heads(body) or [body]
    return [
        region for region in (order[:head], *(region for part in parts for region in _regions(part, 0)), last) if region
    ]


def _with_side_heads(body: list[Segment]) -> list[list[Segment]] | None:
    if len(body) < 2 * _MIN_ROWS:
        return None
    return split_side_heads(body, median([one.height for one in body]), _is_text)


def _cut_off(order: Sequence[Segment], is_near: Callable[[Segment], bool]) -> int:
    """Number of leading segments that form a header (or footer), set apart by a wide gap."""
    for n, (one, other) in enumerate(pairwise(order), 1):
        if not is_near(one):
            return 0
        if max(other.top - one.bottom, one.top - other.bottom) > _FAR * one.height:
            return n
    return 0


def _regions(segments: list[Segment], depth: int) -> Iterator[list[Segment]]:
    if not segments:
        return
    bands = _best(segments) if depth < _MAX_DEPTH and len(segments) >= 2 * _MIN_ROWS else None
    if bands is None:
        yield segments
        return
    for band in bands:
        if isinstance(band, _Part):
            for side in _in_order(band):
                yield from _regions(side, depth + 1)
        else:
            yield from _regions(band, depth + 1)


def _in_order(part: _Part) -> tuple[list[Segment], list[Segment]]:
    """Left and right side, swapped if the left one only holds notes on the right one."""
    left, right = _width(part.left), _width(part.right)
    notes = left < _NOTE * right and _inked(part.left) < _inked(part.right) / 2
    return (part.right, part.left) if notes else (part.left, part.right)


def _best(segments: list[Segment]) -> list[list[Segment] | _Part] | None:
    """Bands of the gutter that puts most lines into columns; None if no gutter does."""
    size = median([one.height for one in segments])
    best: list[list[Segment] | _Part] | None = None
    most = 0
    text = [one for one in segments if one.style >= 0]
    gutters = _gutters(text, size) if text else []
    for gutter in gutters:
        bands = _bands(segments, gutter, _neighbours(gutter, gutters), size)
        lines = sum(len(band.left) + len(band.right) for band in bands if isinstance(band, _Part))
        if lines > most:
            best, most = bands, lines
    return best


def _gutters(segments: Sequence[Segment], size: float) -> list[_Gutter]:
    """Vertical strips that less text crosses than there is on either side."""
    left = np.array([one.left for one in segments])
    right = np.array([one.right for one in segments])
    height = np.array([one.height for one in segments])
    start = float(left.min())
    unit = max(1.0, (float(right.max()) - start) / _MOST_BINS)
    bins = int((right.max() - start) / unit) + 2
    steps = np.zeros(bins + 1)
    np.add.at(steps, np.clip(np.ceil((left - start) / unit), 0, bins).astype(int), height)
    np.add.at(steps, np.clip(np.floor((right - start) / unit), 0, bins).astype(int), -height)
    covered = np.cumsum(steps)[:bins]
    before, after = np.maximum.accumulate(covered), np.maximum.accumulate(covered[::-1])[::-1]
    low = covered <= 0.5 * np.minimum(before, after)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], low, [False]]).astype(int)))
    candidates = []
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        floor = covered[first:last].min()
        emptiest = np.flatnonzero(covered[first:last] <= floor + size)
        one, other = first + int(emptiest[0]), first + int(emptiest[-1]) + 1
        if (other - one) * unit >= _MIN_GUTTER * size:
            candidates.append((floor, one - other, _Gutter(start + one * unit, start + other * unit)))
    return [gutter for _, _, gutter in sorted(candidates)[:_MAX_GUTTERS]]


def _neighbours(gutter: _Gutter, gutters: Sequence[_Gutter]) -> _Gutter:
    """The span from the next gutter on the left to the next on the right."""
    left = max((one.right for one in gutters if one.right <= gutter.left), default=-np.inf)
    return _Gutter(left, min((one.left for one in gutters if one.left >= gutter.right), default=np.inf))


def _bands(segments: list[Segment], gutter: _Gutter, next_ones: _Gutter, size: float) -> list[list[Segment] | _Part]:
    """Bands from top to bottom, as columns where possible; empty if neither side could be one."""
    middle, reach = (gutter.left + gutter.right) / 2, _ACROSS * size
    across: list[Segment] = []
    left: list[Segment] = []
    right: list[Segment] = []
    for one in segments:
        into_left, into_right = middle - one.left, one.right - middle
        if (
            into_left > 0
            and into_right > 0
            and (min(into_left, into_right) > reach or max(into_left, into_right) < 2 * reach)
        ):
            across.append(one)
        else:
            (left if into_left > into_right else right).append(one)
    if min(len(left), len(right)) < _MIN_ROWS:
        return []
    across.sort(key=lambda one: one.middle)
    return _joined(across, _between(left, across), _between(right, across), next_ones, size)


def _between(side: list[Segment], across: list[Segment]) -> list[list[Segment]]:
    """Group the segments of a side by the number of crossing segments above them."""
    parts: list[list[Segment]] = [[] for _ in range(len(across) + 1)]
    middles = [one.middle for one in across]
    for one in side:
        parts[bisect_left(middles, one.middle)].append(one)
    return parts


def _joined(
    across: list[Segment], lefts: list[list[Segment]], rights: list[list[Segment]], next_ones: _Gutter, size: float
) -> list[list[Segment] | _Part]:
    bands: list[list[Segment] | _Part] = []
    plain: list[Segment] = []
    for place, (left, right) in enumerate(zip(lefts, rights, strict=True)):
        enough = len(left) >= _MIN_ROWS and len(right) >= _MIN_ROWS
        if (
            enough
            and _share_height(left, right)
            and _is_column(left, next_ones, size)
            and _is_column(right, next_ones, size)
        ):
            if plain:
                bands.append(plain)
                plain = []
            bands.append(_Part(left, right))
        else:
            plain = [*plain, *left, *right]
        if place < len(across):
            plain.append(across[place])
    return [*bands, plain] if plain else bands


def _is_column(side: list[Segment], next_ones: _Gutter, size: float) -> bool:
    """True if a side is running text, or its part up to the next gutter is."""
    if _is_text(side, size):
        return True
    nearest = [one for one in side if next_ones.left <= (one.left + one.right) / 2 <= next_ones.right]
    return len(nearest) < len(side) and _is_text(nearest, size)


def _is_text(side: list[Segment], size: float) -> bool:
    """True for lines of running text: several, wide enough, and most (or many) of them full."""
    if len(side) < _MIN_ROWS:
        return False
    width = _width(side)
    if width < _MIN_WIDTH * size:
        return False
    rows = _filled(side)
    full = sum(row >= _WHOLE * width for row in rows)
    return len(rows) >= _MIN_ROWS and (median(rows) >= _FULL * width or full >= max(_MIN_ROWS, _SOME * len(rows)))


def _filled(side: list[Segment]) -> list[float]:
    """Inked width of each line."""
    rows: list[tuple[float, float]] = []
    for one in sorted(side, key=lambda one: one.middle):
        if rows and one.middle - rows[-1][0] < one.height / 2:
            rows[-1] = (rows[-1][0], rows[-1][1] + one.right - one.left)
        else:
            rows.append((one.middle, one.right - one.left))
    return [width for _, width in rows]


def _share_height(left: list[Segment], right: list[Segment]) -> bool:
    """True if the sides overlap vertically, as columns do."""
    shared = min(max(one.bottom for one in left), max(one.bottom for one in right)) - max(
        min(one.top for one in left), min(one.top for one in right)
    )
    return shared > 0


def _width(side: Sequence[Segment]) -> float:
    return max(one.right for one in side) - min(one.left for one in side)


def _inked(side: Sequence[Segment]) -> int:
    return sum(one.visible for one in side)


# -- rows of a column, without text printed twice


def drop_shadows(segments: Iterable[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Return the segments without repeats of a text in nearly one place, and those repeats."""
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
    """Group segments of one column into rows from the top; raised and lowered ones join their line.

    The first segment of a row is its tallest (of usual size); the others are in no fixed order.

    Args:
        segments: at least one.
    """
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
