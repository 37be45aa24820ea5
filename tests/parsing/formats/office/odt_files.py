"""OpenDocument texts made by the tests, part by part."""

from __future__ import annotations

from tests.parsing.safe_input.archive_files import zipped

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_DECLARED = " ".join(f'xmlns:{name}="{_URN}{name}:1.0"' for name in ("office", "text", "table", "style"))


def odt(body: str, parts: dict[str, str | bytes] | None = None) -> bytes:
    """A file of a body and further parts."""
    content = f"<office:body><office:text>{body}</office:text></office:body>"
    xml = f"<office:document-content {_DECLARED}>{content}</office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": xml, **(parts or {})})
