"""Real Word files: laws, nothing lost against the raw XML, and what a person counts in them."""

from __future__ import annotations

import zipfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from chunking.model import BlockType, Document
from chunking.parsing import parse_file
from chunking.parsing.headings.evidence import EVIDENCE
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files


def independent_text(path: Path) -> str:
    """All text of the body and the notes, the newer of two versions of a drawing, nothing deleted."""
    texts = []
    with zipfile.ZipFile(path) as archive:
        for name in {"word/document.xml", "word/footnotes.xml", "word/endnotes.xml"}.intersection(archive.namelist()):
            for element in etree.fromstring(archive.read(name)).iter("{*}t"):
                ancestors = {etree.QName(one).localname for one in element.iterancestors()}
                if not ancestors & {"Fallback", "del", "moveFrom"}:
                    texts.append(element.text or "")
    return "".join("".join(texts).split())


@cache
def parsed(path: Path) -> Document:
    """A file, read once for all tests."""
    return parse_file(path)


@pytest.mark.parametrize("path", shared_files("docx/*.docx"), ids=lambda path: path.name)
def test_laws_and_loss(path: Path) -> None:
    """Not one character is missing."""
    document = parsed(shared_data(path))
    check(document)
    check_cutting(document)
    assert not Counter(independent_text(path)) - Counter("".join(document.text.split()))


def kinds(document: Document) -> Counter[str]:
    """How many blocks of each type."""
    return Counter(block.type.value for block in document.blocks)


def test_a_short_text_with_everything() -> None:
    """Title, subtitle, headings, bullets, numbers, a quote, a picture with its description, a table."""
    document = parsed(shared_data("docx/word_sample.docx"))
    assert [(section.level, section.title) for section in document.sections if section.level] == [
        (1, "Swimming in the lake"),
        (2, "Let’s swim!"),
        (3, "Let’s eat"),
    ]
    assert kinds(document) == {"paragraph": 9, "heading": 3, "list": 3, "image": 1, "quote": 1, "table": 1}
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert (table.meta["rows"], table.meta["columns"], table.meta["header_end"] > table.start) == (3, 3, True)
    (picture,) = (block for block in document.blocks if block.type is BlockType.IMAGE)
    assert picture.meta["path"] == "media/image1.png"


def test_headers_and_footers() -> None:
    """Of the first page, even and odd ones: each once."""
    document = parsed(shared_data("docx/docx-hdrftr.docx"))
    assert [document.text[block.start : block.end] for block in document.blocks] == ["Main document"]
    assert [span.reason for span in document.left_out] == ["page header", "page footer"]


def test_a_handbook_of_872_pages() -> None:
    """Its headings are the paragraphs of the three heading styles; lines that only look like headings are told from
    them.
    """
    path = shared_data("docx/handbook-872p.docx")
    document = parsed(path)
    root = etree.fromstring(zipfile.ZipFile(path).read("word/document.xml"))
    styled = (paragraph for paragraph in root.iter("{*}p") if (paragraph.findtext(".//{*}t") or "").strip())
    names = Counter(
        (named.values()[0] if (named := one.find("{*}pPr/{*}pStyle")) is not None else "") for one in styled
    )
    headings = [block for block in document.blocks if block.type is BlockType.HEADING]
    levels = Counter(block.level for block in headings if EVIDENCE not in block.meta)
    assert {f"Heading{level}": count for level, count in levels.items()} == {
        name: names[name] for name in ("Heading1", "Heading2", "Heading3")
    }
    guessed = {document.text[block.start : block.end]: block.level for block in headings if EVIDENCE in block.meta}
    assert guessed["a. Reconciliation"] == guessed["b. Blank Stock"] == 4
    assert len(guessed) < 0.3 * len(headings)


def test_a_diagram_of_text_boxes() -> None:
    """Each box is read once."""
    document = parsed(shared_data("docx/textbox.docx"))
    assert document.text.count("Student falls ill") == 1
    assert document.text.count("Case closed.") == 1
