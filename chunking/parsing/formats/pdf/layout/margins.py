"""Find side heads, notes and headings in margins, and place each before its paragraph.

Read row by row, like lists with labels, their second lines would end up inside sentences; read as a column, all of them
would come before (or after) the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from chunking.parsing.formats.pdf.characters.segments import Segment
from chunking.parsing.headings.numbering import is_number

__all__ = ["split_margin_headings", "split_side_heads"]

_FEW = 3
"""Minimum segments that share a left edge for it to be the edge of the text."""
_SAME_EDGE = 2.0
"""Tolerance of a shared edge in points."""
_NARROWEST, _WIDEST = 3.0, 0.45
"""Width of a margin: minimum in font sizes, maximum as a share of the text's width."""
_GAP = 0.4
"""Minimum gap between margin and text, in font sizes."""
_NEXT_LINE = 1.7
"""Maximum distance of a side head's lines, middle to middle, in heights."""
_NEW = 1.35
"""Minimum distance before a paragraph, in usual line distances."""
_BESIDE = 0.6
"""Maximum share of text lines next to margin text; beyond it, the margin is a table column."""
_SAME_ROW = 0.6
"""Maximum distance of middles within a row, in font sizes."""

_AT_EDGE = 1.0
"""Maximum difference of left edges within the margin, in heights."""
_MARGIN_GAP = 0.5
"""Minimum gap between the margin and the column, in heights."""
_CLOSE = 0.9
"""Maximum gap between the lines of one heading, in heights."""
_MOST_LINES = 8
_BOLD = 0.9
_DATE = re.compile(r"\([\d./-]{6,10}\)")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,6}\Z")


class _Row(NamedTuple):
    """A line of the text or of a margin."""

    middle: float
    segments: list[Segment]


def split_side_heads(
    segments: Sequence[Segment], size: float, is_text: Callable[[list[Segment], float], bool]
) -> list[list[Segment]] | None:
    """Split a page's body in reading order, each side head a part of its own; None without any.

    Args:
        segments: body of a page.
        size: their usual height.
        is_text: true for lines of running text.
    """
    for edge in _edges(segments, size):
        margin = [one for one in segments if one.right <= edge - _GAP * size]
        if not margin:
            continue
        top, bottom = min(one.top for one in margin), max(one.bottom for one in margin)
        text = [one for one in segments if one.right > edge - _GAP * size]
        if any(one.left < edge - _GAP * size and top < one.middle < bottom for one in text):
            continue
        if _is_margin(margin, text, size) and is_text(text, size):
            stacks = list(_stacks(_rows(margin, size)))
            rows = _rows(text, size)
            if _parts_sentences(stacks, rows, size):
                return list(_in_order(stacks, rows, size))
    return None


def _edges(segments: Sequence[Segment], size: float) -> Iterator[float]:
    """Yield left edges shared by several segments, other than the leftmost, from the left."""
    lefts = sorted(one.left for one in segments)
    first = 0
    for n in range(1, len(lefts) + 1):
        if n == len(lefts) or lefts[n] - lefts[n - 1] > _SAME_EDGE:
            if n - first >= _FEW and lefts[first] > lefts[0] + _NARROWEST * size:
                yield lefts[first]
            first = n


def _is_margin(margin: Sequence[Segment], text: Sequence[Segment], size: float) -> bool:
    width = max(one.right for one in margin) - min(one.left for one in margin)
    text_width = max(one.right for one in text) - min(one.left for one in text) if text else 0.0
    return _NARROWEST * size <= width <= _WIDEST * text_width and 2 * sum(one.visible for one in margin) < sum(
        one.visible for one in text
    )


def _rows(segments: Sequence[Segment], size: float) -> list[_Row]:
    rows: list[_Row] = []
    for one in sorted(segments, key=lambda one: one.middle):
        if rows and one.middle - rows[-1].middle < _SAME_ROW * size:
            rows[-1].segments.append(one)
        else:
            rows.append(_Row(one.middle, [one]))
    return rows


