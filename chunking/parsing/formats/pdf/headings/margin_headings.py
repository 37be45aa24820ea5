"""Headings in the margin next to their text: a number and a bold title below it, left of their column.

Read line by line, each of their lines would end up inside a line of the text, so they are read first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from chunking.parsing.formats.pdf.characters.segments import Segment
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["split_margin_headings"]

_AT_EDGE = 1.0
"""Maximum difference of left edges within the margin, in heights."""
_GAP = 0.5
"""Minimum gap between the margin and the column, in heights."""
_CLOSE = 0.9
"""Maximum gap between the lines of one heading, in heights."""
_MOST_LINES = 8
_BOLD = 0.9
_DATE = re.compile(r"\([\d./-]{6,10}\)")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,6}\Z")


def split_margin_headings(region: list[Segment]) -> list[list[Segment]]:
    """Split a region so that each margin heading precedes the text next to it.

    A date under the number (`(12-12-2022)`) is not part of the heading and follows it, also in a margin already
    separated by `layout.side_heads`.
    """
    numbers = [one for one in region if one.text[:1].isdigit() and _NUMBER.match(one.text)]
    if not numbers:
        return [region]
    left = min(one.left for one in region)
    numbers = [one for one in numbers if one.left - left < _AT_EDGE * one.height and _is_number(one.text)]
    column = min((one.left for number in numbers for one in region if _is_beside(one, number)), default=math.inf)
    margin = sorted((one for one in region if one.left - left < _AT_EDGE * one.height and one.right < column), key=_top)
    heads = [head for number in numbers if (head := _head(number, margin, column))]
    return _parted(region, sorted(heads, key=lambda head: head[0].top)) if heads else [region]


def _top(one: Segment) -> float:
    return one.top


def _is_number(text: str) -> bool:
    number = numbering_of(text)
    return number is not None and number.text == text


def _is_beside(one: Segment, number: Segment) -> bool:
    """True if a segment is on the line of a number, to its right, after a gap."""
    return one.left > number.right + number.height and abs(one.middle - number.middle) < number.height / 2


def _head(number: Segment, margin: Sequence[Segment], column: float) -> list[Segment]:
    """A number and the bold title below it in the margin; empty if there is no title."""
    head = [number]
    for one in margin:
        if one.top <= number.top or len(head) == _MOST_LINES:
            continue
        own = one.bold >= _BOLD * one.visible or _DATE.fullmatch(one.text)
        if not own or one.right > column - _GAP * one.height or one.top - head[-1].bottom > _CLOSE * one.height:
            break
        head.append(one)
    return head if any(one.bold >= _BOLD * one.visible for one in head[1:]) else []


def _parted(region: Sequence[Segment], heads: Sequence[list[Segment]]) -> list[list[Segment]]:
    """Text above the first head; then each head, its date, and the text next to and below it."""
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
