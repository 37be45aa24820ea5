"""Cells to tables and texts: none is lost, none comes twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.formats.office.xlsx.regions import LooseCell, SheetTable, find_regions
from chunking.parsing.formats.office.xlsx.sheet_cells import Cells

places = st.tuples(st.integers(1, 12), st.integers(1, 9))


@given(st.dictionaries(places, st.sampled_from(["word", "more words", "12", "3.5", "2023", "x" * 80]), max_size=40))
def test_every_cell_is_in_one_region(cells: dict[tuple[int, int], str]) -> None:
    """Wherever the cells are, and whatever is in them."""
    rows: dict[int, dict[int, str]] = {}
    for (row, column), text in sorted(cells.items()):
        rows.setdefault(row, {})[column] = text
    regions_of_cell: Counter[str] = Counter()
    for region in find_regions(Cells(rows=rows), "book.xlsx"):
        if isinstance(region, LooseCell):
            regions_of_cell[region.text] += 1
        else:
            assert len({len(row) for row in region.rows}) == 1
            regions_of_cell.update(text for row in region.rows for text in row if text)
    assert regions_of_cell == Counter(cells.values())


def _sheet(*rows: list[str]) -> Cells:
    filled = ({column: text for column, text in enumerate(row, 1) if text} for row in rows)
    return Cells(rows={number: row for number, row in enumerate(filled, 1) if row})


def test_titles_above_the_header() -> None:
    """A title is a text, what names a value a table of its own; the header is the row that fills the columns."""
    rows = [
        ["Report"],
        ["Date", "2024-01-01"],
        ["Owner:", "Ann"],
        ["Name", "Qty", "Price"],
        ["bolt", "1", "2"],
        ["nut", "3", "4"],
    ]
    assert list(find_regions(_sheet(*rows), "book.xlsx")) == [
        LooseCell("Report"),
        SheetTable((("Date", "2024-01-01"), ("Owner:", "Ann")), 0),
        SheetTable((("Name", "Qty", "Price"), ("bolt", "1", "2"), ("nut", "3", "4")), 1),
    ]


def test_headers_of_two_rows_stay() -> None:
    """Years over the names of columns are part of the header."""
    rows = [
        ["", "2023", "", "2024"],
        ["Region", "Sales", "Cost", "Sales"],
        ["Asia", "5", "1", "6"],
        ["Europe", "7", "2", "8"],
    ]
    (grid,) = find_regions(_sheet(*rows), "book.xlsx")
    assert isinstance(grid, SheetTable)
    assert grid.header_rows == 2
