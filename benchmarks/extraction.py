"""Independent text extraction by the shortest way, to measure what our readers lose.

Only the multiset of visible characters counts: text boxes, notes and cells may come in another order.
"""

from __future__ import annotations

import codecs
import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator

from lxml import etree, html

from benchmarks.rtf_text import rtf_text

__all__ = ["EXTRACTIONS", "lost", "pdf_characters"]

_UNSEEN = ("script", "style", "noscript", "template", "head", "svg")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def lost(independent: str, ours: str) -> tuple[int, int]:
    """Count the visible characters that our text lacks, and all of the independent text."""
    expected, there = (Counter("".join(text.split())) for text in (independent, ours))
    return (expected - there).total(), expected.total()


def _docx(data: bytes) -> str:
    """Extract body, notes, headers and footers of a DOCX, without deleted text and duplicate alternatives."""
    parts = re.compile(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*)\.xml")
    return "".join(_runs(data, parts, ("del", "moveFrom", "Fallback")))


def _pptx(data: bytes) -> str:
    return "".join(_runs(data, re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml"), ("Fallback",)))


def _runs(data: bytes, parts: re.Pattern[str], unseen: tuple[str, ...]) -> Iterator[str]:
    """Yield the text of elements named `t` in some parts of an Office file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not parts.fullmatch(name):
                continue
            for element in etree.fromstring(archive.read(name)).iter("{*}t"):
                if not any(etree.QName(ancestor).localname in unseen for ancestor in element.iterancestors()):
                    yield element.text or ""


def _html(data: bytes) -> str:
    for bom, name in _BOMS:
        if data.startswith(bom):
            data = data[len(bom) :].decode(name, "replace").encode()
            return _visible_text(
                html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
            )
    # What HTML takes a page to be in that does not say so, unless it can only be UTF-8; lxml takes another for it.
    if not data.isascii() and data.decode("utf-8", "ignore").encode() == data:
        return _visible_text(html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", huge_tree=True)))
    encoding = None if b"charset" in data[:4096].lower() or b"<?xml" in data[:100] else "windows-1252"
    return _visible_text(html.document_fromstring(data, parser=html.HTMLParser(encoding=encoding)))


def _visible_text(root: html.HtmlElement) -> str:
    for element in list(root.iter(*_UNSEEN, etree.Comment, etree.ProcessingInstruction)):
        if element.getparent() is not None:
            element.drop_tree()
    return str(root.text_content())


def _epub(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        place = etree.fromstring(archive.read("META-INF/container.xml")).find(".//{*}rootfile").get("full-path")
        package = etree.fromstring(archive.read(place))
        files = {item.get("id"): item.get("href") for item in package.iterfind(".//{*}manifest/{*}item")}
        spine = [files[item.get("idref")] for item in package.iterfind(".//{*}spine/{*}itemref")]
        return "".join(_html(archive.read(posixpath.join(posixpath.dirname(place), name))) for name in spine)


def _markdown(data: bytes) -> str:
    return data.decode("utf-8-sig")


def pdf_characters(data: bytes) -> Iterator[tuple[int, float, float, float, float]]:
    """Yield each character of a PDF with its box (left, right, bottom, top in points), by pdfium alone."""
    import ctypes

    import pypdfium2
    from pypdfium2 import raw

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    with pypdfium2.PdfDocument(data) as document:
        for number in range(len(document)):
            page = document[number]
            text = page.get_textpage()
            for index in range(raw.FPDFText_CountChars(text)):
                code = raw.FPDFText_GetUnicode(text, index)
                raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
                yield code, left.value, right.value, bottom.value, top.value
            text.close()
            page.close()


def _pdf(data: bytes) -> str:
    """Extract the text of a PDF; U+FFFE is pdfium's hyphen at a line end."""
    if b"%PDF-" not in data[:1024]:
        return data.decode("utf-8", "replace")
    codes = [code for code, *_ in pdf_characters(data) if code > 32]
    return "".join("-" if code == 0xFFFE else chr(code) for code in codes if not 0xD800 <= code < 0xE000)


EXTRACTIONS: dict[str, Callable[[bytes], str]] = {
    ".md": _markdown,
    ".html": _html,
    ".docx": _docx,
    ".pptx": _pptx,
    ".epub": _epub,
    ".pdf": _pdf,
    ".rtf": rtf_text,
}
"""Extractors by file extension."""
