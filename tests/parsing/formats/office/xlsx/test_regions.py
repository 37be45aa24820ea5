"""Cells to tables and texts: none is lost, none comes twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.formats.office.xlsx.cells import Cells
from chunking.parsing.formats.office.xlsx.regions import Text, find_regions

places = st.tuples(st.integers(1, 12), st.integers(1, 9))


@given(st.dictionaries(places, st.sampled_from(["word", "more words", "12", "3.5", "2023", "x" * 80]), max_size=40))
def test_every_cell_is_in_one_region(cells: dict[tuple[int, int], str]) -> None:
    """Wherever the cells are, and whatever is in them."""
    rows: dict[int, dict[int, str]] = {}
    for (row, column), text in sorted(cells.items()):
        rows.setdefault(row, {})[column] = text
    found: Counter[str] = Counter()
    for region in find_regions(Cells(rows=rows), "book.xlsx"):
        if isinstance(region, Text):
            found[region.text] += 1
        else:
            assert len({len(row) for row in region.rows}) == 1
            found.update(text for row in region.rows for text in row if text)
    assert found == Counter(cells.values())
