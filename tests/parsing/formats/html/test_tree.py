"""Pages to trees: in any encoding, however deep, and nothing of them lost on the way."""

from __future__ import annotations

import codecs

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.html.html_tree import MAX_ATTRIBUTES, MAX_DEPTH, parse_page
from chunking.parsing.formats.html.reader import read_html
from tests.support.facts import tells

CHINESE = "<p>然后，打开盖子！组件的响应式状态，安装说明。</p>"
JAPANESE = "<p>これはテストです。コンポーネントの説明をここに書きます。</p>"
WESTERN = "<p>Die schöne Frau — “köstlich”, 15 €</p>"


def read(data: bytes, encoding: str | None = None) -> Reading:
    """The reading of a page."""
    return read_html(RawFile(data, "page.html", encoding))


@pytest.mark.parametrize(
    ("head", "body", "encoding", "read_as"),
    [
        ("", CHINESE, "utf-8", "utf-8"),
        ("<meta charset=gb2312>", CHINESE, "gb18030", "gb18030"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', JAPANESE, "cp932", "cp932"),
        ('<?xml version="1.0" encoding="EUC-JP"?>', JAPANESE, "euc-jp", "euc_jp"),
        ("<meta charset='iso-8859-1'>", WESTERN, "cp1252", "cp1252"),
        ("<meta charset=iso-2022-jp>", JAPANESE, "iso-2022-jp", "iso2022_jp"),
        ("<meta charset=big5>", "<p>傳染病通報作業流程</p>", "big5", "big5hkscs"),
        ("<meta charset=gb2312>", CHINESE, "utf-8", "utf-8"),
        ("<meta charset=no-such>", CHINESE, "utf-8", "utf-8"),
        ("<meta charset=utf-16>", CHINESE, "utf-8", "utf-8"),
    ],
)
def test_encodings_that_pages_declare(head: str, body: str, encoding: str, read_as: str) -> None:
    """As browsers mean their labels; but what is UTF-8 is UTF-8, whatever it says."""
    reading = read((head + body).encode(encoding))
    assert (reading.text, reading.encoding) == (body[3:-4], read_as)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_decides(mark: bytes, encoding: str) -> None:
    """Against what the page declares."""
    assert read(mark + f"<meta charset=iso-8859-1>{CHINESE}".encode(encoding)).text == CHINESE[3:-4]


def test_the_user_decides() -> None:
    """And a page that says nothing is guessed at, with a warning."""
    data = f"<meta charset=utf-8>{WESTERN}".encode("cp1252")
    assert read(data, "cp1252").text == WESTERN[3:-4]
    guessed = read((CHINESE * 20).encode("gb18030"))
    assert (guessed.encoding, len(guessed.warnings)) == ("gb18030", 1)


def test_binary_data_is_refused() -> None:
    """In the sentence that all text formats give."""
    with pytest.raises(ParseError, match=r"^page\.html is a binary file"):
        read(b"<html>" + bytes(range(256)) * 40)


@pytest.mark.parametrize("data", [b"", b" ", b"<!-- only -->", b"<html></html>", b"<p></p>"])
def test_an_empty_page_has_no_blocks(data: bytes) -> None:
    """It is for the caller to say so."""
    assert read(data).blocks == ()


DEEP = ("b", "ul", "blockquote", "table", "x-card", "h1", "dl", "svg", "span hidden")


@pytest.mark.parametrize(("tag", "deep"), [("div", 50_000), *((tag, 5_000) for tag in DEEP)])
def test_however_deep_all_text_is_read(tag: str, deep: int) -> None:
    """Thousands of elements inside one another, with words before, among and after them; scripts among them are still
    no text.
    """
    name = tag.split()[0]
    opening, closing = f"<{tag}>" * deep, f"</{name}>" * 2 * deep
    page = f"<p>before</p>{opening}<p>among</p><script>x</script>{opening}deep{closing}<p>after</p>"
    reading = read(page.encode())
    expected = ["before", "after"] if tag in ("svg", "span hidden") else ["before", "among", "deep", "after"]
    assert reading.text.replace("- ", "").split() == expected
    assert tells(reading.warnings, f"{MAX_DEPTH} deep")


def test_what_is_deep_but_not_too_deep_keeps_its_form() -> None:
    """Up to what the parser takes, there is nothing to warn of."""
    reading = read(("<div>" * 1_500 + "<h2>a</h2>" + "</div>" * 1_500).encode())
    assert (reading.blocks[0].level, reading.warnings) == (2, ())


def test_no_entity_or_address_is_followed() -> None:
    """A document type is not read; entities that a page declares mean nothing."""
    page = (
        b'<!DOCTYPE html [<!ENTITY a SYSTEM "file:///etc/hostname"><!ENTITY b '
        b'"bbb">]><p>x&a;&b;&lt;&eacute;</p><iframe src="http://127.0.0.1:9/">'
    )
    assert "x&a;&b;<é" in read(page).text
    assert parse_page(page, "page.html").warnings == ()


def test_attributes_have_a_limit() -> None:
    """The parser compares each with all before it; a page of long texts between its tags has none too many."""
    many = b"<p " + b" a" * (MAX_ATTRIBUTES + 5) + b">text</p>"
    for before in (0, 1, MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES + 7):
        with pytest.raises(TooLargeError, match="attributes"):
            parse_page(b"<i>x</i>" * (before // 8) + b" " * (before % 8) + many, "page.html")
    assert parse_page(b"<p>" + b"a word " * MAX_ATTRIBUTES + b"</p>", "page.html").root is not None
