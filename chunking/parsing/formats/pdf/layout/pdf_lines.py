"""Build lines of text in reading order from the characters of a PDF page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from chunking.model import Box
from chunking.parsing.formats.pdf.characters.page_characters import CharacterStyle, PageCharacters, read_characters
from chunking.parsing.formats.pdf.characters.segments import (
    SKEWED,
    Segment,
    from_upright_frame,
    is_raised,
    quarters_of,
    segments_of,
)
from chunking.parsing.formats.pdf.layout.columns import drop_shadows, regions_of, rows_of
from chunking.parsing.formats.pdf.layout.margins import split_margin_headings

__all__ = ["OUTSIDE", "TWICE", "PdfLine", "lines_and_places", "lines_of", "read_lines"]

OUTSIDE = "outside the page"
TWICE = "printed twice"

_NEARLY_ALL = 0.9
_SPACE = 0.15
"""Minimum gap for a space between segments, in font sizes."""
_CELL_GAP = 1.5
"""Minimum gap between cells, in font sizes."""
_EVEN = 1.4
"""Maximum ratio of the widest to the narrowest space in a stretched line."""
_DROP_CAP = 1.7
"""Minimum height of a drop cap, in line heights."""
_STRETCHED = 4.0
"""Maximum space in a stretched line, in line heights."""


@dataclass(slots=True)
class PdfLine:
    """A line of text of a page, with its box, typography and column; treat as immutable.

    Not frozen, because that makes it three times as costly to create.
    """

    text: str
    """Words with single spaces between them."""
    page: int
    """Page number from 1."""
    bbox: Box
    """Box on the displayed page."""
    size: float
    """Size of most characters, in points."""
    bold: bool
    """True if nearly all characters are bold."""
    font: str
    """Font of most characters."""
    mono: bool = False
    """True if nearly all characters are monospaced."""
    angle: int = 0
    """Rotation in degrees counter-clockwise, 0 to 359."""
    region: int = 0
    """Column (or part of one) of its page, from 0 in reading order."""
    hyphen: bool = False
    """True if the final `-` may only be there because the line ends."""
    lead: int = 0
    """Offset after the bold start of a line that is not all bold: "**Recall.** The share of ..."."""
    gaps: tuple[float, ...] = ()
    """Middles of wide gaps, like in tables without rules, in page widths."""
    stops: tuple[int, ...] = ()
    """Offsets in `text` of the words after these gaps."""
    raised: tuple[tuple[int, int], ...] = ()
    """Ranges (from, to) of raised characters in `text`: exponents, note marks."""
    notes: tuple[tuple[int, int], ...] = ()
    """Offset of each note mark in `text`, and the footnote's number (see `footnotes`)."""
    left_out: str = ""
    """Reason for not being running text (`OUTSIDE`, `TWICE`); else empty."""


def read_lines(page: Any, number: int) -> list[PdfLine]:
    """Read the lines of a page in reading order, then the ones left out; tables are read as lines.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
    """
    return lines_of(read_characters(page, number))


def lines_of(characters: PageCharacters) -> list[PdfLine]:
    """Build the lines of a page in reading order, then the ones left out (`OUTSIDE`, `TWICE`)."""
    return lines_and_places(characters, ())[0]


def lines_and_places(
    characters: PageCharacters, tables: Sequence[Sequence[Box]]
) -> tuple[list[PdfLine], list[tuple[int, int]]]:
    """Build a page's lines, the left-out ones last, and find each table's place among them.

    Args:
        characters: of the page, without those inside tables.
        tables: row boxes of each upright table, as shares of the page.
    Returns:
        The lines; then, in reading order, the index of the line that each table precedes, with the table's number.
        Tables are missing if the page has no other upright text.
    """
    if not characters.table:
        return [], []
    left, top, right, bottom = characters.boxes.T
    x, y = (left + right) / 2, (top + bottom) / 2
    inside = (x >= 0) & (x <= characters.width) & (y >= 0) & (y <= characters.height)
    lines: list[PdfLine] = []
    places: list[tuple[int, int]] = []
    hidden: list[PdfLine] = []
    for quarter, of_quarter in quarters_of(characters):
        segments, twice = drop_shadows(segments_of(characters, of_quarter & inside, quarter))
        maker = _LineMaker(characters, quarter)
        if quarter == 0 and tables:
            segments += strips_of(tables, segments, characters.width, characters.height)
        regions = [segments] if quarter == SKEWED else _regions(segments, maker.extent)
        for region, members in enumerate(regions, start=lines[-1].region + 1 if lines else 0):
            numbers = _numbers_of(members) if quarter == 0 and tables else []
            members = [one for one in members if one.style >= 0] if numbers else members
            rows = [[one] for one in members] if quarter == SKEWED else rows_of(members) if members else []
            starts = [len(lines)]
            for row in rows:
                line = maker.line(row, region)
                lines += [line] if line.text else []
                starts.append(len(lines))
            for number in numbers:
                if all(other != number for _, other in places):
                    first, last = tables[number][0], tables[number][-1]
                    place = place_among(rows, first[1] * characters.height, last[3] * characters.height)
                    places.append((starts[place], number))
        outside = [] if inside.all() else segments_of(characters, of_quarter & ~inside, quarter)
        hidden += (maker.line([one], 0, OUTSIDE) for one in outside)
        hidden += (maker.line([one], 0, TWICE) for one in twice)
    return lines + [line for line in hidden if line.text], sorted(places, key=lambda place: place[0])


