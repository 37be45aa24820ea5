"""Read ruled tables: fill the cells drawn by rules with their characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.model import Box
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.formats.pdf.characters.page_characters import PageCharacters
from chunking.parsing.formats.pdf.characters.ruling_lines import rules_of
from chunking.parsing.formats.pdf.characters.segments import Segment, is_raised
from chunking.parsing.formats.pdf.characters.turned_pages import (
    main_quarter,
    shown_box,
    upright_characters,
    upright_rule,
    upright_segments,
)
from chunking.parsing.formats.pdf.layout.grids import Cells, grids_of
from chunking.text.raised_text import written

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SOFT_HYPHEN", "RuledCell", "Table", "find_tables", "without_characters"]

SOFT_HYPHEN = "\u00ad"
"""Placeholder in a cell's text for a hyphen at a line end, which may belong to the word."""

_FEWEST = 2
"""Minimum rows and columns of a table."""
_FILLED = 0.25
"""Minimum share of cells with text."""
_LONG = 500
"""Maximum average length of a cell; longer ones are columns of a layout."""
_UNRULED = 3
"""Minimum lines in the first column of a row that may be several rows without rules."""
_FULL = 0.7
"""Minimum share of filled cells in rows split without rules."""
_GOING_ON = 0.3
"""Maximum share of lines without text in the first column: cells of two lines."""
_WORDY = 15
"""Minimum average length of stacked lines that may form one text."""
_ENDED = 0.3
"""Minimum share of lines ending early that makes them several texts."""
_CLOSE = 0.2
"""Maximum gap between a raised mark and its word, in heights."""
_SAME_LINE = 0.5
"""Minimum vertical overlap of lines in a row, in heights."""


@dataclass(frozen=True, slots=True)
class RuledCell:
    """A cell with text, and its place and spans in the table."""

    row: int
    column: int
    rows: int
    """Row span."""
    columns: int
    """Column span."""
    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of one page, or its part on that page."""

    page: int
    """Page number from 1."""
    bbox: Box
    cells: tuple[RuledCell, ...]
    """Cells with text, row by row."""
    row_boxes: tuple[Box, ...]
    edges: tuple[float, ...]
    """Left edges of the columns and the last right edge, in page widths (heights if rotated)."""
    quarter: int = 0
    """Rotation of the page's text in quarter turns, counter-clockwise."""

    @property
    def rows(self) -> list[list[str]]:
        """Texts by row and column; of a merged cell's places, all but the first are empty."""
        rows = [[""] * (len(self.edges) - 1) for _ in self.row_boxes]
        for cell in self.cells:
            rows[cell.row][cell.column] = cell.text
        return rows

    @property
    def header_rows(self) -> int:
        """Number of header rows: the largest row span in row 0, or 2 if it spans only columns.

        At least 1, whatever the text, but the last row is never a header.
        """
        first = [cell for cell in self.cells if cell.row == 0]
        count = max((cell.rows for cell in first), default=1)
        if count == 1 and any(cell.columns > 1 for cell in first):
            count = 2
        return min(count, max(len(self.row_boxes) - 1, 0))


def find_tables(
    page: Any, characters: PageCharacters, skip: Callable[[Table], bool] = lambda table: False
) -> tuple[list[Table], NDArray[np.bool_]]:
    """Find the ruled tables of a page from the top, and a mask of the characters in them.

    On a page of mostly rotated text, tables are read in its direction; their boxes are on the displayed page.

    Args:
        page: a `pypdfium2.PdfPage`.
        characters: of the page.
        skip: true for a table to be read as lines instead; its characters stay out of the mask.
    """
    inside = np.zeros(len(characters.text), bool)
    rules = rules_of(page)
    quarter = main_quarter(characters) if rules else 0
    if quarter:
        rules = [upright_rule(rule, quarter, characters.width, characters.height) for rule in rules]
        characters = upright_characters(characters, quarter)
    tables: list[Table] = []
    for cells, ruled in grids_of(rules, characters):
        candidate = _TableMaker(cells, characters, inside).table(ruled=ruled)
        if candidate and not skip(candidate[0]):
            tables.append(candidate[0])
            inside |= candidate[1]
    tables.sort(key=lambda table: (table.bbox[1], table.bbox[0]))
    return [_as_shown(table, quarter) for table in tables] if quarter else tables, inside


def _as_shown(table: Table, quarter: int) -> Table:
    """Convert a table of an upright page to the coordinates of the displayed page."""
    boxes = tuple(shown_box(box, quarter) for box in table.row_boxes)
    return replace(table, bbox=shown_box(table.bbox, quarter), row_boxes=boxes, quarter=quarter)


