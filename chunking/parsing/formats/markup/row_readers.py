"""Cells of a table row in each markup; `meta["cells"]` of a table block names the notation."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["ASCIIDOC_CELL", "ROW_READERS"]

ASCIIDOC_CELL = re.compile(r"(?<!\\)(?:(?<![^\s|])(?P<span>\d*(?:\.\d+)?[+*])?[<^>]?(?:\.[<^>])?[adehlms]?)?\|")
"""Start of an AsciiDoc cell: a bar, with span and style before it."""

_RULE = re.compile(r"\s*[+|][-=+:| \t]*[+|]\s*")
_UNDERLINE = re.compile(r"\s*[-=]+(?:\s+[-=]+)*\s*")
_DASHES = re.compile(r"-+")
_ORG_RULE = re.compile(r"\s*\|[-+]+\|?\s*")
_DELIMITER = re.compile(r"[|!]={3,}")
_ITEM = re.compile(r"\s*(?:\*\s+)?-(?:\s+|$)")


def _grid(row: str, _: Mapping[str, Any]) -> list[str]:
    """A row of several lines between bars; cells continue in the same place of the next line."""
    lines = [line.strip() for line in row.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    return _joined([[cell.strip() for cell in line.strip("|").split("|")] for line in lines])


def _simple(row: str, meta: Mapping[str, Any]) -> list[str]:
    """A row whose columns start below those of the rule above it."""
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
    """A row of a list-table: an item per cell."""
    cells: list[list[str]] = []
    for line in row.splitlines():
        if match := _ITEM.match(line):
            cells.append([line[match.end() :].strip()])
        elif cells:
            cells[-1].append(line.strip())
    return [" ".join(filter(None, parts)) for parts in cells]


def _asciidoc(row: str, _: Mapping[str, Any]) -> list[str]:
    """Cells that start with a bar, on one or more lines."""
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
    """Fields with surrounding white space."""
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
