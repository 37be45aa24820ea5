"""Tables in tables, in every format that has them: the outer one keeps its rows, and no word is lost."""

from __future__ import annotations

import pytest

from chunking.errors import ParseError
from chunking.model import BlockType, Document
from chunking.parsing import parse
from tests.parsing.formats.office.odt_files import odt
from tests.parsing.samples import docx, epub, page
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

Cells = list[list["str | Cells"]]

INNER: Cells = [["CPU", "4"], ["RAM", "8"]]
PLANS: Cells = [["Plan", "Price", "Limits"], ["Basic", "10", "none"], ["Pro", "20", INNER]]
SHOWN = "| Plan | Price | Limits |\n| Basic | 10 | none |\n| Pro | 20 | CPU 4 RAM 8 |"


def html(cells: Cells) -> str:
    rows = ("".join(f"<td>{one if isinstance(one, str) else html(one)}</td>" for one in row) for row in cells)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def word(cells: Cells) -> str:
    rows = (
        "".join(f"<w:tc>{_word_text(one) if isinstance(one, str) else word(one) + '<w:p/>'}</w:tc>" for one in row)
        for row in cells
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def _word_text(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def open_document(cells: Cells) -> str:
    def cell(one: str | Cells) -> str:
        inside = f"<text:p>{one}</text:p>" if isinstance(one, str) else open_document(one)
        return f"<table:table-cell>{inside}</table:table-cell>"

    rows = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in cells)
    return f"<table:table>{rows}</table:table>"


def rich_text() -> bytes:
    """As Word writes it: cells of the inner table end in `nestcell`, its rows in properties that are skipped."""
    nested = r"\pard\intbl\itap2 CPU\nestcell 4\nestcell{\*\nesttableprops\trowd\cellx1\nestrow}{\nonesttables\par}"
    nested += r"RAM\nestcell 8\nestcell{\*\nesttableprops\trowd\cellx1\nestrow}{\nonesttables\par}\pard\intbl\itap1"
    rows = "".join(rf"\trowd\pard\intbl {one[0]}\cell {one[1]}\cell {one[2]}\cell\row" for one in PLANS[:2])
    return rf"{{\rtf1\ansi {rows}\trowd\pard\intbl Pro\cell 20\cell {nested}\cell\row\pard}}".encode()


def mail(body: str) -> bytes:
    return f"From: a@b.org\nSubject: Plans\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>Hello</p>{body}".encode()


def tables(document: Document) -> list[str]:
    check(document)
    return [document.text[block.start : block.end] for block in document.blocks if block.type is BlockType.TABLE]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (page(f"<p>x</p>{html(PLANS)}").encode(), "a.html"),
        (docx(_word_text("x") + word(PLANS) + _word_text("y")), "a.docx"),
        (odt(f"<text:p>x</text:p>{open_document(PLANS)}"), "a.odt"),
        (epub(f"<p>x</p>{html(PLANS)}"), "a.epub"),
        (mail(html(PLANS)), "a.eml"),
    ],
    ids=["html", "docx", "odt", "epub", "eml"],
)
def test_the_outer_table_stays_a_table(data: bytes, name: str) -> None:
    """The inner one is text of its cell."""
    assert tables(parse(data, name)) == [SHOWN]


def test_a_nested_table_is_read_from_rtf() -> None:
    """In RTF too."""
    assert tables(parse(rich_text(), "a.rtf")) == [SHOWN]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([["a", "b"], ["c", [["1", "2"], ["3", "4"]]]], "| a | b |\n| c | 1 2 3 4 |"),
        ([["Old", "New"], [[["1", "2"]], [["3", "4"]]]], "| Old | New |\n| 1 2 | 3 4 |"),
        ([["a", "b"], ["c", [["1", [["x", "y"], ["z", "w"]]], ["3", "4"]]]], "| a | b |\n| c | 1 x y z w 3 4 |"),
        ([["a", [["1", "2"], ["3", "4"]]], ["b", "c"]], "| a | 1 2 3 4 |\n| b | c |"),
    ],
)
def test_nested_tables_are_read_in_every_arrangement(cells: Cells, expected: str) -> None:
    """A single inner row, one in the first row, one in each cell, three levels: in Word and in OpenDocument."""
    assert tables(parse(docx(word(cells)), "a.docx")) == [expected]
    assert tables(parse(odt(open_document(cells)), "a.odt")) == [expected]


def test_a_long_inner_table_follows_the_outer_one() -> None:
    """It is a table of its own, and what stands beside it in its cell stays."""
    long: Cells = [["Item", "Size"]]
    for n in range(50):
        long.append([f"item {n} of the list", str(n)])
    rows = html([["Plan", "Price", "Limits"], ["Basic", "10", "none"], ["Pro", "20", "see LONG below"]]).replace(
        "LONG", html(long)
    )
    outer, inner = tables(parse(page(f"<p>x</p>{rows}<p>end</p>").encode(), "a.html"))
    assert outer.endswith("| Pro | 20 | see below |")
    assert inner.startswith("| Item | Size |\n| item 0 of the list | 0 |")
    assert inner.count("\n") == 50


def test_tables_that_lay_out_a_page_are_none() -> None:
    """A menu beside the content, headings in cells, long texts, and what says that it is there for the looks."""
    layout = (
        f"<table><tr><td><a "
        f"href='/'>Home</a></td><td><h1>Plans</h1>{html(INNER)}</td></tr><tr><td>x</td><td>y</td></tr></table>"
    )
    assert tables(parse(page(layout).encode(), "a.html")) == ["| CPU | 4 |\n| RAM | 8 |"]
    words = "The plan is long. " * 30
    assert tables(parse(page(html([["a", words], ["c", INNER]])).encode(), "a.html")) == ["| CPU | 4 |\n| RAM | 8 |"]
    markup = html(PLANS).replace("<table>", "<table role='presentation'>", 1)
    assert tables(parse(page(markup).encode(), "a.html")) == ["| CPU | 4 |\n| RAM | 8 |"]


@pytest.mark.parametrize("depth", [20, 10_000])
@pytest.mark.parametrize("kind", ["html", "docx", "odt"])
def test_tables_in_one_another_without_end(kind: str, depth: int) -> None:
    """They are read, or one sentence says that there are too many; the work does not grow with the square of them."""
    pages = {
        "html": lambda: page("<table><tr><td>a<td>b<tr><td>c<td>" * depth).encode(),
        "docx": lambda: docx(
            "<w:tbl><w:tr><w:tc>" * depth + _word_text("word") + "<w:p/></w:tc></w:tr></w:tbl>" * depth
        ),
        "odt": lambda: odt(
            "<table:table><table:table-row><table:table-cell>" * depth + "<text:p>word</text:p>" + _CLOSED * depth
        ),
    }
    data = pages[kind]()
    if kind == "html" or depth < 1000:
        assert parse(data, f"a.{kind}").text.split()
    else:
        with pytest.raises(ParseError, match=f"a.{kind} "):
            parse(data, f"a.{kind}")


_CLOSED = "</table:table-cell></table:table-row></table:table>"


def test_the_file_that_failed() -> None:
    """The outer table of the test data keeps its rows."""
    path = shared_data("wild/docx_nested_table/d3.docx")
    assert tables(parse(path.read_bytes(), path.name)) == [
        "| Plan | Price | Limits |\n| Basic | 10 | see |\n| Pro | 20 | see CPU 4 RAM 8 |"
    ]
