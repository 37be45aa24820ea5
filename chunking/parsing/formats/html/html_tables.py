"""Read an HTML table into rows of plain cells.

A header cell over several columns names each of them; a short cell over several rows is repeated, so that every row can
be read alone. Other cells appear once, in their first place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import TooLargeError
from chunking.parsing.builder.table_headers import count_header_rows
from chunking.parsing.formats.html.html_elements import collapse
from chunking.parsing.formats.html.nested_tables import GROUPS, own_rows

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_CELLS", "MAX_REPEATED", "HtmlTable", "flat_text", "read_table"]

MAX_CELLS = 4_000_000
"""Most cells of a table, filled ones included."""
MAX_REPEATED = 5_000_000
"""Most characters that spans may add to a table: half a megabyte can unfold to fifty."""
_MOST_SPAN = 1000
"""Maximum column span (HTML, 4.9.11)."""
_TALLEST = 65_534
_IN_TABLE = frozenset({"tr", "caption", "colgroup", "col", *GROUPS})
_IN_GROUP = frozenset({"tr"})
_IN_ROW = frozenset({"td", "th"})
_ITEM = re.compile(r"\(?(?:\d{1,3}|[ivxlcIVXLC]{1,5}|[a-zA-Z])[.)](?:\s|$)")
_REPEATED = 100
"""Maximum length of a repeated cell text."""


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table as rows of plain cells, spanned ones filled, with header rows and caption."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    caption: str = ""
    """The `caption` element, or a header cell across all columns."""


class _Cell(NamedTuple):
    text: str
    header: bool
    columns: int
    rows: int


def flat_text(element: _Element) -> str:
    """Return an element's text on one line, with spaces between its descendants."""
    return collapse(" ".join(element.itertext())) if len(element) else collapse(element.text or "")


def read_table(table: _Element, source: str) -> HtmlTable | None:
    """Read a table; None for layout: text outside cells, or one row or column without headers.

    Raises:
        TooLargeError: it has more than `MAX_CELLS`, or its spans repeat more than `MAX_REPEATED` characters.
    """
    if _holds_others(table):
        return None
    rows = [row for row in map(_cells, own_rows(table)) if any(cell.text for cell in row)]
    marked = any(cell.header for row in rows for cell in row)
    if not marked and (len(rows) < 2 or max(map(len, rows)) < 2):
        return None
    caption = " ".join(filter(None, (flat_text(part) for part in table.iterchildren("caption"))))
    while len(rows) > 1 and len(rows[0]) == 1 and rows[0][0].header and max(map(len, rows)) > 1:
        caption = f"{caption} {rows.pop(0)[0].text}".strip()
    header = _header_rows(rows)
    cells = _without_empty_columns(_placed(rows, header, source))
    return HtmlTable(cells, header if marked else _guessed_header(cells), caption)


def _holds_others(table: _Element) -> bool:
    """True if a table, row group or row holds other elements, such as a form around its cells."""
    groups = [part for part in table if part.tag in GROUPS]
    if _is_loose(table, _IN_TABLE) or any(_is_loose(group, _IN_GROUP) for group in groups):
        return True
    return any(_is_loose(row, _IN_ROW) for row in own_rows(table))


def _is_loose(element: _Element, allowed: frozenset[str]) -> bool:
    if element.text and not element.text.isspace():
        return True
    for child in element:
        tail = child.tail
        if (tail and not tail.isspace()) or (child.tag not in allowed and flat_text(child)):
            return True
    return False


def _cells(row: _Element) -> list[_Cell]:
    head = row.getparent().tag == "thead"
    cells = []
    for element in row:
        tag = element.tag
        if tag in ("td", "th"):
            columns, rows = element.get("colspan"), element.get("rowspan")
            wide, high = _span(columns, _MOST_SPAN) if columns else 1, _span(rows, _TALLEST) if rows else 1
            cells.append(_Cell(flat_text(element), head or tag == "th", wide, high))
    return cells


def _span(value: str, most: int) -> int:
    value = value.strip()
    if not (value.isdecimal() and len(value) < 9):
        return 1
    return min(int(value), most) or (most if most == _TALLEST else 1)  # rowspan=0: to the end of the table


def _header_rows(rows: Sequence[Sequence[_Cell]]) -> int:
    """Number of leading rows with text in header cells only."""
    count = 0
    while count < len(rows) and all(cell.header or not cell.text for cell in rows[count]):
        count += 1
    return 1 if count == len(rows) > 1 else count


def _placed(rows: Sequence[Sequence[_Cell]], header: int, source: str) -> tuple[tuple[str, ...], ...]:
    """Place the cells in a grid; spans are repeated as the module's docstring says."""
    if not any(cell.columns > 1 or cell.rows > 1 for row in rows for cell in row):
        _check_size(len(rows) * max(map(len, rows)), source)
        return tuple(tuple(cell.text for cell in row) for row in rows)
    grid: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    """Column to (rows still covered, text) of a cell from above."""
    width = count = added = 0
    for number, row in enumerate(rows):
        line: list[str] = []
        for cell in row:
            _take_up(line, below)
            width = max(width, len(line) + 1)
            repeated = cell.text if len(cell.text) <= _REPEATED else ""
            across = repeated if number < header else ""
            for column in range(cell.columns if len(line) < _MOST_SPAN else 1):
                if cell.rows > 1:
                    below[len(line)] = (cell.rows, repeated if column == 0 else across)
                line.append(across if column else cell.text)
        _take_up(line, below)
        below = {column: (rows_left - 1, text) for column, (rows_left, text) in below.items() if rows_left > 1}
        count += len(line)
        _check_size(max(count, width * len(rows)), source)
        added += sum(map(len, line)) - sum(len(cell.text) for cell in row)
        if added > MAX_REPEATED:
            sentence = (
                f"{source} has a table whose cells would be repeated to more than {MAX_REPEATED:,} characters; "
                f"split the table."
            )
            raise TooLargeError(sentence, where=source)
        grid.append(line)
    return tuple(tuple(line[:width]) for line in grid)


def _without_empty_columns(rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Drop columns without text: they are spacers."""
    if all(map(all, rows)):
        return rows
    filled = [any(column) for column in zip_longest(*rows, fillvalue="")]
    return rows if all(filled) else tuple(tuple(compress(row, filled)) for row in rows)


def _guessed_header(rows: Sequence[Sequence[str]]) -> int:
    """Guess the header rows of a table without header cells.

    They name more than half of its columns and are no list item. Two columns of words are pairs more often than names
    over values.
    """
    count = count_header_rows(rows)
    width = max(map(len, rows))
    named = sum(map(any, zip_longest(*rows[:count], fillvalue="")))
    if 2 * named <= width or _ITEM.match(rows[0][0]):
        return 0
    has_figures = any(cell[:1].isdecimal() for row in rows[count:] for cell in row)
    return count if width > 2 or has_figures else 0


def _take_up(line: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Fill the next cells of a row that are covered from above."""
    while len(line) in below:
        line.append(below[len(line)][1])


def _check_size(cells: int, source: str) -> None:
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"{source} has a table of more than {MAX_CELLS:,} cells; split it, or save it as CSV.", where=source
        )
