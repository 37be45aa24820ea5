"""A sheet's cells to the tables and texts that a person sees on it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from chunking.errors import TooLargeError
from chunking.parsing.builder.table_headers import count_header_rows, count_preamble_rows
from chunking.parsing.formats.office.xlsx.cells import Cells, Merged, Row

__all__ = ["MAX_GRID", "LooseCell", "SheetTable", "find_regions"]

MAX_GRID = 5_000_000
"""Cells of one table, empty ones included."""

_ALIKE = 0.5
"""Least share of rows in common of the two sides of an empty column that is only room between them."""
_MOST_HEADER_ROWS = 4
_MOST_LEADING = 10
_SAMPLED_ROWS = 100
_NOTE = 60
"""Characters from which on a text alone in the last rows of a table is a note under it."""
_REPEATED = 100
"""Longest text that is repeated in all cells that are merged with its own."""
_NUMBER = re.compile(r"[-(]?[^\w\s]?\s?\d[\d.,:/\- ]*%?\)?")

Rows = dict[int, Row]


@dataclass(frozen=True, slots=True)
class LooseCell:
    """A cell that is no part of a table."""

    text: str


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table: rows of equal length."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int


def find_regions(cells: Cells, source: str) -> Iterator[LooseCell | SheetTable]:
    """What stands on a sheet, from top to bottom, and from left to right where several things stand side by side.

    Empty rows part tables, but for one between a table's header and its body; so do two empty columns, or one where the
    rows on its two sides differ. The first rows of a table that hold one cell only are its title, the last its notes.

    Raises:
        TooLargeError: a table of more than `MAX_GRID` cells.
    """
    merged = {(one.top, one.left): one for one in cells.merged}
    for band in _bands(cells.rows):
        parts = _side_by_side(band)
        for part in parts:
            for region in _bands(part) if len(parts) > 1 else [part]:
                yield from _region(region, merged, source)


def _bands(rows: Rows) -> list[Rows]:
    """Rows that follow one another; a header and the body one row below it are one band."""
    bands: list[list[int]] = []
    for number in rows:
        gap = number - bands[-1][-1] - 1 if bands else None
        if gap == 0 or (gap == 1 and _heads([rows[one] for one in bands[-1][: _MOST_HEADER_ROWS + 1]], rows[number])):
            bands[-1].append(number)
        else:
            bands.append([number])
    return [{number: rows[number] for number in band} for band in bands]


def _heads(above: Sequence[Row], below: Row) -> bool:
    """A few rows of words that name the columns of a row of numbers."""
    last = above[-1]
    named = sum(column in last or any(column in row for row in above) for column in below)
    words = all(not _NUMBER.fullmatch(text) for text in last.values())
    numbers = sum(bool(_NUMBER.fullmatch(text)) for text in below.values())
    return len(above) <= _MOST_HEADER_ROWS and len(last) > 1 and words and numbers > 0 and 2 * named > len(below)


def _side_by_side(rows: Rows) -> list[Rows]:
    """The parts of a band that stand beside one another."""
    used: dict[int, set[int]] = {}
    for number, row in rows.items():
        for column in row:
            used.setdefault(column, set()).add(number)
    columns = sorted(used)
    group = dict.fromkeys(columns[:1], 0)
    here = set(used[columns[0]])
    for before, column in pairwise(columns):
        gap = column - before - 1
        parted = gap > 1 or (gap == 1 and not _alike(here, _rows_from(column, used)))
        group[column] = group[before] + parted
        if parted:
            here = set()
        here |= used[column]
    parts: list[Rows] = [{} for _ in range(group[columns[-1]] + 1)]
    for number, row in rows.items():
        for column, text in row.items():
            parts[group[column]].setdefault(number, {})[column] = text
    return parts


def _rows_from(column: int, used: Mapping[int, set[int]]) -> set[int]:
    """The rows of the columns from one up to the next that is empty."""
    found: set[int] = set()
    while column in used:
        found |= used[column]
        column += 1
    return found


def _alike(left: set[int], right: set[int]) -> bool:
    """The rows on the two sides of an empty column are mostly the same."""
    same = len(left & right)
    return same >= _ALIKE * (len(left) + len(right) - same)


def _region(rows: Rows, merged: Mapping[tuple[int, int], Merged], source: str) -> Iterator[LooseCell | SheetTable]:
    """A table with its title above and its notes below; texts where there is a single column of words."""
    numbers = list(rows)
    columns = sorted({column for row in rows.values() for column in row})
    wide = len(columns) > 1
    first, last = 0, len(numbers)
    while wide and first < min(last, _MOST_LEADING) and len(rows[numbers[first]]) == 1:
        first += 1
    above = _above_header(rows, numbers[first:last], columns) if wide else 0
    while wide and last > first + above and _is_note(rows[numbers[last - 1]]):
        last -= 1
    yield from _texts(rows, numbers[:first])
    for several, group in groupby(numbers[first : first + above], key=lambda number: len(rows[number]) > 1):
        if several:
            yield SheetTable(_grid({number: rows[number] for number in group}, merged, source).rows, 0)
        else:
            yield from _texts(rows, list(group))
    body = {number: rows[number] for number in numbers[first + above : last]}
    if not wide and not any(_NUMBER.fullmatch(text) for row in body.values() for text in row.values()):
        yield from _texts(body, list(body))
    elif body:
        yield _grid(body, merged, source)
    yield from _texts(rows, numbers[last:])


def _above_header(rows: Rows, numbers: Sequence[int], columns: Sequence[int]) -> int:
    """Rows that stand above a table and name single values, such as a date under its title."""
    return count_preamble_rows(
        [[rows[number].get(column, "") for column in columns] for number in numbers[:_SAMPLED_ROWS]]
    )


def _is_note(row: Row) -> bool:
    return len(row) == 1 and len(next(iter(row.values()))) > _NOTE


def _texts(rows: Rows, numbers: Sequence[int]) -> Iterator[LooseCell]:
    for number in numbers:
        for _, text in sorted(rows[number].items()):
            yield LooseCell(text)


def _grid(rows: Rows, merged: Mapping[tuple[int, int], Merged], source: str) -> SheetTable:
    columns = sorted({column for row in rows.values() for column in row})
    if len(rows) * len(columns) > MAX_GRID:
        raise TooLargeError(
            f"{source} has a table of {len(rows):,} rows and {len(columns):,} columns, most of them empty; split it.",
            where=source,
        )
    filled = _filled(rows, columns, merged)
    grid = tuple(tuple(row.get(column, "") for column in columns) for row in filled.values())
    return SheetTable(grid, count_header_rows(grid))


def _filled(rows: Rows, columns: Sequence[int], merged: Mapping[tuple[int, int], Merged]) -> Rows:
    """A short text in merged cells stands in each of them; one over a whole row of the table stands once.

    The work is bounded: in a real sheet merged cells do not overlap.
    """
    filled = {number: dict(row) for number, row in rows.items()}
    numbers = list(rows)
    left = MAX_GRID
    for top, row in rows.items():
        for column, text in row.items():
            one = merged.get((top, column))
            if one is None or len(text) > _REPEATED:
                continue
            across = columns[bisect_left(columns, one.left) : bisect_right(columns, one.right)]
            down = numbers[bisect_left(numbers, one.top) : bisect_right(numbers, one.bottom)]
            left -= len(across) * len(down)
            if left < 0 or (len(down) == 1 and len(across) == len(columns)):
                continue
            for number in down:
                for under in across:
                    filled[number].setdefault(under, text)
    return filled
