"""What a file is: its content decides, its name only where the content leaves a choice.

A PDF, an archive or a message shows what it is. Of text formats only some do: a web page, a mail with its headers, a parser's
JSON. Markdown, CSV and plain text are told apart by the ending.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.containers import in_archive, in_compound
from chunking.parsing.detection.encoding import decode
from chunking.parsing.detection.magic import CONTROLS, binary_kind

__all__ = ["KINDS", "Sniffed", "sniff"]

KINDS: dict[str, str] = {
    "markdown": "Markdown",
    "text": "plain text",
    "csv": "a table in CSV or TSV",
    "html": "a web page",
    "pdf": "a PDF",
    "docx": "a Word document",
    "pptx": "a presentation",
    "xlsx": "a workbook",
    "epub": "an e-book",
    "odt": "an OpenDocument text",
    "rtf": "a document in RTF",
    "email": "an e-mail",
    "mineru": "output of MinerU",
    "elements": "elements of unstructured",
}
"""Name of a format, and what a file of it is, in a sentence."""

_HEAD = 1 << 16
"""Bytes looked at."""
_AS_TEXT = frozenset({"markdown", "text", "csv", "html", "email", "mineru", "elements"})
"""Formats whose files are text."""
_NO_JSON = frozenset({"markdown", "csv", "html", "email"})
"""Those whose files stay what their ending says even where they look like a parser's JSON."""
_TABLES = frozenset({"xlsx"})
_HTML = re.compile(r"(?:\s|<\?xml[^>]*>|<!--.*?-->)*+<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_JSON: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'^\s*\[\s*\{.*"element_id"\s*:', re.DOTALL), "elements"),
    (re.compile(r'^\s*\[\s*\{.*"page_idx"\s*:', re.DOTALL), "mineru"),
    (re.compile(r'^\s*\[\s*(?:\[\s*\]\s*,\s*)*\[\s*\{.*"type"\s*:', re.DOTALL), "mineru"),
)
_HEADER = re.compile(r"(?:From|To|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Reply-To):", re.IGNORECASE)
_FIELD = re.compile(r"[!-9;-~]+:|[ \t]")
_MACROS = "This file has macros, which were neither read nor run."


class Sniffed(NamedTuple):
    """What a file is."""

    name: str
    """Of a format (`KINDS`); empty where it is none."""
    what: str = ""
    """Then: what it is instead, where that is known."""
    warnings: tuple[str, ...] = ()
    told: bool = False
    """The warnings say already that it is not what its ending says."""


def sniff(raw: RawFile, named: str = "") -> Sniffed:
    """What a file is.

    Args:
        named: the format that its ending means; empty where that is unknown or there is none.
    Raises:
        ParseError, TooLargeError: a container that is damaged, locked or hostile, or holds no document; with what to do.
    """
    for recognise in (_pdf, _archive, _compound, _rtf):
        if found := recognise(raw):
            return found
    if raw.encoding is None and (kind := binary_kind(raw.data)):
        return Sniffed("", kind)
    return _text(raw, named)


def _pdf(raw: RawFile) -> Sniffed | None:
    """Its mark may stand behind a kilobyte of anything, but in a text it is just a word."""
    head = raw.data[:1024]
    at_start = head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"%PDF-")
    return Sniffed("pdf") if at_start or (b"%PDF-" in head and _is_binary(raw.data[:_HEAD])) else None


def _archive(raw: RawFile) -> Sniffed | None:
    if not raw.data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None
    inside = in_archive(raw)
    return Sniffed(inside.name, warnings=(_MACROS,) if inside.macros else ())


def _compound(raw: RawFile) -> Sniffed | None:
    return Sniffed(in_compound(raw).name) if raw.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") else None


def _rtf(raw: RawFile) -> Sniffed | None:
    return Sniffed("rtf") if raw.data[:64].removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{\\rtf") else None


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or len(head) - len(head.translate(None, CONTROLS)) > 0


def _text(raw: RawFile, named: str) -> Sniffed:
    """Text, or what pretends to be."""
    head = _view(raw)
    if _HTML.match(head):
        return Sniffed("html")
    if named not in _NO_JSON and (kind := next((kind for form, kind in _JSON if form.search(head)), "")):
        return Sniffed(kind)
    if named in ("mineru", "elements"):
        return Sniffed("text", warnings=("This is not JSON of a kind that is known here, so it was read as plain text.",), told=True)
    if named in _AS_TEXT:
        return Sniffed(named)
    try:
        decode(raw.data[:_HEAD], raw.source, raw.encoding)
    except ParseError:
        return Sniffed("")
    if _is_mail(head):
        return Sniffed("email")
    return Sniffed("csv" if named in _TABLES else "text")


def _is_mail(head: str) -> bool:
    """Three lines of headers that mails have, before the first empty line, and nothing but headers among them."""
    lines = head.lstrip().partition("\n\n")[0].split("\n")[:200]
    return all(map(_FIELD.match, lines)) and sum(bool(_HEADER.match(line)) for line in lines) >= 3


def _view(raw: RawFile) -> str:
    """The beginning as far as its ASCII goes, which is all that the marks are written in: UTF-16 is that with NULs between."""
    head = raw.data[:_HEAD].replace(b"\0", b"")
    for bom in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.removeprefix(bom)
    return head.decode("latin-1").replace("\r\n", "\n")
