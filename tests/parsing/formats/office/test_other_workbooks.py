"""Workbooks that are not XLSX: the same model, and files that would fill this machine."""

from __future__ import annotations

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing import parse, parse_guarded
from tests.parsing.safe_input.archive_files import replaced
from tests.support.laws_documents import check
from tests.support.workbook_files import compound, ods, xls, xls_stream, xlsb, xlsb_sheet

BIRDS = {
    "Counts": [
        ["Counts at the hide", "", ""],
        ["Species", "Morning", "Evening"],
        ["Bittern", 2, 1.5],
        ["Reed warbler", 14, 0.1 + 0.2],
        ["", "", ""],
        ["", "", ""],
        ["All were counted from the path, before breakfast.", "", ""],
    ],
    "Empty": [],
    "水位记录": [["日期", "水位"], ["星期一", 81]],
}
MAKERS = {"xls": xls, "xlsb": xlsb, "ods": ods}


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_is_the_same_model(kind: str) -> None:
    """Titles, tables with their headers and texts as in an XLSX file; sheets are sections and pages; empty ones are
    passed over.
    """
    read = parse(MAKERS[kind](BIRDS), f"birds.{kind}")
    check(read)
    assert (read.format, read.title, read.page_count, read.warnings) == (kind, "birds", 3, ())
    assert [(block.type, block.page) for block in read.blocks] == [
        (BlockType.HEADING, 1),
        (BlockType.PARAGRAPH, 1),
        (BlockType.TABLE, 1),
        (BlockType.PARAGRAPH, 1),
        (BlockType.HEADING, 3),
        (BlockType.TABLE, 3),
    ]
    assert "| Bittern | 2 | 1.5 |\n| Reed warbler | 14 | 0.3 |" in read.text
    assert [
        block.meta["header_rows"]
        for block in read.blocks
        if block.type is BlockType.TABLE and "header_rows" in block.meta
    ] in (
        [],
        [1, 1],
    )
    assert read.text == parse(xls(BIRDS), "birds.xls").text


def test_a_workbook_of_excel_5_and_one_in_another_file() -> None:
    """By the name of its stream; beside those of a Word document or a message it is a part of that."""
    assert parse(xls(BIRDS, "Book"), "old.xls").format == "xls"
    for stream, says in (("WordDocument", "Word document"), ("EncryptedPackage", "password")):
        with pytest.raises(ParseError, match=says):
            parse(compound({"Workbook": xls_stream(BIRDS), stream: b""}), "old.xls")


def test_a_wrong_ending_is_reported() -> None:
    """The content decides."""
    read = parse(ods(BIRDS), "birds.xlsx")
    assert read.format == "ods"
    assert ".xlsx" in read.warnings[0]


_CELL = 'office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>'
_WIDE = f'<table:table-cell table:number-columns-repeated="16384" {_CELL}'
_FAR = {(0, 0): 1.0, (1_048_575, 16_383): 2.0}
HOSTILE = {
    "rows.ods": ods(BIRDS, rows=f'<table:table-row table:number-rows-repeated="1048576">{_WIDE}</table:table-row>'),
    "far.xlsb": xlsb({"a": []}, {"xl/worksheets/sheet1.bin": xlsb_sheet([], _FAR)}),
    "bomb.ods": replaced(ods(BIRDS), {"padding.xml": bytes(100 << 20)}),
    "entities.ods": ods(BIRDS, head='<!DOCTYPE a [<!ENTITY b "c">]>'),
    "locked.ods": replaced(ods(BIRDS), {"META-INF/manifest.xml": "<manifest:encryption-data/>"}),
    "cut.xls": xls(BIRDS)[:3_000],
    "loop.xls": xls(BIRDS)[:512] + b"\0" * 512 + xls(BIRDS)[1024:],
    "noise.xls": compound({"Workbook": bytes(range(256)) * 40}),
    "noise.xlsb": xlsb({"a": []}, {"xl/worksheets/sheet1.bin": b"\xff" * 4000}),
    "no_sheet.xlsb": xlsb({"a": []}, {"xl/workbook.bin": b"\x83\x01\x00" * 50}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_sentence(name: str) -> None:
    """In the guarded process, with its limits; the next file is read."""
    with pytest.raises(ParseError) as caught:
        parse_guarded(HOSTILE[name], name)
    sentence = str(caught.value)
    assert name in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert isinstance(caught.value, TooLargeError) == (name in ("far.xlsb", "bomb.ods"))
    assert parse_guarded(xls(BIRDS), "birds.xls").format == "xls"
