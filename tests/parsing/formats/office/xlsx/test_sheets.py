"""Workbooks: sections, tables with their headers, texts beside them, numbers as they are shown, and limits."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType, Document
from chunking.parsing import parse, parse_file
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.office.xlsx import workbook as workbook_module
from chunking.parsing.formats.office.xlsx.reader import read_sheets
from tests.parsing.formats.office.office_files import DRAWING, KINDS, SHEETS, column_name, relations, workbook
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files

pytestmark = pytest.mark.filterwarnings("error")


def read(data: bytes) -> Document:
    document = parse(data, "book.xlsx")
    check(document)
    return document


def block_texts(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def rows(*values: tuple[str, ...], first: int = 1, left: int = 1) -> str:
    """Rows of texts and numbers as XML; an empty text is no cell."""
    lines = []
    for number, row in enumerate(values, first):
        cells = []
        for column, text in enumerate(row, left):
            kind = "" if text.lstrip("-").replace(".", "").isdecimal() else ' t="inlineStr"'
            inside = f"<v>{text}</v>" if not kind else f"<is><t>{text}</t></is>"
            cells.append(f'<c r="{column_name(column)}{number}"{kind}>{inside}</c>' if text else "")
        lines.append(f'<row r="{number}">{"".join(cells)}</row>' if row else "")
    return "".join(lines)


@pytest.mark.parametrize("path", shared_files("xlsx/*.xlsx", without="password_protected"), ids=lambda path: path.name)
def test_real_files_lose_nothing(path: Path) -> None:
    """Every text cell that openpyxl finds is in the text, and every number, formatted or not, stands in a table."""
    document = parse_file(shared_data(path))
    check(document)
    flat = " ".join(document.text.split())
    cells = 0
    for sheet in openpyxl.load_workbook(path, data_only=True):
        for row in sheet.iter_rows(values_only=True):
            for value in row:
                if isinstance(value, str):
                    assert " ".join(value.split()) in flat
                cells += isinstance(value, int | float)
    grid = sum(block.meta["rows"] * block.meta["columns"] for block in document.blocks if block.type is BlockType.TABLE)
    assert cells <= grid
    assert document.page_count == len({block.page for block in document.blocks})


def test_a_real_workbook_by_hand() -> None:
    """A section a sheet; a table with a header of two rows, an empty row under it; title, notes; numbers as shown."""
    document = parse_file(shared_data("xlsx/2023-half-year-analyses-by-segment.xlsx"))
    assert [section.title for section in document.sections] == [
        "OS-Rev.and results 30 06 2023",
        "OS-Other information 30 06 2023",
        "Prod.Rev.and results 30 06 2023",
        "Prod.-Other inform. 30 06 23",
        "Reconciliation 30 06 2023",
    ]
    tables = [block for block in document.blocks if block.type is BlockType.TABLE]
    assert [(block.page, block.meta["rows"], block.meta["columns"]) for block in tables] == [
        (1, 10, 8),
        (1, 10, 8),
        (2, 10, 5),
        (3, 9, 7),
        (3, 9, 7),
        (4, 9, 5),
        (5, 8, 3),
    ]
    first = document.text[tables[0].start : tables[0].end].split("\n")
    assert first[0] == "| In millions of CHF |  |  |  |  |  |  | January–June 2023 |"
    assert first[2] == "| Zone NA | 12,553 | 2,713 | 2,632 | -81 | -29 | -44 | -337 |"
    assert first[11] == "| Total | 46,293 | 7,904 | 7,351 | -553 | -110 | -262 | -1,722 |"
    assert document.text[tables[0].start : tables[0].meta["header_end"]].count("\n") == 2
    assert "(a) Inter-segment sales are not significant." in block_texts(document)
    assert document.title == "2023-half-year-analyses-by-segment"


def test_a_password_is_reported() -> None:
    """One sentence, before any library sees the file."""
    with pytest.raises(ParseError, match=r"password_protected\.xlsx .* password"):
        parse_file(shared_data("xlsx/password_protected.xlsx"))


def test_a_workbook_of_a_spreadsheet_program() -> None:
    """Dates, percentages, merged cells, formulas, hidden and empty sheets, as openpyxl writes them."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Birds"
    for row in (
        ["Seen in the garden"],
        ["Kind", "Seen", "Share", "Size"],
        ["Finch", datetime.date(2024, 5, 3), 0.25, 15],
        [None, datetime.date(2024, 6, 4), 0.5, 15.5],
        ["Wren", datetime.datetime(2024, 6, 4, 13, 45), 1, "=D3+D4"],
    ):
        sheet.append(row)
    for number in (3, 4, 5):
        sheet.cell(number, 3).number_format = "0%"
    sheet.merge_cells("A3:A4")
    sheet.merge_cells("A1:D1")
    book.create_sheet("Empty")
    book.create_sheet("Secret")["A1"] = "hidden words"
    book["Secret"].sheet_state = "hidden"
    buffer = io.BytesIO()
    book.save(buffer)
    document = read(buffer.getvalue())
    assert block_texts(document) == [
        "Birds",
        "Seen in the garden",
        "| Kind | Seen | Share | Size |\n| Finch | 2024-05-03 | 25% | 15 |\n| Finch | 2024-06-04 | 50% | 15.5 |\n"
        "| Wren | 2024-06-04 13:45:00 | 100% | =D3+D4 |",
        "Secret",
        "hidden words",
    ]
    assert [block.page for block in document.blocks] == [1, 1, 1, 3, 3]
    assert document.blocks[3].meta == {"hidden": True}
    assert document.page_count == 3
    assert tells(document.warnings, "sheet 'Secret' hidden", "1 formula stored result")