def without_characters(characters: PageCharacters, mask: NDArray[np.bool_]) -> PageCharacters:
    """Return a page without the characters of a mask; the same object if the mask is empty."""
    return _chosen(characters, np.flatnonzero(~mask)) if mask.any() else characters


def _chosen(characters: PageCharacters, indices: NDArray[np.intp]) -> PageCharacters:
    text = _codes(characters)[indices].tobytes().decode("utf-32-le", "surrogatepass")
    return replace(characters, text=text, boxes=characters.boxes[indices], styles=characters.styles[indices])


def _codes(characters: PageCharacters) -> NDArray[np.uint32]:
    return np.frombuffer(characters.text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _parted(characters: PageCharacters, starts: NDArray[np.intp]) -> PageCharacters:
    """Insert a line end before each of some characters."""
    text = np.insert(_codes(characters), starts, ord("\n")).tobytes().decode("utf-32-le", "surrogatepass")
    boxes, styles = np.insert(characters.boxes, starts, 0, axis=0), np.insert(characters.styles, starts, -1)
    return replace(characters, text=text, boxes=boxes, styles=styles)


@dataclass(slots=True)
class _CellPlace:
    """A cell by the indices of its sides, and its text."""

    top: int
    bottom: int
    left: int
    right: int
    segments: list[Segment]


class _TableMaker:
    """Builder of the table of some cells."""

    def __init__(self, cells: Cells, characters: PageCharacters, used: NDArray[np.bool_]) -> None:
        self._characters, self._used = characters, used
        self._xs = np.unique([side for cell in cells for side in (cell[0], cell[2])])
        self._ys = np.unique([side for cell in cells for side in (cell[1], cell[3])])
        self._numbers = np.full((len(self._ys) + 1, len(self._xs) + 1), -1, np.int32)
        self._places: list[_CellPlace] = []
        for number, (left, top, right, bottom) in enumerate(cells):
            first, after = np.searchsorted(self._ys, (top, bottom)).tolist()
            start, end = np.searchsorted(self._xs, (left, right)).tolist()
            self._places.append(_CellPlace(first, after, start, end, []))
            self._numbers[first + 1 : after + 1, start + 1 : end + 1] = number

    def table(self, *, ruled: bool) -> tuple[Table, NDArray[np.bool_]] | None:
        """Build the table and a mask of its characters; None for boxes around other content."""
        if len(self._xs) <= _FEWEST or len(self._ys) <= _FEWEST:
            return None
        members = self._fill()
        filled = [place for place in self._places if place.segments]
        length = sum(len(segment.text) for place in filled for segment in place.segments)
        if len(filled) < max(2 * _FEWEST, _FILLED * len(self._places)) or (ruled and length > _LONG * len(filled)):
            return None
        rows = list(self._rows(split=not ruled or len(self._ys) - 1 <= _FEWEST + 1))
        cells = sum(bool(cell.segments) for row in rows for cell in row.cells)
        if length > _LONG * cells or (not ruled and len(rows) <= _FEWEST):
            return None
        return self._table(rows), members

    def _fill(self) -> NDArray[np.bool_]:
        """Assign text segments to cells; returns a mask (n,) of the characters in any."""
        characters = self._characters
        left, top, right, bottom = characters.boxes.T.astype(np.float64)
        of_cell = self._cell_at((left + right) / 2, (top + bottom) / 2)
        blank = np.fromiter(map(str.isspace, characters.text), bool, len(characters.text)) | (characters.styles < 0)
        before = np.maximum.accumulate(np.where(blank, 0, np.arange(len(of_cell))))
        of_cell = np.where(self._used, -1, of_cell[before])
        order = np.argsort(of_cell, kind="stable")
        order = order[of_cell[order] >= 0]
        starts = np.flatnonzero(np.diff(of_cell[order], prepend=-1))
        parted = _parted(_chosen(characters, order), starts)
        for segment in upright_segments(parted):
            number = int(self._cell_at((segment.left + segment.right) / 2, segment.middle))
            if number >= 0:
                self._places[number].segments.append(segment)
        return np.asarray(of_cell >= 0)

    def _cell_at(self, x: Any, y: Any) -> Any:
        """Number of the cell at each point, -1 for none."""
        return self._numbers[np.searchsorted(self._ys, y, "right"), np.searchsorted(self._xs, x, "right")]

    def _rows(self, *, split: bool) -> Iterator[_Row]:
        """Yield non-empty rows; rows not separated by rules are split where that is certain."""
        for number, (top, bottom) in enumerate(zip(self._ys[:-1].tolist(), self._ys[1:].tolist(), strict=True)):
            row = _Row(top, bottom, [place for place in self._places if place.top == number])
            yield from row.split() if split and number else [row]

    def _table(self, rows: Sequence[_Row]) -> Table:
        columns = sorted({place.left for row in rows for place in row.cells if place.segments})
        rows = [row for row in rows if any(place.segments for place in row.cells)]
        width, height = self._characters.width, self._characters.height
        across, along = (np.clip(sides, 0, 1).tolist() for sides in (self._xs / width, self._ys / height))
        cells = []
        for number, row in enumerate(rows):
            for place in sorted(row.cells, key=lambda one: one.left):
                if place.segments:
                    below = self._ys[place.bottom] - 0.1
                    spans = sum(other.top < below for other in rows[number:]) if place.bottom - place.top > 1 else 1
                    covered = sum(place.left <= column < place.right for column in columns)
                    bold = all(one.bold == one.visible for one in place.segments)
                    cells.append(
                        RuledCell(
                            number,
                            columns.index(place.left),
                            max(spans, 1),
                            max(covered, 1),
                            _joined(place.segments),
                            bold,
                        )
                    )
        left, right = across[0], across[-1]
        boxes = tuple((left, max(row.top / height, 0.0), right, min(row.bottom / height, 1.0)) for row in rows)
        edges = (*(across[column] for column in columns), right)
        return Table(self._characters.page, (left, along[0], right, along[-1]), tuple(cells), boxes, edges)


@dataclass(slots=True)
class _Row:
    """A row of cells between two rules."""

    top: float
    bottom: float
    cells: list[_CellPlace]

    def split(self) -> Iterator[_Row]:
        """Yield the rows that its lines form; the row itself unless that is certain.

        A line without text in the first column continues the row above.
        """
        lines = self._lines()
        first = min((cell.left for cell in self.cells), default=0)
        starts = [n for n, line in enumerate(lines) if first in line]
        full = sum(len(lines[n]) for n in starts)
        if (
            len(starts) < _UNRULED
            or starts[0] != 0
            or len(lines) - len(starts) > _GOING_ON * len(lines)
            or full < _FULL * len(starts) * len(self.cells)
            or any(cell.bottom - cell.top > 1 for cell in self.cells)
            or any(map(_wrapped, self.cells))
        ):
            yield self
            return
        tops = [min(one.top for by_column in lines[n].values() for one in by_column) for n in starts]
        bounds = [self.top, *tops[1:], self.bottom]
        for n, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True)):
            cells = [
                replace(cell, segments=[one for line in lines[start:end] for one in line.get(cell.left, ())])
                for cell in self.cells
            ]
            yield _Row(bounds[n], bounds[n + 1], cells)

    def _lines(self) -> list[dict[int, list[Segment]]]:
        """Lines from the top, as segments by column."""
        lines: list[tuple[float, float, dict[int, list[Segment]]]] = []
        segments = sorted(
            ((one, cell.left) for cell in self.cells for one in cell.segments), key=lambda pair: pair[0].middle
        )
        for segment, column in segments:
            if (
                lines
                and min(lines[-1][1], segment.bottom) - max(lines[-1][0], segment.top) >= _SAME_LINE * segment.height
            ):
                lines[-1][2].setdefault(column, []).append(segment)
            else:
                lines.append((segment.top, segment.bottom, {column: [segment]}))
        return [line for _, _, line in lines]


