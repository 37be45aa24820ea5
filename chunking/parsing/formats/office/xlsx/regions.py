"""Find the tables and texts on a sheet."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from chunking.errors import TooLargeError
from chunking.parsing.builder.table_headers import count_header_rows, count_preamble_rows
from chunking.parsing.formats.office.xlsx.sheet_cells import Cells, Merged, Row

__all__ = ["MAX_GRID", "LooseCell", "SheetTable", "find_regions"]

MAX_GRID = 5_000_000
"""Most cells of a table, empty ones included."""

_ALIKE = 0.5
"""Minimum share of common rows for an empty column to be mere spacing inside a table."""
_MOST_HEADER_ROWS = 4
_MOST_LEADING = 10
_SAMPLED_ROWS = 100
_NOTE = 60
"""Minimum characters of a note: a lone text in the last rows of a table."""
_REPEATED = 100
"""Maximum length of a text repeated over merged cells."""
_NUMBER = re.compile(r"[-(]?[^\w\s]?\s?\d[\d.,:/\- ]*%?\)?")

Rows = dict[int, Row]


@dataclass(frozen=True, slots=True)
class LooseCell:
    """Text of a cell outside of tables: a title, a note or a lone text."""

    text: str


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table with rows of equal length, the first ones of which may be headers."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int


def find_regions(cells: Cells, source: str) -> Iterator[LooseCell | SheetTable]:
    """Yield tables and loose texts of a sheet, from top to bottom, left to right if side by side.

    Tables are separated by empty rows, except one between header and body, and by two empty columns, or one if the rows
    on its sides differ. First rows with a single cell are the title of a table, last ones its notes.
    A column of words alone is no table. Short texts are repeated over merged cells.

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
    """Split rows into groups of consecutive ones; a header one empty row above its body belongs to it."""
    bands: list[list[int]] = []
    for number in rows:
        gap = number - bands[-1][-1] - 1 if bands else None
        if gap == 0 or (gap == 1 and _heads([rows[one] for one in bands[-1][: _MOST_HEADER_ROWS + 1]], rows[number])):
            bands[-1].append(number)
        else:
            bands.append([number])
    return [{number: rows[number] for number in band} for band in bands]


def _heads(upper_rows: Sequence[Row], lower: Row) -> bool:
    """True if up to a few rows of words name the columns of a row of numbers."""
    last = upper_rows[-1]
    named = sum(column in last or any(column in row for row in upper_rows) for column in lower)
    words = all(not _NUMBER.fullmatch(text) for text in last.values())
    numbers = sum(bool(_NUMBER.fullmatch(text)) for text in lower.values())
    return len(upper_rows) <= _MOST_HEADER_ROWS and len(last) > 1 and words and numbers > 0 and 2 * named > len(lower)


def _side_by_side(rows: Rows) -> list[Rows]:
    """Split a band into the parts that are side by side."""
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
    """Row numbers used by the columns from `column` up to the next empty one."""
    rows: set[int] = set()
    while column in used:
        rows |= used[column]
        column += 1
    return rows


def _alike(left: set[int], right: set[int]) -> bool:
    """True if the rows on both sides of an empty column are mostly the same."""
    same = len(left & right)
    return same >= _ALIKE * (len(left) + len(right) - same)


def _region(rows: Rows, merged: Mapping[tuple[int, int], Merged], source: str) -> Iterator[LooseCell | SheetTable]:
    """Yield a table with the title above and the notes below; single texts if it is one column of words."""
    numbers = list(rows)
    columns = sorted({column for row in rows.values() for column in row})
    wide = len(columns) > 1
    first, last = 0, len(numbers)
    while wide and first < min(last, _MOST_LEADING) and len(rows[numbers[first]]) == 1:
        first += 1
    extra_rows = _above_header(rows, numbers[first:last], columns) if wide else 0
    while wide and last > first + extra_rows and _is_note(rows[numbers[last - 1]]):
        last -= 1
    yield from _texts(rows, numbers[:first])
    for several, group in groupby(numbers[first : first + extra_rows], key=lambda number: len(rows[number]) > 1):
        if several:
            yield SheetTable(_grid({number: rows[number] for number in group}, merged, source).rows, 0)
        else:
            yield from _texts(rows, list(group))
    body = {number: rows[number] for number in numbers[first + extra_rows : last]}
    if not wide and not any(_NUMBER.fullmatch(text) for row in body.values() for text in row.values()):
        yield from _texts(body, list(body))
    elif body:
        yield _grid(body, merged, source)
    yield from _texts(rows, numbers[last:])


def _above_header(rows: Rows, numbers: Sequence[int], columns: Sequence[int]) -> int:
    """Number of rows above a table that name single values, such as a date below its title."""
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
    """Repeat a short text over its merged cells; one across a whole row stays single.

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