def test_several_tables_on_a_sheet() -> None:
    """Empty rows and two empty columns part tables; one empty column does not; words alone are paragraphs."""
    left = (("Name", "Size", "", "Seen"), ("Finch", "3", "", "5"), ("Wren", "2", "", "7"))
    below = (("Month", "Rain"), ("May", "40"))
    words = (("A word", ""), ("Another word", ""))
    sheet = rows(*left) + rows(*below, first=5) + rows(*words, first=8)
    document = read(workbook(sheet))
    assert block_texts(document)[1:] == [
        "| Name | Size | Seen |\n| Finch | 3 | 5 |\n| Wren | 2 | 7 |",
        "| Month | Rain |\n| May | 40 |",
        "A word",
        "Another word",
    ]
    side_by_side = rows(
        ("Name", "Size", "", "", "Month", "Rain"), ("Finch", "3", "", "", "May", "40"), ("", "", "", "", "June", "30")
    )
    assert block_texts(read(workbook(side_by_side)))[1:] == [
        "| Name | Size |\n| Finch | 3 |",
        "| Month | Rain |\n| May | 40 |\n| June | 30 |",
    ]


def test_a_header_with_an_empty_row_under_it() -> None:
    """Is the header of what follows, where this holds numbers in the columns that it names."""
    sheet = rows(("Name", "Size"), first=1) + rows(("Finch", "3"), ("Wren", "2"), first=3)
    table = read(workbook(sheet)).blocks[1]
    assert (table.meta["rows"], table.meta["columns"]) == (2, 2)
    apart = rows(("Name", "Size"), first=1) + rows(("Other", "words"), ("and", "more"), first=3)
    assert len(read(workbook(apart)).blocks) == 3