def _wrapped(cell: _CellPlace) -> bool:
    """True if the lines of a cell are one wrapped text: several words each, broken where no word fitted."""
    if sum(len(one.text) for one in cell.segments) < _WORDY * len(cell.segments):
        return False
    widest = max((one.right for one in cell.segments), default=0.0)
    ends = 0
    for one, two in pairwise(cell.segments):
        word = two.text.split()[0] if two.text.isascii() else two.text[:2]
        ends += one.right + (two.right - two.left) * (len(word) + 1) / len(two.text) < widest
    return ends < _ENDED * (len(cell.segments) - 1)


def _joined(segments: Sequence[Segment]) -> str:
    """Join the lines of a cell."""
    text = ""
    raised: list[tuple[int, int]] = []
    for n, segment in enumerate(segments):
        before = segments[n - 1] if n else None
        if before and before.hyphen:
            text = text[:-1] + SOFT_HYPHEN
        elif before and is_raised(segment, before) and segment.left - before.right < _CLOSE * before.height:
            raised.append((len(text), len(text) + len(segment.text)))
        elif before:
            same = min(before.bottom, segment.bottom) - max(before.top, segment.top) > segment.height / 2
            text += " " if same else joint(text, segment.text)
        raised += ((len(text) + first, len(text) + after) for first, after in segment.raised)
        text += segment.text
    return written(text, raised)
