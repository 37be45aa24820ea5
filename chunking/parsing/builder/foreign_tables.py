"""Parse tables written by other programs, in HTML or pipe rows, into plain cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.text.raised_text import write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["ForeignTable", "read_grid", "read_pipes"]

_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_CELL = re.compile(r"<t(?:able|r|d|h|body|head)[\s>]", re.IGNORECASE)
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_PIPE = re.compile(r"(?<!\\)\|")
_HEIGHTS = frozenset("234")
"""Row spans of a grouping header cell."""

_Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A table as rows of plain cells, the first `header_rows` of which name the columns.

    Rows may differ in length.
    """

    rows: _Rows
    header_rows: int = 0
    caption: str = ""
    warnings: tuple[str, ...] = ()


def read_grid(markup: str, source: str) -> ForeignTable:
    """Parse HTML tables (joined to one) or a Markdown table; other text gives a cell per line.

    Args:
        markup: from a layout parser.
        source: the file's name, for sentences.
    Raises:
        TooLargeError: more cells than `formats.html.html_tables` takes.

    >>> read_grid("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "x")
    ForeignTable(rows=(('a', 'b'), ('1', '2')), header_rows=1, caption='', warnings=())
    """
    if not _CELL.search(markup):
        return read_pipes(markup) or _lines(markup)
    from lxml.etree import strip_tags

    from chunking.parsing.formats.html.element_marks import mark_raised
    from chunking.parsing.formats.html.html_tree import parse_page

    table_markup = markup if _TABLE.search(markup) else f"<table>{markup}</table>"
    page = parse_page(table_markup.encode("utf-8", "replace"), source, "utf-8")
    if page.root is None:
        return ForeignTable(())
    mark_raised(page.root, table_markup.encode("utf-8", "replace").lower())
    strip_tags(page.root, "sup", "sub")
    grids = [_grid(one, source) for one in page.root.iter("table") if next(one.iterancestors("table"), None) is None]
    rows = tuple(row for grid in grids for row in grid.rows)
    if not rows:
        return _lines(write_raised("".join(page.root.itertext())))
    captions = " ".join(filter(None, (grid.caption for grid in grids)))
    return ForeignTable(rows, grids[0].header_rows, captions, page.warnings)


def _lines(markup: str) -> ForeignTable:
    return ForeignTable(tuple((line,) for line in map(str.strip, markup.split("\n")) if line))


def _grid(table: _Element, source: str) -> ForeignTable:
    from chunking.parsing.formats.html.html_tables import flat_text, read_table
    from chunking.parsing.formats.html.nested_tables import own_rows

    spanned = _spanned_header(next(iter(own_rows(table)), None))
    read = read_table(table, source)
    if read is not None:
        return ForeignTable(read.rows, max(read.header_rows, spanned if spanned < len(read.rows) else 0), read.caption)
    return ForeignTable(tuple(cells for row in own_rows(table) if any(cells := tuple(map(flat_text, row)))))


def _spanned_header(row: _Element | None) -> int:
    """Number of header rows of a table without header cells whose first row groups columns.

    As many as the cells next to the groups span.
    """
    cells = [] if row is None else list(row)
    groups = any(cell.get("colspan", "1") != "1" for cell in cells)
    heights = [height for cell in cells if (height := cell.get("rowspan", "1")) in _HEIGHTS]
    return int(max(heights)) if groups and heights else 0


def read_pipes(markup: str) -> ForeignTable | None:
    """Parse a Markdown table, whose second line must be its rule; None for any other text.

    >>> read_pipes("| a | b |\\n|---|---|\\n| 1 | 2 |")
    ForeignTable(rows=(('a', 'b'), ('1', '2')), header_rows=1, caption='', warnings=())
    """
    lines = [line.strip() for line in markup.strip().splitlines()]
    if len(lines) < 2 or "|" not in lines[0] or not _RULE.fullmatch(lines[1]):
        return None
    cells = (
        tuple(cell.strip().replace("\\|", "|") for cell in _PIPE.split(line.strip("|")))
        for line in (lines[0], *lines[2:])
    )
    return ForeignTable(tuple(cells), 1)
