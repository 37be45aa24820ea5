"""Which rows are a header: in doubt none, since a wrong one would stand before every row."""

from __future__ import annotations

import pytest

from chunking.parsing.builder.table_headers import count_header_rows


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (["Name|Size", "Finch|3 cm", "Wren|2"], 1),
        (["Name|Seen on", "Finch|2024-05-03"], 1),
        (["Kind|2022|2023", "Finch|3|4", "Wren|5|6"], 1),
        (["|2023|", "Region|Sales|Profit", "Asia|5|1"], 2),
        (["|2023|2023", "|Sales|Profit", "Asia|5|1"], 2),
        (["In CHF||May 2023", "|Sales (a)|Costs", "Zone A|12,553|-81", "Zone B|9,467|—"], 2),
        (["Name|Place", "Finch|garden", "Wren|wood"], 1),
        (["|Place|Food", "Finch|garden|seeds", "Wren|wood|flies"], 1),
        (["Name|City|Age", "Ann|Rome|", "Bob|Oslo|41"], 1),
        (["名称|价格", "鸟|￥3.50", "鱼|5元"], 1),
        (["1|2", "3|4"], 0),
        (["x|x", "x|x", "x|x"], 0),
        (["2021|2022", "2023|2024"], 0),
        (["Name|", "Finch|garden"], 0),
        (["Name|Size"], 0),
        (["|", "a|1"], 0),
        ([f"{'word ' * 30}|Size", "Finch|small"], 0),
    ],
)
def test_header_rows_are_counted(rows: list[str], count: int) -> None:
    """One line a kind of table, its cells parted by bars."""
    assert count_header_rows([row.split("|") for row in rows]) == count


@pytest.mark.parametrize("gap", [" ", "1 ", "( "])
def test_a_cell_that_looks_like_a_number_takes_no_time(gap: str) -> None:
    """It is read once, however long it is."""
    assert count_header_rows([["Name", "Size"], ["Finch", f"1{gap * 150_000}x"]]) == 1