def test_texts_in_boxes_comments_and_charts() -> None:
    """Boxes are read after the cells, comments left out; what is not read is named."""
    box = (
        f'<xdr:wsDr xmlns:xdr="x" xmlns:a="{DRAWING}"><xdr:sp><xdr:txBody><a:p><a:r><a:t>In a '
        f"box</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    )
    comment = (
        f'<comments xmlns="{SHEETS}"><commentList><comment ref="B2"><text><r><t>Check</t></r><r><t> '
        f"this</t></r></text></comment>"
    )
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            ("drawing", "../drawings/d.xml"), ("comments", "../comments.xml")
        ),
        "xl/drawings/d.xml": box + "</xdr:wsDr>",
        "xl/drawings/_rels/d.xml.rels": relations(
            ("chart", "../charts/c.xml"), ("image", "../media/i.png"), ("image", "../media/j.png")
        ),
        "xl/comments.xml": comment + "</commentList></comments>",
    }
    document = read(workbook(rows(("word",)), parts=parts))
    assert block_texts(document)[1:] == ["word", "In a box"]
    assert [document.text[span.start : span.end] for span in document.left_out] == ["B2: Check this"]
    assert ["1 chart" in document.warnings[0], "1 comment" in document.warnings[1]] == [True, True]


def test_shared_texts_are_read_without_their_pronunciation() -> None:
    """Runs in several formats are one text; escaped characters are what they stand for; Strict files have other
    addresses.
    """
    strings = f"""<sst xmlns="{SHEETS}"><si><r><t>東</t></r><r><t>京</t></r>
        <rPh sb="0" eb="2"><t>とうきょう</t></rPh></si>
        <si><t>a_x000A_b</t></si></sst>"""
    listing = relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"))
    cells = (
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>9</v></c><c t="b"><v>1</v></c><c '
        't="e"><v>#DIV/0!</v></c></row>'
    )
    parts = {"xl/sharedStrings.xml": strings, "xl/_rels/workbook.xml.rels": listing}
    data = workbook(cells, parts=parts)
    assert block_texts(read(data))[1] == "| 東京 | a b | TRUE | #DIV/0! |"


def many_rows() -> Iterator[str]:
    """As many rows as a sheet can have, a thousand at a time."""
    for first in range(1, 300_000, 1024):
        yield "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(first, first + 1024))


def test_too_many_rows_are_refused() -> None:
    """In one sentence, as soon as the limit is passed: the rows after it are not read."""
    count = 0
    real = workbook_module.stream

    def counting(*arguments: object) -> Iterator[object]:
        nonlocal count
        for element in real(*arguments):  # type: ignore[arg-type]
            count += 1
            yield element

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chunking.parsing.formats.office.xlsx.sheet_cells.stream", counting)
        with pytest.raises(TooLargeError, match=r"The sheet 'Sheet 1' of book\.xlsx has more than 200,000 rows"):
            read(workbook(many_rows()))
    assert count == 200_001


def test_a_dimension_is_not_believed() -> None:
    """It may say too little (A1:B2 in all these files) or too much; cells far apart cost nothing."""
    sheet = rows(("Name", "Size"), ("Finch", "3")) + '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>'
    data = workbook(sheet)
    assert block_texts(read(data))[1:] == ["| Name | Size |\n| Finch | 3 |", "| 7 |"]
    assert b"A1:B2" not in data  # it is packed


def test_sixteen_thousand_columns() -> None:
    """A row as wide as a sheet is a table; a table that is mostly empty space is refused."""
    wide = "".join(f'<c r="{column_name(n)}1"><v>{n}</v></c>' for n in range(1, 16_385))
    assert read(workbook(f'<row r="1">{wide}</row>')).blocks[1].meta["columns"] == 16_384
    diagonal = "".join(
        f'<row r="{n}"><c r="{column_name(n)}{n}"><v>1</v></c><c r="{column_name(n + 1)}{n}"><v>1</v></c></row>'
        for n in range(1, 5001)
    )
    with pytest.raises(TooLargeError, match="5,000 rows and 5,001 columns"):
        read(workbook(diagonal))


