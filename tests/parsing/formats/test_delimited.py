"""CSV and TSV: the text is the source, every row has its offset, and no quote or delimiter breaks that."""

from __future__ import annotations

import csv
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.errors import TooLargeError
from chunking.model import Block, BlockType, Document
from chunking.parsing import parse, parse_file
from chunking.parsing.formats import delimited
from chunking.parsing.formats.delimited import split_row
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files

fields = st.text(alphabet=st.sampled_from('ab,;"\n\r 中|\t'), max_size=8)


def read(text: str | bytes, name: str = "a.csv") -> Document:
    data = text.encode() if isinstance(text, str) else text
    document = parse(data, name)
    check(document)
    if isinstance(text, str):
        assert document.text == text
    return document


def table(document: Document) -> Block:
    """Its only table."""
    (only_table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    return only_table


def cells(document: Document) -> list[list[str]]:
    """The fields of the header and body rows, by the offsets in the table's meta."""
    block = table(document)
    starts = [*([block.start] if "header_end" in block.meta else []), *block.meta["row_starts"], block.end]
    rows = (document.text[start:end].rstrip("\r\n") for start, end in pairwise(starts))
    return [split_row(row, block.meta["delimiter"]) for row in rows]


def test_real_delimited_files_are_read() -> None:
    """A file with semicolons and commas, and one with lines of 7,000 characters, row by row as by the csv module."""
    for path, delimiter in zip(map(shared_data, shared_files("xlsx/*.csv")), ",;", strict=True):
        document = parse_file(path)
        check(document)
        expected = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")), delimiter=delimiter))
        assert cells(document) == [row for row in expected if row]
        block = table(document)
        assert (block.meta["rows"], block.meta["columns"]) == (len(expected) - 1, len(expected[0]))
        chunks = chunk_document(document)
        assert all(document.text[chunk.start : chunk.end] == chunk.content for chunk in chunks)


@given(
    st.lists(st.lists(fields, min_size=3, max_size=3), min_size=2, max_size=6),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes(rows: list[list[str]], delimiter: str, line_end: str) -> None:
    """Any fields, any delimiter: the rows found are the rows written."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
    text = f"sep={delimiter}\n" + buffer.getvalue()
    assert cells(read(text)) == rows


def test_fields_over_several_lines() -> None:
    """A quoted field holds delimiters, doubled quotes and line ends; lines of the file are counted all the same."""
    document = read('name,note\r\n"Finch","one, ""two""\r\nthree"\r\nWren,four\r\n')
    assert cells(document) == [["name", "note"], ["Finch", 'one, "two"\r\nthree'], ["Wren", "four"]]
    block = table(document)
    assert (block.meta["rows"], block.line) == (2, 1)
    assert document.text[block.meta["header_end"] :].startswith('"Finch"')
    assert document.warnings == ()


def test_a_stray_quote_costs_no_row() -> None:
    """One that opens a field and is not closed is a character; the csv module takes the next rows for its field."""
    document = read('name,size\n"Finch,3\nWren,2\n"Owl","40"\nJay,"unclosed')
    assert [row[0] for row in cells(document)] == ["name", '"Finch', "Wren", "Owl", "Jay"]
    assert tells(document.warnings, "quotation mark line 2 not closed")
    assert [row[1] for row in cells(read('pipe,size\nsteel,5" wide\nlead,6" wide'))] == ["size", '5" wide', '6" wide']


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("name;price\nFinch;1,5\nWren;2,5", ";", 2),
        ("name\tsize, cm\nFinch\t3, 4\nWren\t2, 3", "\t", 2),
        ("name|size\nFinch|3\nWren|2", "|", 2),
        ('"a;b","c;d"\n"e;f","g;h"', ",", 2),
        ("sep=|\na,b|c\nd,e|f", "|", 2),
        ("a\nb\nc\nd", ",", 1),
    ],
)
def test_the_delimiter_is_detected(text: str, delimiter: str, columns: int) -> None:
    """What parts the rows alike; what a first line of Excel says; one short value a line is a column."""
    meta = table(read(text)).meta
    assert (meta["delimiter"], meta["columns"]) == (delimiter, columns)


def test_words_over_numbers_are_a_header() -> None:
    """Words over numbers are a header, rows of numbers only have none, and years may be one."""
    assert table(read("name,size\nFinch,3\nWren,2")).meta["rows"] == 2
    assert "header_end" not in table(read("1,2\n3,4\n5,6")).meta
    assert table(read("kind,2023,2024\nFinch,3,5\nWren,2,6")).meta["rows"] == 2
    assert "header_end" not in table(read("x,x\nx,x\nx,x")).meta


def test_what_stands_around_the_table() -> None:
    """A title above the table is a paragraph, blank lines are no rows, the first field of a row may be empty."""
    document = read("Birds of the garden\n\n\tsize\tseen\nFinch\t3\t5\n\nWren\t2\t7\n\n", "a.tsv")
    assert [(block.type.value, block.line) for block in document.blocks] == [("paragraph", 1), ("table", 3)]
    assert cells(document)[0] == ["", "size", "seen"]
    assert [document.text[start : start + 4] for start in table(document).meta["row_starts"]] == ["Finc", "Wren"]
    assert document.text[table(document).start] == "\t"


_BODY = [["bolt", "1", "2.5"], ["nut", "3", "4"], ["screw", "7", "1"]]
_HEAD = ["Name", "Qty", "Price"]


@pytest.mark.parametrize(
    "preamble",
    [
        [["Report"]],
        [["Report", "", ""]],
        [["", "Report", ""], ["", "", ""]],
        [["Report", "", ""], ["Date", "2024-01-01", ""], ["", "", ""]],
        [["Stand:", "gestern", ""]],
        [["Report"], ["Date", "2024-01-01"]],
        [["Made by a tool", "in its second version", "on a Monday", "for all"]],
        [["Report", "", ""], ["By", "Ann", ""], ["For", "Bob", ""]],
        [["制表日期：", "2024年1月1日", ""], []],
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_stands_above_the_header(preamble: list[list[str]], delimiter: str, line_end: str) -> None:
    """Titles, dates and remarks, padded or not, are a paragraph; the header is the row that fills the columns."""
    document = read(line_end.join(delimiter.join(row) for row in [*preamble, _HEAD, *_BODY]), "a.csv")
    assert [block.type.value for block in document.blocks] == ["paragraph", "table"]
    assert cells(document) == [_HEAD, *_BODY]
    block = table(document)
    assert (block.meta["rows"], document.text[block.start : block.meta["header_end"]].rstrip()) == (
        3,
        delimiter.join(_HEAD),
    )


@pytest.mark.parametrize(
    ("text", "header"),
    [
        (",2023,\nRegion,Sales,Profit\nAsia,5,1\nEU,3,4", ",2023,\nRegion,Sales,Profit\n"),
        ("Region,2023,,2024,\n,Q1,Q2,Q1,Q2\nN,1,2,3,4\nS,5,6,7,8", "Region,2023,,2024,\n,Q1,Q2,Q1,Q2\n"),
        ("Name,Qty,\nbolt,1,x\nnut,2,y", "Name,Qty,\n"),
        ("a,b,c\nr1,1,2,3\nr2,4,5,6", "a,b,c\n"),
        ("Name,Qty,Note\nbolt,1,\nnut,2,\nscrew,3,rusty", "Name,Qty,Note\n"),
        ("Name,Town,Note\nAnn,Ulm,\nBob,Bonn,\nCy,Jena,late", "Name,Town,Note\n"),
    ],
)
def test_headers_that_are_no_titles(text: str, header: str) -> None:
    """A header of two rows, one with a column that has no name, one that has fewer fields than the rows, and sparse
    rows.
    """
    block = table(read(text))
    assert text[block.start : block.meta["header_end"]] == header


def test_rows_without_header_are_no_titles() -> None:
    """A first row with gaps over numbers is a row."""
    document = read("1,,\n2,3,4\n5,6,7")
    assert (table(document).start, table(document).meta["rows"]) == (0, 3)


_words = st.text(alphabet="abcdefgh ", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(st.lists(_words, min_size=1, max_size=5), st.integers(3, 6), st.integers(2, 8), st.booleans())
def test_title_rows_above_a_table_are_found(titles: list[str], width: int, rows: int, padded: bool) -> None:
    """However many title rows there are, and however wide the table is."""
    head = [f"Col {n}" for n in range(width)]
    body = [[str(10 * row + n) for n in range(width)] for row in range(rows)]
    preamble = [[title, *[""] * (width - 1)] if padded else [title] for title in titles]
    assert cells(read("\n".join(",".join(row) for row in [*preamble, head, *body]))) == [head, *body]


def test_a_real_report_has_its_title_above_the_header() -> None:
    """A report with its date and an empty row above the header."""
    document = parse_file(shared_data("wild/csv_preamble/c5.csv"))
    assert cells(document) == [["Name", "Qty", "Price"], ["bolt", "1", "2"], ["nut", "3", "4"]]
    assert document.text[: table(document).start].startswith("Report")


def test_ragged_rows_are_named() -> None:
    """They are read, and the first is named with its line."""
    document = read("a,b,c\n1,2,3\n4,5\n6,7,8\n9,10,11,12\n")
    assert tells(document.warnings, "2 rows 3 fields first line 3")


def test_prose_is_read_as_text() -> None:
    """With a warning, and with the blocks of a text."""
    document = read("Dear all, this is no table.\n\nIt has commas, as letters do, and nothing else.\n\nYours, me.")
    assert [block.type.value for block in document.blocks] == ["paragraph"] * 3
    assert tells(document.warnings, "a.csv no columns plain text")


def test_encodings_and_nul() -> None:
    """A byte order mark, GB 18030, and NUL bytes: as in every text."""
    assert cells(read("\ufeffname,size\nFinch,3".encode("utf-8")))[0] == ["name", "size"]
    text = "名称,大小,备注\n燕雀,3,这是在花园里常见的鸟\n鹪鹩,2,它的叫声很大,我们都知道\n"
    assert read(text.encode("gb18030")).text == text
    document = read(b"name,size\nFin\0ch,3\n" + b"Wren,2\n" * 50)
    assert cells(document)[1] == ["Fin\ufffdch", "3"]
    assert any("NUL" in warning for warning in document.warnings)


def test_a_field_of_fifty_kilobytes() -> None:
    """No limit of the csv module is met; the table's rows stay exact."""
    long = "word " * 40_000
    assert cells(read(f'name,text\nFinch,"{long}"\nWren,2'))[1:] == [["Finch", long], ["Wren", "2"]]


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes made to be searched in vain, and more rows than are kept."""
    for text in (',"a' * 100_000, '"' * 200_001, ',"\n' * 50_000, ',"" x' * 50_000):
        read("a,b\n" * 5 + text)
    monkeypatch.setattr(delimited, "MAX_ROWS", 10)
    with pytest.raises(TooLargeError, match=r"a\.csv has more than 10 rows"):
        read("a,b\n" * 20)


@pytest.mark.parametrize("text", ["sep=;\n", "sep=;\r\n\r\n  \n", "sep=;"])
def test_a_separator_of_nothing(text: str) -> None:
    """The line that names it is all there is, so it is the text."""
    document = parse(text.encode(), "a.csv")
    check(document)
    assert document.text.strip() == "sep=;"
