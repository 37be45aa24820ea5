"""Tables that another program has written as HTML or as pipe rows, to rows of plain cells."""

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
"""Rows that a header may have."""

_Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A table: rows of cells, the first `header_rows` of which say what the columns are."""

    rows: _Rows
    header_rows: int = 0
    caption: str = ""
    warnings: tuple[str, ...] = ()


def read_grid(written: str, source: str) -> ForeignTable:
    """The rows of a table in HTML (of several, one after the other) or in pipe rows; of any other text, a row a line.

    Args:
        written: as a layout parser gives it.
        source: the file's name, for sentences.
    Raises:
        TooLargeError: more cells than `formats.html.tables` takes.

    >>> read_grid("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "x")
    Grid(rows=(('a', 'b'), ('1', '2')), header_rows=1, caption='', warnings=())
    """
    if not _CELL.search(written):
        return read_pipes(written) or _lines(written)
    from lxml.etree import strip_tags

    from chunking.parsing.formats.html.html_tree import parse_page
    from chunking.parsing.formats.html.raised_elements import mark_raised

    whole = written if _TABLE.search(written) else f"<table>{written}</table>"
    page = parse_page(whole.encode("utf-8", "replace"), source, "utf-8")
    if page.root is None:
        return ForeignTable(())
    mark_raised(page.root, whole.encode("utf-8", "replace").lower())
    strip_tags(page.root, "sup", "sub")
    grids = [_grid(one, source) for one in page.root.iter("table") if next(one.iterancestors("table"), None) is None]
    rows = tuple(row for grid in grids for row in grid.rows)
    if not rows:
        return _lines(write_raised("".join(page.root.itertext())))
    captions = " ".join(filter(None, (grid.caption for grid in grids)))
    return ForeignTable(rows, grids[0].header_rows, captions, page.warnings)


def _lines(written: str) -> ForeignTable:
    return ForeignTable(tuple((line,) for line in map(str.strip, written.split("\n")) if line))


def _grid(table: _Element, source: str) -> ForeignTable:
    from chunking.parsing.formats.html.html_tables import flat_text, read_table
    from chunking.parsing.formats.html.nested_tables import own_rows

    spanned = _spanned_header(next(iter(own_rows(table)), None))
    read = read_table(table, source)
    if read is not None:
        return ForeignTable(read.rows, max(read.header_rows, spanned if spanned < len(read.rows) else 0), read.caption)
    return ForeignTable(tuple(cells for row in own_rows(table) if any(cells := tuple(map(flat_text, row)))))


def _spanned_header(row: _Element | None) -> int:
    """Rows of a header without header cells, whose first row groups columns: as many as the cells beside the groups are
    high.
    """
    cells = [] if row is None else list(row)
    groups = any(cell.get("colspan", "1") != "1" for cell in cells)
    heights = [height for cell in cells if (height := cell.get("rowspan", "1")) in _HEIGHTS]
    return int(max(heights)) if groups and heights else 0


def read_pipes(written: str) -> ForeignTable | None:
    """The rows of a Markdown table; None where it is none.

    >>> read_pipes("| a | b |\\n|---|---|\\n| 1 | 2 |")
    Grid(rows=(('a', 'b'), ('1', '2')), header_rows=1, caption='', warnings=())
    """
    lines = [line.strip() for line in written.strip().splitlines()]
    if len(lines) < 2 or "|" not in lines[0] or not _RULE.fullmatch(lines[1]):
        return None
    cells = (
        tuple(cell.strip().replace("\\|", "|") for cell in _PIPE.split(line.strip("|")))
        for line in (lines[0], *lines[2:])
    )
    return ForeignTable(tuple(cells), 1)
