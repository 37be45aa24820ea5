"""Rows and cells of an OpenDocument table that state how often they are repeated."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from chunking.errors import TooLargeError
from chunking.parsing.formats.office.odt.odt_elements import count

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_REPEATED", "RepeatedCells"]

MAX_REPEATED = 100_000
"""Most repeated cells of the file: `table:number-rows-repeated` may state any number."""
_MOST_COLUMNS = 1000


class RepeatedCells:
    """Repeats rows and cells of the open tables in the page as often as the file states.

    Args:
        source: name of the file, for sentences.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._gaps: list[int] = []
        """Per open table: empty cells before the next one with text."""
        self._repeated = 0

    @property
    def in_table(self) -> bool:
        """True while a table is open."""
        return bool(self._gaps)

    def begin_table(self) -> None:
        """Open a table, perhaps in a cell of another."""
        self._gaps.append(0)

    def end_table(self) -> None:
        """Close the innermost table."""
        self._gaps.pop()

    def begin_row(self) -> None:
        """Begin a row of the innermost table."""
        if self._gaps:
            self._gaps[-1] = 0

    def repeat_row(self, element: _Element, row: _Element) -> None:
        """Repeat a row as often as stated, if it has content. Raises TooLargeError."""
        times = count(element, "table:number-rows-repeated", MAX_REPEATED + 2) - 1
        table = row.getparent()
        if times and table is not None and _has_content(row):
            self._count(times * max(len(row), 1))
            table.extend([deepcopy(row) for _ in range(times)])

    def repeat_cell(self, element: _Element, cell: _Element) -> None:
        """Repeat a cell; empty ones only before a filled one, as rows end in thousands. Raises TooLargeError."""
        row, times = cell.getparent(), count(element, "table:number-columns-repeated", _MOST_COLUMNS)
        if not self._gaps or row is None:
            return
        if not _has_content(cell) and not cell.attrib:
            row.remove(cell)
            self._gaps[-1] = min(self._gaps[-1] + times, _MOST_COLUMNS)
            return
        self._count(self._gaps[-1] + times - 1)
        place = len(row) - 1
        row[place:place] = [cell.makeelement("td") for _ in range(self._gaps[-1])]
        row.extend([deepcopy(cell) for _ in range(times - 1)])
        self._gaps[-1] = 0

    def _count(self, times: int) -> None:
        self._repeated += times
        if self._repeated > MAX_REPEATED:
            raise TooLargeError(
                f"{self._source} repeats cells of its tables more than {MAX_REPEATED:,} times; delete the repeated "
                "ones.",
                where=self._source,
            )


def _has_content(element: _Element) -> bool:
    return any(text.strip() for text in element.itertext()) or next(element.iter("img"), None) is not None