def test_work_on_a_forged_sheet_is_bounded() -> None:
    """Thousands of tables side by side, and as many merged ranges that all reach to the end of the sheet."""
    cells = "".join(f'<c r="{column_name(n)}1" t="str"><v>w</v></c>' for n in range(1, 16_384, 3))
    merged = "".join(f'<mergeCell ref="{column_name(n)}1:XFD1048576"/>' for n in range(1, 16_384))
    below = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c><c r="C{n}"><v>1</v></c></row>' for n in range(2, 3000))
    data = f'<sheetData><row r="1">{cells}</row>{below}</sheetData><mergeCells>{merged}</mergeCells>'
    sheet = f'<worksheet xmlns="{SHEETS}">{data}</worksheet>'
    document = read(workbook("", parts={"xl/worksheets/sheet1.xml": sheet}))
    assert len(document.blocks) > 5000


def test_repeated_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text that many cells share, and one that is merged over a whole sheet, do not unfold without end."""
    monkeypatch.setattr("chunking.parsing.formats.office.xlsx.sheet_cells.MAX_CHARACTERS", 10_000)
    strings = f'<sst xmlns="{SHEETS}"><si><t>{"x" * 1000}</t></si></sst>'
    listing = relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"))
    parts = {"xl/sharedStrings.xml": strings, "xl/_rels/workbook.xml.rels": listing}
    with pytest.raises(TooLargeError, match="million characters"):
        read(workbook("<row>" + '<c t="s"><v>0</v></c>' * 100 + "</row>", parts=parts))
    merged = f"""<worksheet xmlns="{SHEETS}"><sheetData>{rows(("Name", "Size"), ("Finch", "3"))}</sheetData>
        <mergeCells><mergeCell ref="A1:XFD1048576"/><mergeCell ref="nonsense"/></mergeCells></worksheet>"""
    assert block_texts(read(workbook("", parts={"xl/worksheets/sheet1.xml": merged})))[1].startswith("| Name | Size |")


def test_a_damaged_sheet_is_named_and_the_others_are_read() -> None:
    """A damaged sheet is named and the others are read; damaged styles cost the formats only; entities are refused."""
    document = read(workbook(rows(("good",)), "", parts={"xl/worksheets/sheet2.xml": "<worksheet"}))
    assert tells(document.warnings, "'Sheet 2' damage")
    listing = relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"))
    parts = {"xl/styles.xml": "<x", "xl/_rels/workbook.xml.rels": listing}
    assert block_texts(read(workbook('<row><c s="1"><v>5</v></c></row>', parts=parts)))[1] == "| 5 |"
    endless = "9" * 5_000  # Python refuses to read it
    counted = f'<row r="{endless}"><c t="s"><v>{endless}</v></c><c s="{endless}"><v>7</v></c></row>'
    assert block_texts(read(workbook(counted)))[1] == "| 7 |"
    lies = (
        '<row r="x"><c r="?1" t="s" s="-1"><v>many</v></c><c r="B1" s="99"><v>1e999</v></c><c '
        't="n"><v>two</v></c></row>'
    )
    document = read(workbook(lies))
    assert block_texts(document)[1] == "| 1e999 | two |"
    assert tells(document.warnings, "1 cell damage")
    entity = f'<!DOCTYPE w [<!ENTITY x "{"y" * 100}">]><worksheet xmlns="{SHEETS}"><sheetData/></worksheet>'
    with pytest.raises(ParseError, match="entities"):
        read(workbook("", parts={"xl/worksheets/sheet1.xml": entity}))
    with pytest.raises(ParseError, match=r"book\.xlsx .* cell .* damaged"):
        read(workbook("", "", parts={"xl/worksheets/sheet2.xml": "<worksheet"}))
    with pytest.raises(ParseError, match=r"book\.xlsx"):
        read_sheets(RawFile(b"PK\x03\x04 nothing", "book.xlsx"))


def test_titles_and_categories_of_charts() -> None:
    """They come after the cells; the numbers are in cells. A damaged chart is counted, and the rest is read."""
    space = f'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="{DRAWING}"'
    names = "<c:cat><c:strCache><c:pt idx='0'><c:v>January</c:v></c:pt></c:strCache></c:cat>"
    value = "<c:val><c:numCache><c:pt idx='0'><c:v>5</c:v></c:pt></c:numCache></c:val>"
    title = "<c:title><a:p><a:r><a:t>Birds seen</a:t></a:r></a:p></c:title>"
    chart = f"<c:chartSpace {space}>{title}<c:ser><c:tx><c:v>Finches</c:v></c:tx>{names}{value}</c:ser></c:chartSpace>"
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("drawing", "../drawings/d.xml")),
        "xl/drawings/d.xml": '<xdr:wsDr xmlns:xdr="x"/>',
        "xl/drawings/_rels/d.xml.rels": relations(("chart", "../charts/c.xml")),
        "xl/charts/c.xml": chart,
    }
    document = read(workbook(rows(("word",)), parts=parts))
    assert block_texts(document)[1:] == ["word", "Birds seen", "Finches, January"]
    assert not document.warnings
    damaged = read(workbook(rows(("word",)), parts=parts | {"xl/charts/c.xml": "<c"}))
    assert block_texts(damaged)[1:] == ["word"]
    assert len(damaged.warnings) == 1


def test_a_chart_sheet_is_passed_over() -> None:
    """It has no cells; the sheets keep their numbers."""
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(("Chart", "Data"), 1))
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{KINDS}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("chartsheet", "chartsheets/s.xml"), ("worksheet", "worksheets/sheet1.xml")
        ),
        "xl/chartsheets/s.xml": "<chartsheet/>",
    }
    document = read(workbook(rows(("word",)), parts=parts))
    assert [
        (section.title, block.page) for section, block in zip(document.sections, document.blocks, strict=False)
    ] == [("Data", 2)]


def test_too_many_sheets_are_refused_before_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = '<sheet name="S" r:id="r1"/>' * (workbook_module.MAX_SHEETS + 1)
    book = f'<workbook xmlns="{SHEETS}" xmlns:r="{KINDS}"><sheets>{entries}</sheets></workbook>'
    monkeypatch.setattr(
        "chunking.parsing.formats.office.xlsx.reader.read_cells", lambda *_, **__: pytest.fail("a sheet was read")
    )
    with pytest.raises(TooLargeError, match=f"5,001 sheets.*{workbook_module.MAX_SHEETS:,}"):
        read_sheets(RawFile(workbook(rows(("a", "b")), parts={"xl/workbook.xml": book}), "book.xlsx"))


def test_formats_in_a_workbook() -> None:
    """A code with brackets, one that frames a text, and one of 9 MB, which is none."""
    codes = ["(000) 000-0000", "0;-0;0;&quot;No. &quot;@", "0" * 9_000_000]
    formats = "".join(f'<numFmt numFmtId="{200 + n}" formatCode="{code}"/>' for n, code in enumerate(codes))
    cells = "".join(f'<xf numFmtId="{200 + n}"/>' for n in range(3))
    parts = {
        "xl/styles.xml": f'<styleSheet xmlns="{SHEETS}"><numFmts>{formats}</numFmts><cellXfs>{cells}</cellXfs>'
        "</styleSheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{SHEETS}"><si><t>twelve</t></si></sst>',
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")
        ),
    }
    row = (
        '<row r="1"><c r="A1" s="0"><v>5551234567</v></c><c r="B1" t="s" s="1"><v>0</v></c><c r="C1" '
        's="2"><v>7</v></c></row>'
    )
    assert block_texts(read(workbook(row, parts=parts)))[-1] == "| (555) 123-4567 | No. twelve | 7 |"


def test_the_formats_that_failed() -> None:
    """Each row of the test data says what Excel shows, beside what is read."""
    path = shared_data("wild/xlsx_format/literals.xlsx")
    lines = parse_file(path).text.split("\n")
    compared = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")][1:]
    assert compared
    assert all(cells[1] == cells[2] for cells in compared)
