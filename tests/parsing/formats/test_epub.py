"""E-books page by page: reading order, sections by the table of contents, what is missing or locked; and a real one."""

from __future__ import annotations

from collections import Counter

import pytest

from chunking.errors import ParseError
from chunking.parsing import parse, parse_file
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.epub import read_epub
from tests.parsing.samples import epub, page
from tests.support.block_texts import block_texts
from tests.support.facts import tells
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

CHAPTERS = {
    "c1.xhtml": "<h1>One</h1><p>first</p><h2>Inside</h2><p>x</p>",
    "c2.xhtml": "<p id='s'>Second chapter</p><p>second</p>",
}


def opf(spine: str, extra: str = "", names: tuple[str, ...] = tuple(CHAPTERS)) -> str:
    """The package of a book in a folder; items are called by their names up to the dot."""
    items = "".join(
        f'<item id="{name.split(".")[0]}" href="text%20of/{name}" media-type="application/xhtml+xml"/>'
        for name in names
    )
    order = "".join(f'<itemref idref="{one}"/>' for one in spine.split())
    return (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title> The\n book "
        f"</dc:title></metadata><manifest>{items}{extra}</manifest><spine>{order}</spine></package>"
    )


def read(spine: str = "c1 c2", extra: str = "", **parts: str) -> Reading:
    """The reading of a book of two chapters."""
    chapters = {f"text of/{name}": page(body, title="no") for name, body in CHAPTERS.items()}
    others = {name.replace("__", "/").replace("_", "."): content for name, content in parts.items()}
    return read_epub(RawFile(epub(parts={"book.opf": opf(spine, extra), **chapters, **others}), "a.epub"))


def ncx(*entries: str) -> str:
    """A table of contents of EPUB 2."""
    return (
        f'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "x.dtd"><ncx '
        f'xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{"".join(entries)}</navMap></ncx>'
    )


def point(label: str, target: str, *inside: str) -> str:
    """One of its entries."""
    return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{target}"/>{"".join(inside)}</navPoint>'


NCX_ITEM = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
NAV_ITEM = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'


def test_pages_come_in_the_order_of_the_spine() -> None:
    """Each once; the title is that of the package."""
    reading = read("c2 c1 c2")
    assert [text for _, text in block_texts(reading)] == ["Second chapter", "second", "One", "first", "Inside", "x"]
    assert (reading.title, reading.warnings) == ("The book", ())


def test_sections_of_a_nested_table_of_contents() -> None:
    """It levels headings and what stands under them, and makes one of a line that says the same."""
    contents = ncx(
        point(
            "Part",
            "text%20of/c1.xhtml",
            point("One", "text of/c1.xhtml#gone"),
            point("Second chapter", "text%20of/c2.xhtml#s"),
        )
    )
    assert block_texts(read(extra=NCX_ITEM, toc_ncx=contents)) == [
        ("heading1", "One"),
        ("paragraph", "first"),
        ("heading2", "Inside"),
        ("paragraph", "x"),
        ("heading2", "Second chapter"),
        ("paragraph", "second"),
    ]


def test_a_flat_table_of_contents_levels_no_heading() -> None:
    """But it names sections where the page has no heading."""
    contents = ncx(point("Inside", "text of/c1.xhtml#i"), point("Afterword", "text of/c2.xhtml"))
    chapters = {"text of__c1_xhtml": page("<h1>One</h1><h3 id='i'>Inside</h3><p>x</p>")}
    assert block_texts(read(extra=NCX_ITEM, toc_ncx=contents, **chapters)) == [
        ("heading1", "One"),
        ("heading3", "Inside"),
        ("paragraph", "x"),
        ("heading1", "Afterword"),
        ("paragraph", "Second chapter"),
        ("paragraph", "second"),
    ]


