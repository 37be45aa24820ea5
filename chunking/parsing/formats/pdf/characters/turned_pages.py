"""Turn rotated text upright before reading it: on whole pages, and in narrow column heads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from chunking.model import Box
from chunking.parsing.formats.pdf.characters.page_characters import PageCharacters
from chunking.parsing.formats.pdf.characters.ruling_lines import Rule
from chunking.parsing.formats.pdf.characters.segments import (
    SKEWED,
    Segment,
    from_upright_frame,
    quarter_of,
    quarters_of,
    segments_of,
    to_upright_frame,
)

__all__ = ["main_quarter", "shown_box", "upright_box", "upright_characters", "upright_rule", "upright_segments"]

_MOST = 0.75
"""Minimum share of characters with one rotation for the page to be turned."""


def main_quarter(characters: PageCharacters) -> int:
    """Return the quarter turns (counter-clockwise) of 75 % or more of the characters; else 0."""
    if all(quarter_of(style.angle) == 0 for style in characters.table):
        return 0
    set_in = characters.styles[characters.styles >= 0]
    counts = np.bincount(set_in, minlength=len(characters.table))
    by_quarter = dict.fromkeys(range(SKEWED, 4), 0)
    for style, count in zip(characters.table, counts.tolist(), strict=True):
        by_quarter[quarter_of(style.angle)] += count
    most = max(by_quarter, key=lambda quarter: by_quarter[quarter])
    return most if most > 0 and by_quarter[most] >= _MOST * len(set_in) else 0


def upright_characters(characters: PageCharacters, quarter: int) -> PageCharacters:
    """Return a page rotated so that its text at `quarter` (1 to 3) is upright.

    Width and height swap for odd quarters; the text keeps its order.
    """
    boxes = to_upright_frame(characters.boxes, quarter)
    width, height = characters.width, characters.height
    right, down = {1: (height, 0.0), 2: (width, height), 3: (0.0, width)}[quarter]
    table = tuple(style._replace(angle=(style.angle - 90 * quarter) % 360) for style in characters.table)
    if quarter % 2:
        width, height = height, width
    moved = boxes + np.array([right, down, right, down], np.float32)
    return replace(characters, width=width, height=height, boxes=moved, table=table)


def upright_rule(rule: Rule, quarter: int, width: float, height: float) -> Rule:
    """Return a rule of a page of that size, rotated as `upright_characters` does with text."""
    left, top, right, bottom = upright_box(
        (rule.left / width, rule.top / height, rule.right / width, rule.bottom / height), quarter
    )
    if quarter % 2:
        width, height = height, width
    return Rule(left * width, top * height, right * width, bottom * height)


def upright_box(box: Box, quarter: int) -> Box:
    """Rotate a box (shares of a page) so that text at `quarter` is upright; unchanged for 0 and -1.

    >>> upright_box((0.1, 0.2, 0.3, 0.6), 1)
    (0.4, 0.1, 0.8, 0.3)
    """
    left, top, right, bottom = box
    turned = {
        1: (1 - bottom, left, 1 - top, right),
        2: (1 - right, 1 - bottom, 1 - left, 1 - top),
        3: (top, 1 - right, bottom, 1 - left),
    }
    return turned.get(quarter, box)


def shown_box(box: Box, quarter: int) -> Box:
    """Rotate a box of an upright page back: the inverse of `upright_box`, for quarters 0 to 3."""
    return upright_box(box, -quarter % 4)


def upright_segments(characters: PageCharacters) -> Iterator[Segment]:
    """Yield segments of text by rotation, the most frequent first, with boxes on the given page.

    Segments rotated by quarter turns are sorted by their lines; others are in file order.
    """
    for quarter, of_quarter in quarters_of(characters) if characters.text else ():
        segments = segments_of(characters, of_quarter, quarter)
        if quarter in (0, SKEWED):
            yield from segments
            continue
        for one in sorted(segments, key=lambda one: one.top):
            yield one.moved(*from_upright_frame((one.left, one.top, one.right, one.bottom), quarter))
