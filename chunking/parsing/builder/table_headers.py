"""Which of a table's first rows are its header, and which stand above it, where the format does not say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["count_header_rows", "count_preamble_rows"]

_LOOKED_AT = 50
_MOST_ROWS = 4
_LONGEST = 100
_MOST_PREAMBLE = 20
_NARROW = 3
"""Columns of a table in whose header none is without a name."""
_VALUE = re.compile(
    r"[(+\-−]?\s*+(?:[A-Z]{0,3}[$€£¥￥])?\s*+[(+\-−]?\d[\d.,'\u00a0\u202f "
    r"]*+(?:[eE][+-]?\d+)?\s*+(?:%|‰|[A-Z]{0,3}[$€£¥￥]|[KMBkm])?\)?"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?|\d{1,2}:\d{2}(?::\d{2})?"
    r"|TRUE|FALSE|[Tt]rue|[Ff]alse|[—–-]|N/?A|n/?a|NULL|null|NaN|#[A-Z/0]+[!?]?"
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/](?:0?[1-9]|1[0-2]|\d\d))?")


def count_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows say what the columns are.

    They hold words where the rows under them hold numbers and dates (years may head columns), or, in a table of words
    only, a short word of its own in each column. A second header row is one that fills what the first has left empty.

    >>> count_header_rows([["Name", "Size"], ["Finch", "3.1"]]), count_header_rows([["1", "2"], ["3", "4"]])
    (1, 0)
    >>> count_header_rows([["", "2023", ""], ["Region", "Sales", "Profit"], ["Asia", "5", "1"]])
    2
    """
    looked = [[cell.strip() for cell in row] for row in rows[:_LOOKED_AT]]
    if len(looked) < 2:
        return 0
    leading = 0
    while leading < min(len(looked), _MOST_ROWS) and _is_label_row(looked, leading):
        leading += 1
        if leading < len(looked) and not _goes_on(looked[leading - 1], looked[leading]):
            break
    if not leading or leading >= len(looked):
        return 0
    has_values = any(_is_value(cell) for row in looked[leading:] for cell in row)
    return leading if has_values else int(_names_every_column(looked))


def count_preamble_rows(rows: Sequence[Sequence[str]], gaps: Collection[int] = ()) -> int:
    """How many of the first rows stand above a table's header: titles, dates, remarks.

    The header is the first row that fills as many columns as the rows of the table do. The rows before it are no part
    of the
    table where one holds a single cell or none, where there is room after them, or where each names one value (`Date |
    2024`).

    Args:
        gaps: rows that an empty line follows.

    >>> count_preamble_rows([["Report", "", ""], ["Date", "2024-01-01", ""], ["Name", "Qty", "Price"], ["bolt", "1", "2"]])
    2
    >>> count_preamble_rows([["", "2023", ""], ["Region", "Sales", "Profit"], ["Asia", "5", "1"]])
    0
    """
    looked = [[cell.strip() for cell in row] for row in rows[: _LOOKED_AT + _MOST_PREAMBLE]]
    filled = [sum(map(bool, row)) for row in looked]
    several = Counter(count for count in filled if count > 1)
    width = max(several, key=lambda count: (several[count], count), default=0)
    if not width:
        return 0
    columns = Counter(len(row) for row, count in zip(looked, filled, strict=True) if count > 1).most_common(1)[0][0]
    full = [_fills(row, width) and len(row) <= columns for row in looked]
    room = [not filled[number - 1] or number - 1 in gaps for number in range(len(looked))]
    starts = [number for number in range(1, min(len(looked), _MOST_PREAMBLE + 1)) if full[number]]
    for first in (number for number in starts if number == starts[0] or room[number]):
        while first and not room[first] and count_header_rows(looked[first - 1 :]) > 1:
            first -= 1  # a row of the header that the next one completes
        above = range(first)
        apart = any(filled[number] < 2 or len(looked[number]) > columns for number in above) or first - 1 in gaps
        titles = all(not full[number] or _names_one_value(looked[number]) for number in above)
        if (
            first
            and titles
            and count_header_rows(looked[first:])
            and (apart or all(_names_one_value(looked[number]) for number in above))
        ):
            return first
    return 0


def _fills(row: Sequence[str], width: int) -> bool:
    """Whether a row fills the columns of its table: but for one of many, or the first, in which the names of its rows
    stand.
    """
    count = sum(map(bool, row))
    return count > 1 and count >= width - (width > _NARROW or not row[0])


def _names_one_value(row: Sequence[str]) -> bool:
    cells = [cell for cell in row if cell]
    return len(cells) == 2 and (_is_value(cells[1]) or cells[0].endswith((":", "：")))


def _is_label_row(rows: Sequence[Sequence[str]], number: int) -> bool:
    """Words; and years where the row under it has none in the same column, nor other numbers where a year comes twice."""
    row = rows[number]
    under = rows[number + 1] if number + 1 < len(rows) else []
    filled = [cell for cell in row if cell]
    if not filled or any(len(cell) > 3 * _LONGEST for cell in filled):
        return False
    for column, cell in enumerate(row):
        if not cell or not _is_value(cell):
            continue
        below = under[column] if column < len(under) else ""
        if not _YEAR.fullmatch(cell) or _YEAR.fullmatch(below) or (filled.count(cell) > 1 and _is_value(below)):
            return False
    return True


def _goes_on(above: Sequence[str], below: Sequence[str]) -> bool:
    """A header row that the row under it completes: that names columns which it leaves empty, or names several alike."""
    if not below or (above[0] and below[0]):
        return False
    alike = (n for n in range(1, len(below)) if n >= len(above) or not above[n] or above[n] == above[n - 1])
    return any(below[n] for n in alike)


def _names_every_column(rows: Sequence[Sequence[str]]) -> bool:
    first = list(rows[0])
    names = first if first[0] else first[1:]
    if not names or not all(names) or len(set(names)) < len(names):
        return False
    return len(first) >= max(len(row) for row in rows) and max(map(len, names)) <= _LONGEST


def _is_value(cell: str) -> bool:
    return bool(_VALUE.fullmatch(cell))
