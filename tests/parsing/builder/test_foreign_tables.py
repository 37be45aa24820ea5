"""Tables in HTML and in pipe rows, as parsers of layouts write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.builder.foreign_tables import ForeignTable, read_grid, read_pipes

TAGS = [
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th>",
    "<td colspan=3>",
    "<td rowspan=2>",
    "<thead>",
    "<tbody>",
    "<br>",
    "<p>",
    "\n",
]
WORDS = ["x", "y", "|", "1", "<", ">", "&amp;", "&lt;"]


@pytest.mark.parametrize(
    ("markup", "rows", "header"),
    [
        (
            "<html><body><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>",
            (("a", "b"), ("1", "2")),
            1,
        ),
        ("<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>", (("a", "b"), ("1", "2"), ("3", "4")), 1),
        ("<table><tr><td>only</table>", (("only",),), 0),
        ("<table><tr><td>a<td>b</table>", (("a", "b"),), 0),
        ("<tr><td>Name<td>Size<tr><td>Owl<td>40", (("Name", "Size"), ("Owl", "40")), 1),
        ("<table>no rows</table>", (("no rows",),), 0),
        (
            "<table><tr><th>a<th>b<tr><td>1<td>2</table><table><tr><td>3<td>4</table>",
            (("a", "b"), ("1", "2"), ("3", "4")),
            1,
        ),
        ("| a | b |\n|---|:-:|\n| 1 | x\\|y |", (("a", "b"), ("1", "x|y")), 1),
        ("a line\n\nanother", (("a line",), ("another",)), 0),
        ("", (), 0),
    ],
)
def test_rows_are_read_from_every_markup(markup: str, rows: tuple[tuple[str, ...], ...], header: int) -> None:
    """Whatever form it has; what is no table is a row a line."""
    grid = read_grid(markup, "x")
    assert (grid.rows, grid.header_rows) == (rows, header)


def test_a_header_of_two_rows_without_header_cells() -> None:
    """A first row that groups columns goes on in the row under it."""
    markup = "<table><tr><td rowspan=2>Name<td colspan=2>Size<tr><td>cm<td>kg<tr><td>Owl<td>40<td>1</table>"
    grid = read_grid(markup, "x")
    assert grid.header_rows == 2
    assert grid.rows[1:] == (("Name", "cm", "kg"), ("Owl", "40", "1"))


def test_a_caption_is_no_row() -> None:
    """It is given beside the rows."""
    assert read_grid("<table><caption>Birds</caption><tr><th>a<th>b<tr><td>1<td>2</table>", "x").caption == "Birds"


@given(st.lists(st.sampled_from(TAGS + WORDS), max_size=40).map("".join))
def test_no_markup_breaks_a_table(markup: str) -> None:
    """Nothing breaks it, and its header is within its rows."""
    grid = read_grid(markup, "x")
    assert isinstance(grid, ForeignTable)
    assert 0 <= grid.header_rows <= max(len(grid.rows), 1)


@pytest.mark.parametrize("text", ["", "a | b", "a\nb", "| a |", "| a |\n| b |", "text\n---"])
def test_lines_without_a_rule_are_no_pipe_table(text: str) -> None:
    """A rule under the first row makes the table."""
    assert read_pipes(text) is None
