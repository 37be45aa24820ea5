"""Word files made of a few parts, and what is read of them."""

from __future__ import annotations

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.office.docx.reader import read_docx
from tests.parsing.formats.office.office_files import relations
from tests.parsing.samples import docx

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def p(text: str, style: str = "", properties: str = "") -> str:
    """A paragraph of one run, or of runs given as XML."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    runs = text if text.startswith("<") else f"<w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r>"
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def style(identity: str, name: str, rest: str = "") -> str:
    """A paragraph style."""
    return f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="{name}"/>{rest}</w:style>'


def part(name: str, inside: str) -> str:
    """A part of a Word file."""
    return f'<w:{name} xmlns:w="{WORD}">{inside}</w:{name}>'


def read(body: str, styles: str = "", **others: str) -> Reading:
    """The reading of a Word file of some paragraphs; others are its further parts by their names."""
    kinds = [("styles", "styles.xml"), *((name.rstrip("0123456789"), f"{name}.xml") for name in others)]
    parts = {f"word/{name}.xml": content for name, content in others.items()}
    parts |= {"word/styles.xml": part("styles", styles), "word/_rels/document.xml.rels": relations(*kinds)}
    return read_docx(RawFile(docx(body, parts=parts), "a.docx"))
