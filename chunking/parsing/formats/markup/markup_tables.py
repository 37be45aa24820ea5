"""Split table rows into cells in each markup; find columns, header and rows of AsciiDoc tables.

`meta["cells"]` of a table block names the notation.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chunking.parsing.formats.markup.line_blocks import LineBlocks

__all__ = ["ASCIIDOC_CELL", "ROW_READERS", "table_meta"]

ASCIIDOC_CELL = re.compile(r"(?<!\\)(?:(?<![^\s|])(?P<span>\d*(?:\.\d+)?[+*])?[<^>]?(?:\.[<^>])?[adehlms]?)?\|")
"""Start of an AsciiDoc cell: a bar, with span and style before it."""

_RULE = re.compile(r"\s*[+|][-=+:| \t]*[+|]\s*")
_UNDERLINE = re.compile(r"\s*[-=]+(?:\s+[-=]+)*\s*")
_DASHES = re.compile(r"-+")
_ORG_RULE = re.compile(r"\s*\|[-+]+\|?\s*")
_DELIMITER = re.compile(r"[|!]={3,}")
_ITEM = re.compile(r"\s*(?:\*\s+)?-(?:\s+|$)")

_COLUMNS = re.compile(r"\bcols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]]+))")
_REPEATED = re.compile(r"(\d{1,3})\*")
_HEADER = re.compile(r"%[\w%]*header|\boption?s\s*=\s*\"?[^\"]*header|\bopts\s*=\s*\"?[^\"]*header")
_SEPARATORS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_FORMAT = re.compile(r"\bformat\s*=\s*\"?(\w+)")
_SEPARATOR = re.compile(r"\bseparator\s*=\s*\"?(.)")
_MOST_COLUMNS = 1_000


def _grid(row: str, _: Mapping[str, Any]) -> list[str]:
    """Cells of a row of several lines between bars; a cell continues in the same place of the next line."""
    lines = [line.strip() for line in row.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    return _joined([[cell.strip() for cell in line.strip("|").split("|")] for line in lines])


def _simple(row: str, meta: Mapping[str, Any]) -> list[str]:
    """Cells of a row whose columns start below the dashes of the rule above it."""
    edges: Sequence[int] = meta.get("edges", ())
    lines: list[list[str]] = []
    previous = ""
    for line in filter(str.strip, row.splitlines()):
        if not _UNDERLINE.fullmatch(line):
            lines.append(_columns(line, edges))
            previous = line
        elif "-" in line and lines:  # the cells above it span the columns over its rules
            spans = [match.start() for match in _DASHES.finditer(line)]
            cells = dict(zip(spans, _columns(previous, spans), strict=True))
            lines[-1] = [cells.get(edge, "") for edge in edges]
    return _joined(lines)


def _columns(line: str, edges: Sequence[int]) -> list[str]:
    if not line.isascii():  # columns of a screen: a Chinese character takes two
        line = "".join(character + "\0" * (unicodedata.east_asian_width(character) in "WF") for character in line)
    after = [*edges[1:], len(line)]
    return [line[start:end].replace("\0", "").strip() for start, end in zip(edges, after, strict=True)]


def _items(row: str, _: Mapping[str, Any]) -> list[str]:
    """Cells of a list-table's row: an item each."""
    cells: list[list[str]] = []
    for line in row.splitlines():
        if match := _ITEM.match(line):
            cells.append([line[match.end() :].strip()])
        elif cells:
            cells[-1].append(line.strip())
    return [" ".join(filter(None, parts)) for parts in cells]


def _asciidoc(row: str, _: Mapping[str, Any]) -> list[str]:
    """Cells of an AsciiDoc row, each after a bar, on one or more lines."""
    row = "\n".join(line for line in row.splitlines() if not _DELIMITER.fullmatch(line.strip()))
    marks = list(ASCIIDOC_CELL.finditer(row))
    ends = [*(mark.start() for mark in marks[1:]), len(row)] if marks else []
    cells = (row[mark.end() : end] for mark, end in zip(marks, ends, strict=True))
    return [" ".join(cell.replace("\\|", "|").split()) for cell in cells]


def _org(row: str, _: Mapping[str, Any]) -> list[str]:
    lines = [line for line in row.splitlines() if line.strip() and not _ORG_RULE.fullmatch(line)]
    return _joined(
        [[cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")] for line in lines]
    )


def _csv(row: str, meta: Mapping[str, Any]) -> list[str]:
    """Fields of a CSV row, with surrounding white space."""
    separator = str(meta.get("separator", ","))
    try:
        fields = next(csv.reader([row.strip().replace("\0", "")], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:  # a field of more than 130,000 characters
        fields = row.split(separator)
    return [" ".join(field.split()) for field in fields]


def _joined(lines: Sequence[Sequence[str]]) -> list[str]:
    """Join the lines of a row cell by cell."""
    width = max(map(len, lines), default=0)
    return [" ".join(filter(None, (line[n] for line in lines if n < len(line)))) for n in range(width)]


ROW_READERS: Mapping[str, Callable[[str, Mapping[str, Any]], list[str]]] = {
    "grid": _grid,
    "simple": _simple,
    "items": _items,
    "asciidoc": _asciidoc,
    "org": _org,
    "csv": _csv,
}
"""Readers of one row, or of a header of several, by notation."""


def table_meta(lines: LineBlocks, first: int, last: int, attributes: str) -> dict[str, Any]:
    """Return the `meta` (rows, columns, header) of the AsciiDoc table between two delimiter lines.

    Args:
        first, last: the lines of the delimiters.
        attributes: its attribute list, such as `[cols="2,1",options="header"]`.
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
    starts, columns = _rows(lines, body, last, _column_count(attributes))
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


def _column_count(attributes: str) -> int:
    """Number of columns that `cols` states; 0 without it."""
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
