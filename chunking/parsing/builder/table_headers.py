"""Which of a table's first rows are its header, where the format does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["count_header_rows"]

_LOOKED_AT = 50
_MOST_ROWS = 4
_LONGEST = 100
_VALUE = re.compile(
    r"[(+\-−]?\s*+(?:[A-Z]{0,3}[$€£¥￥])?\s*+[(+\-−]?\d[\d.,'\u00a0\u202f ]*+(?:[eE][+-]?\d+)?\s*+(?:%|‰|[A-Z]{0,3}[$€£¥￥]|[KMBkm])?\)?"
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
