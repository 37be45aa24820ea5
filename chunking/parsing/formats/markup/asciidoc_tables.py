"""Tables of AsciiDoc: columns, header and row starts."""

from __future__ import annotations

import re
from typing import Any

from chunking.parsing.formats.markup.line_blocks import LineBlocks
from chunking.parsing.formats.markup.row_readers import ASCIIDOC_CELL

__all__ = ["table_meta"]

_COLUMNS = re.compile(r"\bcols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]]+))")
_REPEATED = re.compile(r"(\d{1,3})\*")
_HEADER = re.compile(r"%[\w%]*header|\boption?s\s*=\s*\"?[^\"]*header|\bopts\s*=\s*\"?[^\"]*header")
_SEPARATORS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_FORMAT = re.compile(r"\bformat\s*=\s*\"?(\w+)")
_SEPARATOR = re.compile(r"\bseparator\s*=\s*\"?(.)")
_MOST_COLUMNS = 1_000


def table_meta(lines: LineBlocks, first: int, last: int, attributes: str) -> dict[str, Any]:
    """Meta of the table between the delimiters on lines `first` and `last`.

    Args:
        attributes: its attribute list.
    """
    body = lines.next_text(first + 1, last)
    has_header = bool(_HEADER.search(attributes))
    blank = body == first + 1 and body + 1 < last and lines.blank(body + 1) and "noheader" not in attributes
    mark = lines.lines[first].strip()[0]
    form = _FORMAT.search(attributes)
    delimiter = _SEPARATORS.get(form[1].lower()) if form else {",": ",", ":": ":"}.get(mark)
    if delimiter is not None:
        separator = _SEPARATOR.search(attributes)
        return _delimited(lines, body, last, separator[1] if separator else delimiter, header=has_header or blank)
    starts, columns = _rows(lines, body, last, _columns(attributes))
    header = 1 if (has_header or blank) and len(starts) > 1 else 0
    return _meta(starts, header, columns) | {"cells": "asciidoc"}


def _meta(starts: list[int], header: int, columns: int) -> dict[str, Any]:
    rows = tuple(starts[header:])
    return {"rows": len(rows), "columns": max(columns, 1), "row_starts": rows} | (
        {"header_end": rows[0]} if header else {}
    )


def _delimited(lines: LineBlocks, first: int, last: int, delimiter: str, *, header: bool) -> dict[str, Any]:
    numbers = [line for line in range(first, last) if not lines.blank(line)]
    starts = [lines.start_of(line) for line in numbers]
    columns = lines.lines[numbers[0]].count(delimiter) + 1 if numbers else 1

    return _meta(starts, 1 if header and len(starts) > 1 else 0, columns) | {"delimiter": delimiter}


def _columns(attributes: str) -> int:
    """Columns named by `cols`; 0 without it."""
    match = _COLUMNS.search(attributes)
    if not match:
        return 0
    named = 0
    for column in re.split(r"[,;]", next(filter(None, match.groups()), "").strip()):
        repeated = _REPEATED.match(column.strip())
        named += int(repeated[1]) if repeated else 1
    return min(named, _MOST_COLUMNS)


def _rows(lines: LineBlocks, first: int, last: int, columns: int) -> tuple[list[int], int]:
    """Offsets of row starts, and the number of columns: by default those of the first line."""
    starts: list[int] = []
    filled = 0
    for line in range(first, last):
        for mark in ASCIIDOC_CELL.finditer(lines.lines[line]):
            if not columns:
                columns = max(_width(lines.lines[line]), 1)
            if filled % columns == 0:
                starts.append(lines.start_of(line) + mark.start())
            filled += _spanned(mark)
    return starts, columns


def _width(line: str) -> int:
    return sum(map(_spanned, ASCIIDOC_CELL.finditer(line)))


def _spanned(mark: re.Match[str]) -> int:
    """Columns of a cell: `2+|` spans two, `3*|` is repeated in three."""
    span = (mark["span"] or "")[:-1].partition(".")[0]
    return min(max(int(span), 1), _MOST_COLUMNS) if span.isdecimal() and len(span) < 5 else 1
