"""Find a table's header rows, and the rows above the header, where the format does not mark them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["count_header_rows", "count_preamble_rows"]

_SAMPLED_ROWS = 50
_MOST_ROWS = 4
_LONGEST = 100
_MOST_PREAMBLE = 20
_NARROW = 3
"""Columns up to which a header must name all of them."""
_VALUE = re.compile(
    r"[(+\-−]?\s*+(?:[A-Z]{0,3}[$€£¥￥])?\s*+[(+\-−]?\d[\d.,'\u00a0\u202f "
    r"]*+(?:[eE][+-]?\d+)?\s*+(?:%|‰|[A-Z]{0,3}[$€£¥￥]|[KMBkm])?\)?"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?|\d{1,2}:\d{2}(?::\d{2})?"
    r"|TRUE|FALSE|[Tt]rue|[Ff]alse|[—–-]|N/?A|n/?a|NULL|null|NaN|#[A-Z/0]+[!?]?"
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/](?:0?[1-9]|1[0-2]|\d\d))?")


def count_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """Guess how many leading rows name the columns, 0 to 4, from the first 50 rows.

    They hold words where the rows below hold numbers and dates (years may head columns), or, in a table of words, a
    short distinct word in each column. A second header row fills what the first leaves empty.

    >>> count_header_rows([["Name", "Size"], ["Finch", "3.1"]]), count_header_rows([["1", "2"], ["3", "4"]])
    (1, 0)
    >>> count_header_rows([["", "2023", ""], ["Region", "Sales", "Profit"], ["Asia", "5", "1"]])
    2
    """
    sample = [[cell.strip() for cell in row] for row in rows[:_SAMPLED_ROWS]]
    if len(sample) < 2:
        return 0
    leading = 0
    while leading < min(len(sample), _MOST_ROWS) and _is_label_row(sample, leading):
        leading += 1
        if leading < len(sample) and not _goes_on(sample[leading - 1], sample[leading]):
            break
    if not leading or leading >= len(sample):
        return 0
    has_values = any(_is_value(cell) for row in sample[leading:] for cell in row)
    return leading if has_values else int(_names_every_column(sample))


def count_preamble_rows(rows: Sequence[Sequence[str]], gaps: Collection[int] = ()) -> int:
    """Guess how many rows (titles, dates, remarks) precede a table's header; 0 if there is none.

    The header is the first row that fills as many columns as the table's rows do. Rows before it are outside the table
    if one has a single cell or none, if a gap follows them, or if each names one value (`Date | 2024`).

    Args:
        gaps: indices of rows followed by an empty line.

    >>> count_preamble_rows([["Report", "", ""], ["Date", "1 May", ""], ["Name", "No", "Cost"], ["bolt", "1", "2"]])
    2
    >>> count_preamble_rows([["", "2023", ""], ["Region", "Sales", "Profit"], ["Asia", "5", "1"]])
    0
    """
    sample = [[cell.strip() for cell in row] for row in rows[: _SAMPLED_ROWS + _MOST_PREAMBLE]]
    filled = [sum(map(bool, row)) for row in sample]
    several = Counter(count for count in filled if count > 1)
    width = max(several, key=lambda count: (several[count], count), default=0)
    if not width:
        return 0
    columns = Counter(len(row) for row, count in zip(sample, filled, strict=True) if count > 1).most_common(1)[0][0]
    full = [_fills(row, width) and len(row) <= columns for row in sample]
    room = [not filled[number - 1] or number - 1 in gaps for number in range(len(sample))]
    starts = [number for number in range(1, min(len(sample), _MOST_PREAMBLE + 1)) if full[number]]
    for first in (number for number in starts if number == starts[0] or room[number]):
        while first and not room[first] and count_header_rows(sample[first - 1 :]) > 1:
            first -= 1  # a row of the header that the next one completes
        leading = range(first)
        apart = any(filled[number] < 2 or len(sample[number]) > columns for number in leading) or first - 1 in gaps
        titles = all(not full[number] or _names_one_value(sample[number]) for number in leading)
        if (
            first
            and titles
            and count_header_rows(sample[first:])
            and (apart or all(_names_one_value(sample[number]) for number in leading))
        ):
            return first
    return 0


def _fills(row: Sequence[str], width: int) -> bool:
    """True if a row has text in all columns but one of many, or but the first, which holds row names."""
    count = sum(map(bool, row))
    return count > 1 and count >= width - (width > _NARROW or not row[0])


def _names_one_value(row: Sequence[str]) -> bool:
    cells = [cell for cell in row if cell]
    return len(cells) == 2 and (_is_value(cells[1]) or cells[0].endswith((":", "：")))


def _is_label_row(rows: Sequence[Sequence[str]], number: int) -> bool:
    """True if a row has words rather than numbers.

    Years count if the row below has none in their column, and no other numbers if a year repeats.
    """
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


def _goes_on(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """True if the next row completes a header: it names columns left empty, or spanned by one name."""
    if not lower or (upper[0] and lower[0]):
        return False
    alike = (n for n in range(1, len(lower)) if n >= len(upper) or not upper[n] or upper[n] == upper[n - 1])
    return any(lower[n] for n in alike)


def _names_every_column(rows: Sequence[Sequence[str]]) -> bool:
    first = list(rows[0])
    names = first if first[0] else first[1:]
    if not names or not all(names) or len(set(names)) < len(names):
        return False
    return len(first) >= max(len(row) for row in rows) and max(map(len, names)) <= _LONGEST


def _is_value(cell: str) -> bool:
    return bool(_VALUE.fullmatch(cell))
