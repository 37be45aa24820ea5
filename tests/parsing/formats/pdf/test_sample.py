"""The data sheet among the sample documents: what it promises to show."""

from __future__ import annotations

import pytest

from chunking.model import BlockType, Document
from chunking.parsing import parse
from docs.sample_pdf import PATH, SPECIFICATION, datasheet
from tests.support.laws_documents import check


@pytest.fixture(scope="module")
def document() -> Document:
    return parse(PATH.read_bytes(), "datasheet/heron-g4-datasheet.pdf")


def test_it_is_what_the_script_writes() -> None:
    """The same bytes at every run: `python -m docs.sample_pdf` brings it up to date."""
    assert PATH.read_bytes() == datasheet()


def test_its_sections_are_its_bookmarks(document: Document) -> None:
    """Twenty-one, on two levels, under the title that is printed above the first of them."""
    check(document)
    titles = [section.title for section in document.sections]
    assert titles[1:4] == ["1 How the system works", "1.1 Radio", "1.2 Storage"]
    assert titles[-1] == "6.3 保修"
    assert document.doc_toc.count("\n  ") == 21
    assert document.doc_toc.count("\n    ") == 15


def test_it_shows_what_pdfs_are_like(document: Document) -> None:
    """A table of 25 rows, paragraphs over a column and a page break, furniture, run-in words that are no headings."""
    tables = [block for block in document.blocks if block.type is BlockType.TABLE]
    assert [block.meta["rows"] for block in tables] == [len(SPECIFICATION) - 1, 6] == [25, 6]
    broken = [
        block
        for block in document.blocks
        if len({place.page for place in document.locations_in(block.start, block.end)}) > 1
    ]
    assert [document.text[block.start :][:11] for block in broken] == ["Ten minutes"]
    assert {one.reason for one in document.left_out} == {"running header", "page number"}
    assert "Open mode. The gateway can also send" in document.text
    assert document.page_count == 4
    assert not document.warnings
