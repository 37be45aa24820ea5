"""One small honest file of each format: a heading, a paragraph and, where the format has them, a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from tests.parsing.formats.office.office_files import KINDS, presentation, relations, shape, workbook
from tests.parsing.safe_input.archive_files import zipped
from tests.support.raw_pdf import one_page_pdf
from tests.support.workbook_files import ods, xls, xlsb

__all__ = ["HTML", "SAMPLES", "docx", "epub", "odt"]

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

WORD_BODY = (
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Birds</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>The finch sings in the morning.</w:t></w:r></w:p>"
)
"""What stands in the body of a Word document."""


def docx(body: str = WORD_BODY, head: str = "", parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word document.

    Args:
        head: what stands before its main element, such as a document type.
        parts: further parts, or others in their place.
    """
    styles = (
        f'<w:styles xmlns:w="{_WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading '
        f'1"/></w:style></w:styles>'
    )
    entries: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
        "_rels/.rels": relations(("officeDocument", "word/document.xml")),
        "word/document.xml": f'{head}<w:document xmlns:w="{_WORD}" xmlns:r="{KINDS}"><w:body>{body}'
        "</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(("styles", "styles.xml")),
        "word/styles.xml": styles,
    }
    return zipped({**entries, **(parts or {})})


HTML = (
    "<h1>Birds</h1><p>The finch sings in the morning.</p>"
    "<table><tr><th>Name</th><th>Size</th></tr><tr><td>Finch</td><td>3</td></tr></table>"
)
"""What stands in the body of a page."""


def page(body: str = HTML, head: str = "<!DOCTYPE html>", title: str = "Birds") -> str:
    """A web page, or a chapter of a book."""
    return (
        f"{head}<html "
        f'xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'
    )


def epub(body: str = HTML, head: str = "<!DOCTYPE html>", parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """An e-book of one chapter."""
    entries: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        "<rootfiles>"
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<dc:title>Birds</dc:title></metadata><manifest><item id="c" href="c.xhtml" '
        'media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>',
        "c.xhtml": page(body, head),
    }
    return zipped({**entries, **(parts or {})})


ODT_BODY = '<text:h text:outline-level="1">Birds</text:h><text:p>The finch sings in the morning.</text:p>'
"""What stands in an OpenDocument text."""


def odt(body: str = ODT_BODY, head: str = "") -> bytes:
    """An OpenDocument text."""
    content = f'{head}<office:document-content xmlns:office="{_OFFICE}" xmlns:text="{_TEXT}">'
    content += f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _mineru() -> bytes:
    box = [100, 100, 900, 200]
    items = [
        {"type": "text", "text": "Birds", "text_level": 1, "page_idx": 0, "bbox": box},
        {"type": "text", "text": "The finch sings in the morning.", "page_idx": 0, "bbox": [100, 300, 900, 400]},
    ]
    return json.dumps(items).encode()


def _elements() -> bytes:
    items = [
        {"type": "Title", "element_id": "a", "text": "Birds", "metadata": {"page_number": 1}},
        {
            "type": "NarrativeText",
            "element_id": "b",
            "text": "The finch sings in the morning.",
            "metadata": {"page_number": 1},
        },
    ]
    return json.dumps(items).encode()


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Birds\n", "\n", "The finch sings in the morning."]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": "count",
            "outputs": [{"output_type": "execute_result", "data": {"text/plain": "3"}}],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}).encode()


_MAIL = (
    b"From: a@example.org\r\nTo: b@example.org\r\nSubject: Birds\r\nMIME-Version: 1.0\r\n\r\nThe finch sings in "
    b"the morning.\r\n"
)
_ROWS = '<row r="1"><c r="A1" t="inlineStr"><is><t>The finch sings in the morning.</t></is></c></row>'

SAMPLES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "markdown": ("birds.md", lambda: b"# Birds\n\nThe finch sings in the morning.\n"),
    "text": ("birds.txt", lambda: b"The finch sings in the morning.\n"),
    "csv": ("birds.csv", lambda: b"Name,Says\nFinch,The finch sings in the morning.\n"),
    "html": ("birds.html", lambda: page().encode()),
    "docx": ("birds.docx", docx),
    "pptx": (
        "birds.pptx",
        lambda: presentation(shape("Birds", kind="title") + shape("The finch sings in the morning.")),
    ),
    "xlsx": ("birds.xlsx", lambda: workbook(_ROWS)),
    "xls": ("birds.xls", lambda: xls({"Birds": [["The finch sings in the morning."]]})),
    "xlsb": ("birds.xlsb", lambda: xlsb({"Birds": [["The finch sings in the morning."]]})),
    "ods": ("birds.ods", lambda: ods({"Birds": [["The finch sings in the morning."]]})),
    "epub": ("birds.epub", epub),
    "odt": ("birds.odt", odt),
    "rtf": ("birds.rtf", lambda: rb"{\rtf1\ansi {\b Birds}\par The finch sings in the morning.\par}"),
    "email": ("birds.eml", lambda: _MAIL),
    "pdf": ("birds.pdf", lambda: one_page_pdf("The finch sings in the morning.")),
    "mineru": ("birds_content_list.json", _mineru),
    "elements": ("birds_elements.json", _elements),
    "json": ("birds.json", lambda: b'{"Birds": {"song": "The finch sings in the morning."}}'),
    "yaml": ("birds.yaml", lambda: b"Birds:\n  song: The finch sings in the morning.\n"),
    "subtitles": ("birds.srt", lambda: b"1\n00:00:01,000 --> 00:00:02,000\nThe finch sings in the morning.\n"),
    "rst": ("birds.rst", lambda: b"Birds\n=====\n\nThe finch sings in the morning.\n"),
    "asciidoc": ("birds.adoc", lambda: b"= Birds\n\nThe finch sings in the morning.\n"),
    "org": ("birds.org", lambda: b"* Birds\nThe finch sings in the morning.\n"),
    "code": ("birds.py", lambda: b'def sing():\n    return "The finch sings in the morning."\n'),
    "notebook": ("birds.ipynb", _notebook),
}
"""Name of a format: a file's name, and how its bytes are made. Each says that the finch sings in the morning."""