def _stacks(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield groups of closely spaced margin lines."""
    stack: list[_Row] = []
    for row in rows:
        if stack and row.middle - stack[-1].middle > _NEXT_LINE * max(one.height for one in row.segments):
            yield stack
            stack = []
        stack.append(row)
    if stack:
        yield stack


def _parts_sentences(stacks: Sequence[list[_Row]], rows: Sequence[_Row], size: float) -> bool:
    """True if side heads continue next to the middle of paragraphs, and most text lines have none."""
    middles = [row.middle for stack in stacks for row in stack]
    accompanied = sum(any(abs(row.middle - middle) < _SAME_ROW * size for middle in middles) for row in rows)
    later = [row.middle for stack in stacks for row in stack[1:]]
    usual = _pitch(rows)
    going_on = [two.middle for one, two in pairwise(rows) if two.middle - one.middle <= _NEW * usual]
    return accompanied <= _BESIDE * len(rows) and any(
        abs(one - two) < _SAME_ROW * size for one in later for two in going_on
    )


def _pitch(rows: Sequence[_Row]) -> float:
    steps = sorted(two.middle - one.middle for one, two in pairwise(rows))
    return steps[len(steps) // 4] if steps else 0.0


def _in_order(stacks: Sequence[list[_Row]], rows: Sequence[_Row], size: float) -> Iterator[list[Segment]]:
    """Yield the text in parts, each side head before the paragraph next to its start, or the next one."""
    usual = _pitch(rows)
    starts = [0, *(n for n, (one, two) in enumerate(pairwise(rows), 1) if two.middle - one.middle > _NEW * usual)]
    done = 0
    for stack in stacks:
        first = next((n for n in starts if rows[n].middle >= stack[0].middle - _SAME_ROW * size), len(rows))
        if first > done:
            yield [one for row in rows[done:first] for one in row.segments]
            done = first
        yield [one for row in stack for one in row.segments]
    if done < len(rows):
        yield [one for row in rows[done:] for one in row.segments]


def split_margin_headings(region: list[Segment]) -> list[list[Segment]]:
    """Split a region so that each numbered heading in its margin precedes the text next to it.

    Such a heading is a multi-part number (`2.1`) above a bold title; without one, the region is returned whole. A date
    under the number (`(12-12-2022)`) is not part of the heading and follows it, also in a margin already separated by
    `split_side_heads`.
    """
    numbers = [one for one in region if one.text[:1].isdigit() and _NUMBER.match(one.text)]
    if not numbers:
        return [region]
    left = min(one.left for one in region)
    numbers = [one for one in numbers if one.left - left < _AT_EDGE * one.height and is_number(one.text)]
    column = min((one.left for number in numbers for one in region if _is_beside(one, number)), default=math.inf)
    margin = sorted((one for one in region if one.left - left < _AT_EDGE * one.height and one.right < column), key=_top)
    heads = [head for number in numbers if (head := _head(number, margin, column))]
    return _parted(region, sorted(heads, key=lambda head: head[0].top)) if heads else [region]


def _top(one: Segment) -> float:
    return one.top


def _is_beside(one: Segment, number: Segment) -> bool:
    """True if a segment is on the line of a number, to the right, after a gap."""
    return one.left > number.right + number.height and abs(one.middle - number.middle) < number.height / 2


def _head(number: Segment, margin: Sequence[Segment], column: float) -> list[Segment]:
    """Number and bold title below it in the margin; empty if there is no title."""
    head = [number]
    for one in margin:
        if one.top <= number.top or len(head) == _MOST_LINES:
            continue
        own = one.bold >= _BOLD * one.visible or _DATE.fullmatch(one.text)
        if not own or one.right > column - _MARGIN_GAP * one.height or one.top - head[-1].bottom > _CLOSE * one.height:
            break
        head.append(one)
    return head if any(one.bold >= _BOLD * one.visible for one in head[1:]) else []


def _parted(region: Sequence[Segment], heads: Sequence[list[Segment]]) -> list[list[Segment]]:
    """Split a region: the text above the first head; then each head, its date, and the text next to it."""
    used = {id(one) for head in heads for one in head}
    rest = sorted((one for one in region if id(one) not in used), key=lambda one: one.middle)
    parts: list[list[Segment]] = [[]]
    at = 0
    for one in rest:
        while at < len(heads) and one.middle >= heads[at][0].top:
            parts += _of_head(heads[at])
            at += 1
        parts[-1].append(one)
    for head in heads[at:]:
        parts += _of_head(head)
    return [part for part in parts if part]


def _of_head(head: Sequence[Segment]) -> list[list[Segment]]:
    dates = [one for one in head if _DATE.fullmatch(one.text)]
    return [[one for one in head if one not in dates], dates, []]