def _numbers_of(members: Sequence[Segment]) -> list[int]:
    """Numbers of the tables with strips in a region, from the top."""
    strips = sorted((one for one in members if one.style < 0), key=lambda one: (one.middle, one.left))
    return list(dict.fromkeys(number for one in strips if (number := table_of(one)) is not None))


def _regions(segments: Sequence[Segment], extent: tuple[float, float]) -> list[list[Segment]]:
    return [part for region in regions_of(segments, *extent) for part in split_margin_headings(region)]


class _LineMaker:
    """Builder of lines from rows of segments."""

    def __init__(self, characters: PageCharacters, quarter: int) -> None:
        self._page, self._table, self._quarter = characters.page, characters.table, quarter
        self._width, self._height = characters.width, characters.height

    @property
    def extent(self) -> tuple[float, float]:
        """Top and bottom of the page in the segments' frame."""
        top, bottom = _EXTENTS[self._quarter]
        return top * (self._width if self._quarter % 2 else self._height), bottom * (
            self._width if self._quarter % 2 else self._height
        )

    def line(self, row: list[Segment], region: int, left_out: str = "") -> PdfLine:
        if len(row) == 1:
            return self._alone(row[0], region, left_out)
        row = sorted(row, key=lambda one: one.left + one.right)
        if _right_to_left(row):
            row.reverse()
        main = max(row, key=lambda one: one.visible)
        style: CharacterStyle = self._table[main.style]
        visible = sum([one.visible for one in row])
        bold = sum([one.bold for one in row]) >= _NEARLY_ALL * visible
        text, gaps, stops = row[0].text, [], []
        raised = [*_raised(row[0], main, 0)]
        space, cell_gap = _SPACE * style.size, _CELL_GAP * style.size
        for one, two in pairwise(row):
            gap = max(two.left - one.right, one.left - two.right)
            if gap > space and not _is_drop_cap(one, two):
                text += " "
            if gap > cell_gap:
                gaps.append((one.right + two.left) / 2 / self._width)
                stops.append(len(text))
            raised += _raised(two, main, len(text))
            text += two.text
        stretched = _is_stretched(row)
        return PdfLine(
            text=text,
            page=self._page,
            bbox=self._bbox(
                min([one.left for one in row]),
                min([one.top for one in row]),
                max([one.right for one in row]),
                max([one.bottom for one in row]),
            ),
            size=style.size,
            bold=bold,
            font=style.font,
            mono=sum([one.mono for one in row]) >= _NEARLY_ALL * visible,
            angle=style.angle,
            region=region,
            hyphen=row[-1].hyphen,
            lead=0 if bold or not row[0].lead else _after_visible(row[0].text, row[0].lead),
            gaps=() if stretched else tuple(gaps),
            stops=() if stretched else tuple(stops),
            raised=tuple(raised),
            left_out=left_out,
        )

    def _alone(self, one: Segment, region: int, left_out: str) -> PdfLine:
        """Line of a single segment, as most are: there is nothing to join."""
        style: CharacterStyle = self._table[one.style]
        nearly_all = _NEARLY_ALL * one.visible
        bold = one.bold >= nearly_all
        return PdfLine(
            text=one.text,
            page=self._page,
            bbox=self._bbox(one.left, one.top, one.right, one.bottom),
            size=style.size,
            bold=bold,
            font=style.font,
            mono=one.mono >= nearly_all,
            angle=style.angle,
            region=region,
            hyphen=one.hyphen,
            lead=0 if bold or not one.lead else _after_visible(one.text, one.lead),
            raised=one.raised,
            left_out=left_out,
        )

    def _bbox(self, *frame_box: *tuple[float, float, float, float]) -> Box:
        """Convert a box in the segments' frame to shares of the displayed page."""
        left, top, right, bottom = from_upright_frame(frame_box, self._quarter)
        width, height = self._width, self._height
        if (
            0 <= left <= right <= width and 0 <= top <= bottom <= height and width > 0 and height > 0
        ):  # nearly all are on the page
            return round(left / width, 5), round(top / height, 5), round(right / width, 5), round(bottom / height, 5)
        return _share(left, width), _share(top, height), _share(right, width), _share(bottom, height)


