"""OpenDocument texts with styles, made of a body, and what is read of them."""

from __future__ import annotations

from chunking.model import Document
from chunking.parsing import parse
from tests.parsing.safe_input.archive_files import zipped
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = {name: f"{_URN}{name}:1.0" for name in ("office", "text", "table", "style")} | {
    "draw": f"{_URN}drawing:1.0",
    "svg": f"{_URN}svg-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
}
DECLARED = " ".join(f'xmlns:{name}="{address}"' for name, address in _SPACES.items())
_STYLES = """<office:automatic-styles>
<style:style style:name="P1" style:parent-style-name="Title"/>
<style:style style:name="P2" style:parent-style-name="Preformatted_20_Text"/>
<style:style style:name="P3" style:parent-style-name="P4"/><style:style style:name="P4" style:parent-style-name="P3"/>
<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>
<text:list-style style:name="L1">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-bullet text:level="2"/></text:list-style></office:automatic-styles>"""


def odt(body: str, head: str = "", parts: dict[str, str | bytes] | None = None) -> bytes:
    """A file of a body and further parts."""
    content = f"<office:body><office:text>{body}</office:text></office:body>"
    xml = f"{head}<office:document-content {DECLARED}>{_STYLES}{content}</office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": xml, **(parts or {})})


def read(body: str, parts: dict[str, str | bytes] | None = None) -> Document:
    """A lawful document, of which every visible character is in a chunk or left out."""
    document = parse(odt(body, parts=parts), "a.odt")
    check(document)
    check_cutting(document)
    return document


def blocks(document: Document) -> list[tuple[str, str]]:
    """(kind, text) of each block."""
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


def paragraph(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'
