"""Real pages: laws, what is lost against the tree itself, and what a person counts in them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import html

from chunking.model import BlockType, Document
from chunking.parsing import parse_file
from chunking.parsing.detection.encoding import decode
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files


def independent_text(path: Path) -> str:
    """What lxml finds in a page without what no reader sees."""
    root = html.document_fromstring(
        decode(path.read_bytes(), path.name).text.encode(), parser=html.HTMLParser(encoding="utf-8")
    )
    hidden = (
        "//script|//style|//noscript|//head|//svg|//button|//select|//*[contains(translate(@style,' "
        "',''),'display:none')]"
    )
    pictures = (
        "//span[@class='mw-editsection']|//a[@class='mw-jump-link']|//*[@aria-hidden='true' and (self::span or "
        "self::a)]"
    )
    for element in root.xpath(f"{hidden}|{pictures}|//comment()"):
        if element.getparent() is not None:
            element.drop_tree()
    return str(root.text_content())


@pytest.mark.parametrize("path", shared_files("html/*.html"), ids=lambda path: path.name)
def test_laws_and_loss(path: Path) -> None:
    """At most 0.5 % of the characters are missing, with what is left out counted as there."""
    document = parse_file(shared_data(path))
    check(document)
    check_cutting(document)
    expected, there = (
        Counter("".join(text.split()).replace("\xad", "")) for text in (independent_text(path), document.text)
    )
    assert (expected - there).total() <= 0.005 * expected.total()


@pytest.fixture(scope="module")
def duck() -> Document:
    """The article on ducks."""
    return parse_file(shared_data("html/wiki_duck.html"))


def test_sections_of_an_article(duck: Document) -> None:
    """Those of its own table of contents, counted by hand, and the title over all."""
    assert duck.title == "Duck"
    levels = Counter(section.level for section in duck.sections if section.level)
    assert levels == {1: 1, 2: 9, 3: 10}
    inside = [section.title for section in duck.sections if section.title_path[1:2] == ("Relationship with humans",)]
    assert inside == ["Relationship with humans", "Hunting", "Domestication", "Heraldry", "Cultural references"]


def test_parts_of_an_article(duck: Document) -> None:
    """The box of facts is the one table, 55 citations are one list, pictures carry their captions."""
    (table,) = (block for block in duck.blocks if block.type is BlockType.TABLE)
    assert "| Kingdom: | Animalia |" in duck.text[table.start : table.end]
    assert [block.meta["items"] for block in duck.blocks if block.type is BlockType.LIST] == [6, 55, 20, 3, 3, 26]
    captions = [block.meta.get("caption") for block in duck.blocks if block.type is BlockType.IMAGE]
    assert "Male Mandarin duck" in captions
    assert not re.search(r"\[\s*edit\s*\]", duck.text)


def test_what_is_the_site_s_and_not_the_article_s(duck: Document) -> None:
    """Menus, the links to 136 other languages and the foot of the page."""
    reasons = Counter(span.reason for span in duck.left_out)
    assert reasons["links to other languages"] == reasons["page footer"] == reasons["page header"] == 1
    assert reasons["navigation"] >= 5
    assert "Deutsch" not in duck.text[: duck.blocks[-1].end]


def test_a_data_sheet_in_utf_16() -> None:
    """Its three tables of figures are tables, the eight that lay out the page are not."""
    document = parse_file(shared_data("html/example-steelJIS-datasheet-utf-16.html"))
    tables = [
        document.text[block.start : block.end].split("\n") for block in document.blocks if block.type is BlockType.TABLE
    ]
    assert [len(lines) for lines in tables] == [2, 3, 2]
    assert tables[0][0] == "| C | Si | Mn | P | S | Cr | Mo |"
    assert document.encoding == "utf-16-le"
    assert "日本語" in document.text