def test_the_page_that_is_the_table_of_contents_is_left_out() -> None:
    """And used: its lists in lists are the levels."""
    nav = page(
        "<nav epub:type='landmarks' xmlns:epub='urn:x'><ol><li><a href='text of/c2.xhtml'>No</a></li></ol></nav>"
        "<nav epub:type='toc' xmlns:epub='urn:x'><h1>Contents</h1><ol><li><a href='text%20of/c1.xhtml'>One</a>"
        "<ol><li><a href='text%20of/c2.xhtml'>Second chapter</a></li></ol></li></ol></nav>"
    )
    reading = read("nav c1 c2", NAV_ITEM, nav_xhtml=nav)
    assert [kind for kind, _ in block_texts(reading)] == [
        "heading1",
        "paragraph",
        "heading2",
        "paragraph",
        "heading2",
        "paragraph",
    ]
    assert [(reading.text[span.start : span.end], span.reason) for span in reading.left_out] == [
        ("No Contents One Second chapter", "table of contents")
    ]


def test_pages_that_are_not_there_are_reported() -> None:
    """In one sentence; the rest is read."""
    reading = read("c1 none c3", '<item id="c3" href="c3.xhtml" media-type="application/xhtml+xml"/>')
    assert tells(reading.warnings, "2 pages not")
    assert len(reading.blocks) == 4


@pytest.mark.parametrize(
    ("algorithm", "target", "locked"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "text%20of/c1.xhtml", True),
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "fonts/a.otf", False),
        ("http://www.idpf.org/2008/embedding", "text%20of/c1.xhtml", False),
    ],
)
def test_copy_protection_is_a_sentence(algorithm: str, target: str, locked: bool) -> None:
    """Where it locks text; scrambled fonts lock none."""
    cipher = f'<CipherData><CipherReference URI="{target}"/></CipherData>'
    entry = f'<EncryptedData><EncryptionMethod Algorithm="{algorithm}"/>{cipher}</EncryptedData>'
    parts = {
        "META-INF__encryption_xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        f"{entry}</encryption>"
    }
    if locked:
        with pytest.raises(ParseError, match=r"^a\.epub .*copy protection \(DRM\)"):
            read(**parts)
    else:
        assert len(read(**parts).blocks) == 6


def _opf(page: str, more: str = "") -> str:
    """A book of one page."""
    item = f'<item id="c" href="{page}" media-type="application/xhtml+xml"/>{more}'
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{item}</manifest><spine><itemref '
        f'idref="c"/></spine></package>'
    )


def test_a_damaged_table_of_contents_costs_nothing_else() -> None:
    """The headings of the pages stay, and it is said."""
    listed = _opf("c.xhtml", '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
    document = parse(epub(parts={"book.opf": listed, "toc.ncx": "<ncx"}), "a.epub")
    assert [section.title for section in document.sections] == ["Birds"]
    assert tells(document.warnings, "table of contents damaged")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"META-INF/container.xml": "<container/>"}, "lists no book"),
        ({"META-INF/container.xml": "<container"}, "damaged XML"),
        ({"book.opf": "<package>"}, "damaged XML"),
        ({"book.opf": _opf("gone.xhtml")}, "none of the pages"),
    ],
)
def test_damage_is_a_sentence(parts: dict[str, str], sentence: str) -> None:
    """Whichever part has it."""
    with pytest.raises(ParseError, match=rf"^a\.epub .*{sentence}.*\.$"):
        read_epub(RawFile(epub(parts=parts), "a.epub"))


def test_a_real_book() -> None:
    """Eight chapters, counted by hand; sections down to the fourth level of its contents; every page's text."""
    document = parse_file(shared_data("epub/winter-sports.epub"))
    check(document)
    check_cutting(document)
    chapters = [
        section.title for section in document.sections if section.level == 1 and section.title.startswith("CHAPTER")
    ]
    assert [title.split()[1] for title in chapters] == ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]
    assert chapters[0] == "CHAPTER I THE SUN-SEEKER"
    assert Counter(section.level for section in document.sections if section.level) == {1: 13, 2: 11, 3: 5, 4: 4}
    test = next(section for section in document.sections if section.title == "Section A")
    assert test.title_path == ("CHAPTER II RINKS AND SKATERS", "FIRST-CLASS TEST", "Section A")
    assert (document.title, document.language) == ("Winter Sports in Switzerland", "en")
    assert document.warnings == ()
