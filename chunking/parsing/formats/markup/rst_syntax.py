"""Kinds of reStructuredText directives (docutils, Sphinx), and extent and rows of its tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

from chunking.parsing.formats.markup.line_blocks import LineBlocks, indent_of

__all__ = [
    "DIRECTIVE",
    "EXPLICIT",
    "GRID",
    "OPTION",
    "SIMPLE",
    "DirectiveKind",
    "directive_kind",
    "grid_end",
    "grid_meta",
    "rows_meta",
    "simple_end",
    "simple_meta",
]

EXPLICIT = re.compile(r"\s*\.\.(?:\s|$)")
"""Start of a directive, target, footnote, substitution or comment."""
DIRECTIVE = re.compile(
    r"\s*\.\.[ \t]+(?:\|(?P<substitution>[^|]+)\|[ \t]+)?(?P<name>[A-Za-z][\w.+-]*(?::[\w.+-]+)*)[ "
    r"\t]?::(?:[ \t]+(?P<argument>.*))?"
)
OPTION = re.compile(r"\s*:(?P<name>[\w][\w. -]*):(?:[ \t]+(?P<value>.*))?")

GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
"""Border of a grid table."""
SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
"""Border of a simple table."""
_HEADER_RULE = re.compile(r"\s*\+(?:=+\+)+\s*")
_COLUMN = re.compile(r"=+")


class DirectiveKind(Enum):
    """Kinds of content of a reStructuredText directive."""

    CODE = auto()
    EQUATION = auto()
    IMAGE = auto()
    FIGURE = auto()
    """A picture with a caption."""
    LIST_TABLE = auto()
    CSV_TABLE = auto()
    RULE = auto()
    """Settings and generated lists, without text."""
    TEXT = auto()
    """Notes, and anything unknown."""


_KINDS = {
    **dict.fromkeys(
        ("code", "code-block", "sourcecode", "parsed-literal", "prompt", "doctest", "testcode", "testsetup"),
        DirectiveKind.CODE,
    ),
    **dict.fromkeys(
        ("testoutput", "ipython", "jupyter-execute", "literalinclude", "productionlist", "console"), DirectiveKind.CODE
    ),
    **dict.fromkeys(("graphviz", "digraph", "mermaid", "uml", "plantuml", "raw", "highlight-code"), DirectiveKind.CODE),
    **dict.fromkeys(("math",), DirectiveKind.EQUATION),
    **dict.fromkeys(("image", "thumbnail"), DirectiveKind.IMAGE),
    **dict.fromkeys(("figure",), DirectiveKind.FIGURE),
    **dict.fromkeys(("list-table", "flat-table"), DirectiveKind.LIST_TABLE),
    **dict.fromkeys(("csv-table",), DirectiveKind.CSV_TABLE),
    **dict.fromkeys(
        ("toctree", "contents", "index", "highlight", "include", "default-role", "role", "module"), DirectiveKind.RULE
    ),
    **dict.fromkeys(
        ("currentmodule", "py:module", "py:currentmodule", "meta", "sectnum", "section-numbering"), DirectiveKind.RULE
    ),
    **dict.fromkeys(("autosummary", "tabularcolumns", "target-notes", "default-domain", "title"), DirectiveKind.RULE),
}


def directive_kind(name: str) -> DirectiveKind:
    """Return the kind of content of a directive by its name; `TEXT` for an unknown one."""
    return _KINDS.get(name.lower(), DirectiveKind.TEXT)


def grid_end(lines: LineBlocks, first: int, last: int) -> int:
    """Return the index after the grid table from line `first`: its lines start with `+` or `|`."""
    line = first
    while line < last and lines.lines[line].lstrip()[:1] in ("+", "|"):
        line += 1
    return line


def grid_meta(lines: LineBlocks, first: int, last: int) -> dict[str, Any]:
    """Return the `meta` of the grid table in [first, last), whose rows go from border to border."""
    borders = [line for line in range(first, last) if GRID.fullmatch(lines.lines[line])]
    starts = [line + 1 for line in borders if line + 1 < last]
    rule = next((line for line in borders if line > first and _HEADER_RULE.fullmatch(lines.lines[line])), None)
    columns = lines.lines[first].count("+") - 1
    return rows_meta(lines, starts, None if rule is None or rule + 1 >= last else rule + 1, columns) | {"cells": "grid"}


def simple_end(lines: LineBlocks, first: int, last: int) -> int:
    """Return the index after the simple table from line `first`: its third border ends it.

    So does its second, if a blank line or nothing follows. `first` + 1 if no border ends it.
    """
    borders = 0
    for line in range(first + 1, last):
        if SIMPLE.fullmatch(lines.lines[line]):
            borders += 1
            if borders == 2 or line + 1 >= last or lines.blank(line + 1):
                return line + 1
    return first + 1


def simple_meta(lines: LineBlocks, first: int, last: int) -> dict[str, Any]:
    """Return the `meta` of the simple table in [first, last): text in column one starts a row."""
    edges = tuple(match.start() for match in _COLUMN.finditer(lines.lines[first]))
    borders = [line for line in range(first, last) if SIMPLE.fullmatch(lines.lines[line])]
    header = borders[1] + 1 if len(borders) > 2 else None
    indent = indent_of(lines.lines[first])
    starts = [
        line
        for line in range(header or first + 1, last)
        if line not in borders[-1:] and not lines.blank(line) and indent_of(lines.lines[line]) <= indent
        if lines.lines[line].strip(" -")
    ]
    return rows_meta(lines, starts, header, len(edges)) | {"cells": "simple", "edges": edges}


def rows_meta(lines: LineBlocks, starts: Sequence[int], header: int | None, columns: int) -> dict[str, Any]:
    """Return the `meta` (rows, columns, header) of a table whose rows start on these lines.

    Args:
        header: the first line after its header; None if it has none.
    """
    body = tuple(lines.start_of(line) for line in starts if header is None or line >= header)
    meta: dict[str, Any] = {"rows": len(body), "columns": max(columns, 1), "row_starts": body}
    if header is not None and body:
        meta["header_end"] = body[0]
    return meta
