"""Read the non-empty cells of a sheet, within limits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.errors import TooLargeError
from chunking.parsing.builder.text_builder import MAX_CHARACTERS
from chunking.parsing.formats.office.office_parts import local_name, whole_number
from chunking.parsing.formats.office.xlsx.workbook import Sheet, Workbook, rich_text, stream

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_CELLS", "MAX_ROWS", "Cells", "Merged", "Row", "check_limits", "read_cells"]

MAX_ROWS = 200_000
"""Most non-empty rows of a sheet; nobody reads all 1,048,576 possible ones as a document."""
MAX_CELLS = 1_000_000
"""Most non-empty cells of a workbook."""
_MOST_MERGED = 100_000
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_BOOLEANS = {"1": "TRUE", "0": "FALSE", "true": "TRUE", "false": "FALSE"}

Row = dict[int, str]
"""Texts by column, 1-based."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged range of cells: rows and columns from 1, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Cells:
    """Non-empty cells of a sheet, its merged ranges, and counts for limits and warnings."""

    rows: dict[int, Row] = field(default_factory=dict)
    """Non-empty rows by number, 1-based, in order."""
    merged: list[Merged] = field(default_factory=list)
    count: int = 0
    characters: int = 0
    without_result: int = 0
    """Number of formulas without a stored result; the formula is shown instead."""
    lost: int = 0
    """Number of cells whose text is missing from the file."""


def read_cells(book: Workbook, sheet: Sheet, *, cells_left: int = MAX_CELLS) -> Cells:
    """Read the non-empty cells of a sheet as displayed text; the size it states is ignored.

    Args:
        cells_left: cells that the workbook may still have.
    Raises:
        TooLargeError: more rows, cells or characters than the limits.
        ParseError: the sheet is damaged.
    """
    cells = Cells()
    number = 0
    for element in stream(book.package, sheet.part, "row", "mergeCell"):
        if local_name(element) == "mergeCell":
            _add_merged(cells, element.get("ref", ""))
            continue
        stated = whole_number(element.get("r"))
        number = stated if number < stated <= _LAST_ROW else number + 1
        if row := _row(book, element, cells):
            cells.rows[number] = row
            check_limits(cells, book.package.source, sheet.name, cells_left)
    return cells


def check_limits(cells: Cells, source: str, sheet: str, cells_left: int) -> None:
    """Raise TooLargeError for over `MAX_ROWS` rows, `cells_left` cells or `MAX_CHARACTERS`."""
    where = f"sheet '{sheet}' of {source}"
    if len(cells.rows) > MAX_ROWS:
        raise TooLargeError(f"The {where} has more than {MAX_ROWS:,} rows; split it, or save it as CSV.", where=source)
    if cells.count > cells_left:
        raise TooLargeError(
            f"{source} has more than {MAX_CELLS:,} cells; split it, or save its sheets as CSV.", where=source
        )
    if cells.characters > MAX_CHARACTERS:
        raise TooLargeError(
            f"The {where} holds more than {MAX_CHARACTERS // 10**6} million characters; split it into smaller files.",
            where=source,
        )


def _row(book: Workbook, element: _Element, cells: Cells) -> Row:
    row: Row = {}
    column = 0
    for cell in element:
        if local_name(cell) != "c":
            continue
        column = _column(cell.get("r")) or column + 1
        text = _text(book, cell, cells)
        if column <= _LAST_COLUMN and text and not text.isspace():
            row[column] = text
            cells.count += 1
            cells.characters += len(text)
    return row


def _column(reference: str | None) -> int:
    """Column number of a cell reference: 28 for `AB12`; 0 if it is no reference.

    >>> _column("AB12")
    28
    """
    number = 0
    for letter in reference or "":
        if not "A" <= letter <= "Z":
            break
        number = number * 26 + ord(letter) - 64
        if number > _LAST_COLUMN:
            return 0
    return number


def _text(book: Workbook, cell: _Element, cells: Cells) -> str:
    value: str | None = None
    formula: str | None = None
    for child in cell:
        name = local_name(child)
        if name == "v":
            value = child.text
        elif name == "f":
            formula = child.text
        elif name == "is":
            return rich_text(child)
    if value is None:
        if formula and cell.get("t") != "str":
            cells.without_result += 1
            return f"={formula}"
        return ""
    kind = cell.get("t", "n")
    if kind == "s":
        number = whole_number(value, -1)
        if 0 <= number < len(book.strings):
            text = book.strings[number]
            frame = book.text_frames.get(whole_number(cell.get("s"))) if book.text_frames else None
            return f"{frame[0]}{text}{frame[1]}" if frame else text
        cells.lost += 1
        return ""
    if kind == "n":
        return _number(book, value, cell.get("s", "0"))
    if kind == "b":
        return _BOOLEANS.get(value, value)
    return value.removesuffix("T00:00:00") if kind == "d" else value


def _number(book: Workbook, value: str, style: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    return book.number(number, whole_number(style)) if math.isfinite(number) else value


def _add_merged(cells: Cells, reference: str) -> None:
    first, _, last = reference.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
    if start and end and len(cells.merged) < _MOST_MERGED:
        cells.merged.append(Merged(int(start[2]), _column(start[1]), int(end[2]), _column(end[1])))