def _raised(one: Segment, main: Segment, start: int) -> Sequence[tuple[int, int]]:
    """Raised ranges of a segment that starts at `start` in its line; all of it, if small and raised."""
    if is_raised(one, main):
        return [(start, start + len(one.text))]
    return [(start + first, start + after) for first, after in one.raised] if one.raised else ()


def _is_drop_cap(one: Segment, two: Segment) -> bool:
    """True if a segment is the drop cap of the next one's word."""
    return len(one.text) == 1 and one.text.isupper() and two.text[0].islower() and one.height > _DROP_CAP * two.height


def _is_stretched(row: Sequence[Segment]) -> bool:
    """True for the words of a narrow justified line, which are evenly spaced."""
    if len(row) < 2 or any(" " in one.text for one in row):
        return False
    spaces = [two.left - one.right for one, two in pairwise(row)]
    return max(spaces) < min(_EVEN * min(spaces), _STRETCHED * row[0].height)


def _after_visible(text: str, count: int) -> int:
    """Offset after the first `count` visible characters."""
    places = [place for place, character in enumerate(text, 1) if not character.isspace()]
    return places[min(count, len(places)) - 1] if places else 0


_EXTENTS = ((0, 1), (0, 1), (-1, 0), (-1, 0), (0, 1))
"""Top and bottom of a page in each frame, in page heights (widths for odd quarters)."""


def _share(value: float, length: float) -> float:
    return round(value / length, 5) if 0 <= value <= length and length > 0 else float(value > length > 0)


def _right_to_left(row: Sequence[Segment]) -> bool:
    letters = "".join(one.text for one in row)
    if letters.isascii():
        return False
    return (
        sum("\u0590" <= letter <= "\u08ff" or "\ufb1d" <= letter <= "\ufefc" for letter in letters) > len(letters) / 3
    )


_VISIBLE = 10
"""Number of visible characters attributed to a strip."""
_TIGHT = 0.6
"""Maximum gap between lines of a paragraph, in line heights."""


def strips_of(
    tables: Sequence[Sequence[Box]], segments: Sequence[Segment], width: float, height: float
) -> list[Segment]:
    """Return a textless segment per table row, a text line high, so that its table finds a column.

    Args:
        tables: row boxes of each, as shares of the page.
        segments: text of the page, in points.
        width, height: of the page.
    """
    size = median([one.height for one in segments]) if segments else 0.0
    return [
        _row_strip(number, (left * width, top * height, right * width, bottom * height), size)
        for number, rows in enumerate(tables)
        for left, top, right, bottom in rows
    ]


def table_of(segment: Segment) -> int | None:
    """Number of the table whose row a segment of `strips_of` stands for; None for text."""
    return -1 - segment.style if segment.style < 0 else None


def place_among(rows: Sequence[Sequence[Segment]], top: float, bottom: float) -> int:
    """Return the index of the row that a table precedes, splitting no paragraph.

    `len(rows)` if all text is above it.

    Args:
        top, bottom: of the table, in points.
    """
    place = next((n for n, row in enumerate(rows) if row[0].middle > top), len(rows))
    if place == len(rows) or not place or rows[place][0].top >= bottom:
        return place
    for after, before in pairwise(reversed(rows[: place + 1])):
        if after[0].top - before[0].bottom > _TIGHT * after[0].height or after[0].style != before[0].style:
            break
        place -= 1
    return place


def _row_strip(number: int, box: Box, size: float) -> Segment:
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    height = min(size, bottom - top) or bottom - top
    top, bottom = middle - height / 2, middle + height / 2
    return Segment("", left, top, right, bottom, -1 - number, 0, 0, 0, _VISIBLE, False, height, middle)
