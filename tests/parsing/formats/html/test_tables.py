"""Tables of pages: headers, cells over several columns and rows, layout, and bounds."""

from __future__ import annotations

import pytest

from chunking.errors import TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.html import html_tables
from chunking.parsing.formats.html.reader import read_html


def read(markup: str) -> Reading:
    """The reading of a page."""
    return read_html(RawFile(markup.encode(), "page.html"))


def table(markup: str) -> tuple[list[str], int]:
    """The lines of the only table of a page, and how many of them are its header."""
    reading = read(markup)
    (block,) = (block for block in reading.blocks if block.type is BlockType.TABLE)
    text = reading.text[block.start : block.end]
    return text.split("\n"), text[: block.meta.get("header_end", block.start) - block.start].count("\n")


def test_header_cells_over_several_columns_name_each() -> None:
    """And those over several rows stand in each, as short cells of the body do."""
    markup = (
        "<table><thead><tr><th rowspan=2>Region<th colspan=2>Sales<tr><th>Q1<th>Q2</thead>"
        "<tr><td rowspan=2>Asia<td>1<td>2<tr><td>3<td>4<tr><td colspan=3>All in thousands</table>"
    )
    lines = [
        "| Region | Sales | Sales |",
        "| Region | Q1 | Q2 |",
        "| Asia | 1 | 2 |",
        "| Asia | 3 | 4 |",
        "| All in thousands |  |  |",
    ]
    assert table(markup) == (lines, 2)


def test_a_cell_over_the_whole_table_is_its_caption() -> None:
    """It names no column."""
    reading = read(
        "<table><caption>Birds</caption><tr><th colspan=2>of "
        "Europe<tr><th>Order<td>Passeriformes<tr><th>Family<td>Finches</table>"
    )
    assert [(block.type.value, block.meta.get("caption")) for block in reading.blocks] == [
        ("paragraph", None),
        ("table", "Birds of Europe"),
    ]
    assert reading.text == "Birds of Europe\n\n| Order | Passeriformes |\n| Family | Finches |"


def test_a_header_without_header_cells_is_guessed() -> None:
    """Words over numbers."""
    assert table("<table><tr><td>Bird<td>Size<tr><td>Finch<td>12<tr><td>Crow<td>47</table>")[1] == 1
    assert table("<table><tr><td>1<td>2<tr><td>3<td>4</table>")[1] == 0
    assert table("<table><tr><td>(i)<td>Forward<td>left<tr><td>(ii)<td>Back<td>right</table>")[1] == 0
    assert table("<table><tr><td>Name<td>Finch<tr><td>Order<td>Passeriformes</table>")[1] == 0


def test_what_stands_in_cells_is_one_line() -> None:
    """Paragraphs, line ends, lists and tables in a cell of a table with a header; pipes are escaped, columns for looks
    dropped.
    """
    markup = (
        "<table><tr><th>a<th><th>b<tr><td><p>1<p>2<br>3<td>&nbsp;"
        "<td><ul><li>x|y</ul><table><tr><td>i<td>j</table></table>"
    )
    assert table(markup)[0] == ["| a | b |", "| 1 2 3 | x\\|y i j |"]


@pytest.mark.parametrize(
    "markup",
    [
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "<table><tr><td>a<td>b c d</table>",
        "<table><tr><td>a<tr><td>b<tr><td>c d</table>",
        "<table><tr><td>a<td><table><tr><td>b</table><tr><td>c<td>d</table>",
        "<table><tr><form><td>a<td>b</form><tr><td>c<td>d</table>",
        "<table>a<tr><td>b<td>c<tr><td>d</table>",
    ],
)
def test_a_table_that_lays_out_a_page_is_no_table(markup: str) -> None:
    """By its role, one row or column, a table in it, or text outside of its cells; no word of it is lost."""
    reading = read(markup)
    assert not any(block.type is BlockType.TABLE for block in reading.blocks)
    assert reading.text.split() == ["a", "b", "c", "d"]


def test_forged_spans_cost_nothing() -> None:
    """A cell over ten million columns and rows is one cell of the table there is."""
    lines, _ = table("<table><tr><th colspan=9999999 rowspan=9999999>a</th><th>b</th></tr><tr><td>1</td></tr></table>")
    assert lines == ["| a | b |", "| 1 |  |"] or max(map(len, lines)) < 20_000
    assert len("".join(lines)) < 50_000


def test_a_table_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of cells, those that fill up short rows included."""
    monkeypatch.setattr(html_tables, "MAX_CELLS", 100)
    ragged = "<table><tr>" + "<td>x" * 30 + "<tr><td>y" * 10 + "</table>"
    with pytest.raises(TooLargeError, match=r"^page\.html .* 100 cells"):
        read(ragged)


def test_what_spans_add_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short cell of many rows stands in each of them: the text grows by far more than the page."""
    monkeypatch.setattr(html_tables, "MAX_REPEATED", 1_000)
    tall = (
        "<table><tr><td rowspan=50>Some words that are repeated</td><th>x</th></tr>"
        + "<tr><td>y</td></tr>" * 49
        + "</table>"
    )
    with pytest.raises(TooLargeError, match=r"1,000"):
        read(tall)
    read(tall.replace("rowspan=50", "rowspan=5"))
