"""Aligned tables that fit the terminal; rows become lines if no table fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.cli.terminal.look import TerminalLook, TerminalStyle
from chunking.cli.terminal.terminal_text import clip, clip_front, pad, width

__all__ = ["TableColumn", "table"]

_GAP = 2
"""Columns between two cells."""
_LEAST_VALUE = 12
"""Columns a value needs to share a line with its title when rows are drawn as lines."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """Column of a table: title, alignment and widths."""

    title: str
    right: bool = False
    """True for numbers: right-aligned, never clipped."""
    least: int = 10
    """Minimum width; below it rows are drawn as lines."""
    optional: int = 0
    """Rank for omission if not all columns fit, highest first; 0: never omitted."""
    keep_end: bool = False
    """True to clip the front: the end of a path identifies it."""
    style: TerminalStyle | None = None


def table(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], look: TerminalLook) -> Iterator[str]:
    """Yield the lines of a table, titles first; nothing without rows.

    If it is too wide, cells are clipped, then optional columns left out, then rows drawn as lines of title and value.

    Args:
        rows: a text for each column, all without line ends.
    """
    if not rows:
        return
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    while (sizes := _sizes(columns, cells, look.columns)) is None and any(column.optional for column in columns):
        out = max(range(len(columns)), key=lambda at: columns[at].optional)
        columns = [*columns[:out], *columns[out + 1 :]]
        cells = [[*row[:out], *row[out + 1 :]] for row in cells]
    if sizes is None:
        yield from _stack_rows(columns, cells, look)
        return
    yield _line([column.title for column in columns], columns, sizes, look, TerminalStyle.HEADING)
    for row in cells:
        yield _line(row, columns, sizes, look, None)


def _sizes(columns: Sequence[TableColumn], cells: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the width of each column; None if the table does not fit."""
    titles = [width(column.title) for column in columns]
    sizes = [max(title, *(width(row[at]) for row in cells)) for at, title in enumerate(titles)]
    least = [
        size if column.right else min(size, max(column.least, title))
        for column, size, title in zip(columns, sizes, titles, strict=True)
    ]
    over = sum(sizes) + _GAP * (len(sizes) - 1) - room
    while over > 0:
        widest = max(range(len(sizes)), key=lambda at: (sizes[at] > least[at], sizes[at]))
        if sizes[widest] <= least[widest]:
            return None
        sizes[widest] -= 1
        over -= 1
    return sizes


def _line(
    row: Sequence[str],
    columns: Sequence[TableColumn],
    sizes: Sequence[int],
    look: TerminalLook,
    style: TerminalStyle | None,
) -> str:
    drawn_cells = []
    for at, (text, column, size) in enumerate(zip(row, columns, sizes, strict=True)):
        fitting = (clip_front if column.keep_end else clip)(text, size, look.symbols.ellipsis)
        spaces = " " * (size - width(fitting)) if at < len(sizes) - 1 or column.right else ""
        drawn = look.style(fitting, style or column.style)
        drawn_cells.append(spaces + drawn if column.right else drawn + spaces)
    return (" " * _GAP).join(drawn_cells).rstrip()


def _stack_rows(columns: Sequence[TableColumn], cells: Sequence[Sequence[str]], look: TerminalLook) -> Iterator[str]:
    """Yield rows as lines of title and value, separated by empty lines."""
    titles = max(width(column.title) for column in columns)
    one_line = look.columns - titles - _GAP >= _LEAST_VALUE
    indent = titles + _GAP if one_line else _GAP
    for number, row in enumerate(cells):
        if number:
            yield ""
        for column, text in zip(columns, row, strict=True):
            fitting = (clip_front if column.keep_end else clip)(
                text, max(look.columns - indent, 2), look.symbols.ellipsis
            )
            title, value = (
                look.style(pad(column.title, titles) if one_line else column.title, TerminalStyle.DIM),
                look.style(fitting, column.style),
            )
            yield from (
                [f"{title}{' ' * _GAP}{value}".rstrip()] if one_line else [title, f"{' ' * _GAP}{value}".rstrip()]
            )
