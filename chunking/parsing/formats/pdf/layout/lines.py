"""Characters to lines of text, in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chunking.model import Box
from chunking.parsing.formats.pdf.characters.page_characters import CharacterStyle, PageCharacters, read_characters
from chunking.parsing.formats.pdf.characters.segments import (
    SKEWED,
    Segment,
    is_raised,
    out_of_frame,
    quarters_of,
    segments_of,
)
from chunking.parsing.formats.pdf.headings.side_heads import with_side_heads
from chunking.parsing.formats.pdf.layout.columns import regions_of
from chunking.parsing.formats.pdf.layout.rows import once, rows_of
from chunking.parsing.formats.pdf.layout.table_places import place_among, strips_of, table_of

__all__ = ["OUTSIDE", "TWICE", "PdfLine", "lines_and_places", "lines_of", "read_lines"]

OUTSIDE = "outside the page"
TWICE = "printed twice"

_NEARLY_ALL = 0.9
_SPACE = 0.15
"""In sizes of the text: a wider gap between two segments of a line is a space."""
_CELL_GAP = 1.5
"""In sizes of the text: a wider gap is one between cells."""
_EVEN = 1.4
"""Times the narrowest space of a stretched line that its widest may have."""
_DROP_CAP = 1.7
"""In heights of its line: a letter at the start of a paragraph is at least as high."""
_STRETCHED = 4.0
"""In heights: its widest space."""


@dataclass(slots=True)
class PdfLine:
    """One line of a column of a page; never changed, and not frozen only because that makes it three times as costly to
    make.
    """

    text: str
    """Its words with a space between."""
    page: int
    """1-based."""
    bbox: Box
    """On the page as it is shown."""
    size: float
    """Points; of most of its characters."""
    bold: bool
    """Nearly all of it is."""
    font: str
    """Of most of its characters."""
    mono: bool = False
    """Nearly all of it is in a font whose glyphs are equally wide."""
    angle: int = 0
    """Degrees by which it is turned, counter-clockwise, 0 to 359."""
    region: int = 0
    """Number of the column (or the part of one) of its page in which it stands, from 0 in reading order."""
    hyphen: bool = False
    """Its last character, `-`, may only stand there because the line ends."""
    lead: int = 0
    """Where the bold words with which it starts end in `text`, if not all of it is bold: "**Recall.** The share of
    ...".
    """
    gaps: tuple[float, ...] = ()
    """Where it is parted by gaps wider than between words, as in tables without rules: the gaps' middles, shares of the
    page's width.
    """
    stops: tuple[int, ...] = ()
    """Where in `text` the words after each of these gaps begin."""
    raised: tuple[tuple[int, int], ...] = ()
    """Where in `text` smaller characters stand above the line, as exponents and the marks of notes do: from, to."""
    notes: tuple[tuple[int, int], ...] = ()
    """The footnotes that its marks refer to: where in `text` each mark stands, and the footnote's number (see
    `footnotes`).
    """
    left_out: str = ""
    """Why it is no part of the running text (`OUTSIDE`, `TWICE`); empty for all others."""


def read_lines(page: Any, number: int) -> list[PdfLine]:
    """The lines of a page in reading order, then those that are left out.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
    """
    return lines_of(read_characters(page, number))


def lines_of(characters: PageCharacters) -> list[PdfLine]:
    """The same, of characters that were read already."""
    return lines_and_places(characters, ())[0]


def lines_and_places(
    characters: PageCharacters, tables: Sequence[Sequence[Box]]
) -> tuple[list[PdfLine], list[tuple[int, int]]]:
    """The lines of a page from which tables were taken out, and where in the reading order these stand.

    Args:
        tables: the boxes of the rows of each, as shares of the page, whose text stands upright.
    Returns:
        The lines; then, in reading order, the index of the line before which a table stands and the table's number. A
        table is not
        there where no upright text is left on the page.
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
        segments, twice = once(segments_of(characters, of_quarter & inside, quarter))
        maker = _Maker(characters, quarter)
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
    """The tables of which a region has strips, from the top."""
    strips = sorted((one for one in members if one.style < 0), key=lambda one: (one.middle, one.left))
    return list(dict.fromkeys(number for one in strips if (number := table_of(one)) is not None))


def _regions(segments: Sequence[Segment], extent: tuple[float, float]) -> list[list[Segment]]:
    return [part for region in regions_of(segments, *extent) for part in with_side_heads(region)]


class _Maker:
    """Makes lines of rows of segments of one page."""

    def __init__(self, characters: PageCharacters, quarter: int) -> None:
        self._page, self._table, self._quarter = characters.page, characters.table, quarter
        self._width, self._height = characters.width, characters.height

    @property
    def extent(self) -> tuple[float, float]:
        """Top and bottom of the page in the frame of its segments."""
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
        """The line of a row of one segment, as most of running text are: nothing in it is to be joined."""
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

    def _bbox(self, *around: *tuple[float, float, float, float]) -> Box:
        """Left, top, right, bottom in the frame of the segments, as shares of the page as it is shown."""
        left, top, right, bottom = out_of_frame(around, self._quarter)
        width, height = self._width, self._height
        if (
            0 <= left <= right <= width and 0 <= top <= bottom <= height and width > 0 and height > 0
        ):  # nearly all are on the page
            return round(left / width, 5), round(top / height, 5), round(right / width, 5), round(bottom / height, 5)
        return _share(left, width), _share(top, height), _share(right, width), _share(bottom, height)


def _raised(one: Segment, main: Segment, start: int) -> Sequence[tuple[int, int]]:
    """Where raised characters stand in a line in which a segment starts at `start`: all of it, if it is small and
    stands above.
    """
    if is_raised(one, main):
        return [(start, start + len(one.text))]
    return [(start + first, start + after) for first, after in one.raised] if one.raised else ()


def _is_drop_cap(one: Segment, two: Segment) -> bool:
    """Whether a segment is the large letter with which the word of the next begins."""
    return len(one.text) == 1 and one.text.isupper() and two.text[0].islower() and one.height > _DROP_CAP * two.height


def _is_stretched(row: Sequence[Segment]) -> bool:
    """Whether these are the words of a line of a narrow column that was stretched to fill it: they are equally far
    apart.
    """
    if len(row) < 2 or any(" " in one.text for one in row):
        return False
    spaces = [two.left - one.right for one, two in pairwise(row)]
    return max(spaces) < min(_EVEN * min(spaces), _STRETCHED * row[0].height)


def _after_visible(text: str, count: int) -> int:
    """Where the first `count` visible characters of a text end."""
    places = [place for place, character in enumerate(text, 1) if not character.isspace()]
    return places[min(count, len(places)) - 1] if places else 0


_EXTENTS = ((0, 1), (0, 1), (-1, 0), (-1, 0), (0, 1))
"""Top and bottom of a page in each frame, in its heights (in its widths where it is turned by one quarter or three)."""


def _share(value: float, whole: float) -> float:
    return round(value / whole, 5) if 0 <= value <= whole and whole > 0 else float(value > whole > 0)


def _right_to_left(row: Sequence[Segment]) -> bool:
    letters = "".join(one.text for one in row)
    if letters.isascii():
        return False
    return (
        sum("\u0590" <= letter <= "\u08ff" or "\ufb1d" <= letter <= "\ufefc" for letter in letters) > len(letters) / 3
    )
