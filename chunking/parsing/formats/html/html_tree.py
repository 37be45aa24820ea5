"""Parse a page's bytes to a tree with all of its text, for any encoding and depth."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunking.errors import TooLargeError
from chunking.parsing.detection.encoding import Decoded, decode
from chunking.parsing.formats.html.html_elements import BLOCKS, BREAKS, DROPPED

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_ATTRIBUTES", "MAX_DEPTH", "Page", "parse_page"]

MAX_DEPTH = 400
"""Depth to which a page beyond the parser's own (2,048) is rebuilt; deeper elements become lines."""

MAX_ATTRIBUTES = 50_000
"""Most words in one tag; the parser compares each attribute with all before it."""
_LONG_TAG = re.compile(rb"<[A-Za-z][^<>]{%d,}+" % (2 * MAX_ATTRIBUTES))
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.I,
)
_HEAD = 4096
"""Bytes searched for a declared encoding."""

_READ_AS = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "windows-874": "cp874",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
}
"""Declared label to the superset that browsers use (WHATWG, Encoding Standard, 4.2)."""


@dataclass(frozen=True, slots=True)
class Page:
    """Tree of a parsed page, with its encoding, warnings and source in UTF-8."""

    root: _Element | None
    """Root element; None for a page without an element or a word."""
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()
    markup: bytes | None = None
    """The parser's input, in UTF-8."""


def parse_page(data: bytes, source: str, encoding: str | None = None) -> Page:
    """Parse a page's bytes to an lxml tree without comments, in any encoding and of any depth.

    Elements nested too deep for the parser become lines, with a warning.

    Args:
        data: HTML, or XHTML as browsers read it.
        source: its name, for sentences.
        encoding: stated by the user or a container such as a mail; None: detect.
    Raises:
        ParseError: the bytes are no text, or the encoding is unknown.
        TooLargeError: the page is beyond what the parser takes.
    """
    from lxml import etree

    decoded = _plain(data, encoding) or _decoded(data, source, encoding)
    text = decoded.text.encode("utf-8") if decoded.text else data
    if _may_hold_long_tag(text) and any(
        len(tag[0].split(None, MAX_ATTRIBUTES)) > MAX_ATTRIBUTES for tag in _LONG_TAG.finditer(text)
    ):
        raise TooLargeError(
            f"{source} has an element of more than {MAX_ATTRIBUTES:,} attributes, which no page needs.", where=source
        )
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = _parsed(text, parser)
    if not _over_limit(parser):
        return Page(root, decoded.encoding, decoded.warnings, text)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=_Flattened(etree.TreeBuilder()))
    root = _parsed(text, parser)
    if _over_limit(parser):
        raise TooLargeError(
            f"{source} holds a word or an attribute of many megabytes; split it into smaller files.", where=source
        )
    note = f"Elements of the page are nested more than {MAX_DEPTH} deep; deeper ones are read as plain lines."
    return Page(root, decoded.encoding, (*decoded.warnings, note), text)


def _may_hold_long_tag(text: bytes) -> bool:
    """True if a stretch of `MAX_ATTRIBUTES` bytes has no `<`: half a match of `_LONG_TAG`, or less."""
    starts = range(0, len(text) - MAX_ATTRIBUTES + 1, MAX_ATTRIBUTES)
    return any(text.find(b"<", start, start + MAX_ATTRIBUTES) < 0 for start in starts)


def _parsed(text: bytes, parser: Any) -> _Element | None:
    from lxml import etree

    try:
        return etree.fromstring(text, parser)
    except etree.XMLSyntaxError:  # it recovers from everything but a page in which there is nothing
        return None


def _over_limit(parser: Any) -> bool:
    from lxml import etree

    last = parser.error_log.last_error
    return last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _plain(data: bytes, encoding: str | None) -> Decoded | None:
    """Return an empty text for a page that needs no decoding: UTF-8 without anything to clean."""
    if encoding or data[:200].lstrip()[:1] != b"<" or b"\0" in data:
        return None
    plain = _declared(data) is None if data.isascii() else _is_utf8(data)
    return Decoded("", "utf-8") if plain else None


def _decoded(data: bytes, source: str, encoding: str | None) -> Decoded:
    """Decode by the user's choice, byte order mark, valid UTF-8, the page's declaration, or a guess."""
    if encoding or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decode(data, source, encoding)
    declared = None if b"\0" in data[:_HEAD] else _declared(data)
    if declared and (data.isascii() or not _is_utf8(data)):
        return decode(data, source, declared)
    return decode(data, source)


def _declared(data: bytes) -> str | None:
    """Declared encoding by its Python name; None for none, UTF-8, or an unknown one."""
    match = _DECLARED.search(data[:_HEAD])
    if not match:
        return None
    label = (match[1] or match[2]).decode("ascii", "replace").lower()
    try:
        name = codecs.lookup(_READ_AS.get(label, label)).name
        "".encode(name)
    except (LookupError, ValueError):
        return None
    return None if name.startswith("utf") else name  # read as ASCII so far, it cannot be UTF-16


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Flattened:
    """Parser target that limits the tree to `MAX_DEPTH`: deeper elements become lines."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder
        self._open: list[bool] = []

    def start(self, tag: str, attributes: Any) -> None:
        fits = len(self._open) < MAX_DEPTH or tag in DROPPED or tag == "img"
        self._open.append(fits)
        if fits:
            self._builder.start(tag, attributes)
        else:
            self._break(tag)

    def end(self, tag: str) -> None:
        if self._open.pop():
            self._builder.end(tag)
        else:
            self._break(tag)

    def data(self, text: str) -> None:
        self._builder.data(text)

    def close(self) -> Any:
        return self._builder.close()

    def _break(self, tag: str) -> None:
        if tag in BLOCKS or tag in BREAKS:
            self._builder.start("br", {})
            self._builder.end("br")
