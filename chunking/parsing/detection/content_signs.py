"""Content tests of single formats, where a pattern is not enough."""

from __future__ import annotations

import codecs
import re

from chunking.parsing.detection.magic import CONTROLS

__all__ = [
    "HEAD",
    "HTML",
    "looks_like_asciidoc",
    "looks_like_json",
    "looks_like_mail",
    "looks_like_org",
    "looks_like_rst",
    "looks_like_yaml",
    "starts_pdf",
    "starts_rtf",
]

HEAD = 1 << 16
"""Bytes of a file examined."""
HTML = re.compile(r"(?:\s|<\?xml[^>]*>|<!--.*?-->)*+<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(
    r"(?:From|To|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Reply-To):", re.IGNORECASE
)
_FIELD = re.compile(r"[!-9;-~]+:|[ \t]")


def starts_pdf(data: bytes) -> bool:
    """True for a PDF; its mark may follow a kilobyte of anything, but in a text it is just a word."""
    head = data[:1024]
    at_start = head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"%PDF-")
    return at_start or (b"%PDF-" in head and _is_binary(data[:HEAD]))


def starts_rtf(data: bytes) -> bool:
    """True for RTF, by its mark after white space."""
    return data[:64].removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{\\rtf")


def looks_like_mail(head: str) -> bool:
    """True if the first paragraph has only header fields, three of them typical of mail."""
    lines = head.lstrip().partition("\n\n")[0].split("\n")[:200]
    return all(map(_FIELD.match, lines)) and sum(bool(_HEADER.match(line)) for line in lines) >= 3


_DIRECTIVE = re.compile(r"^\.\. (?:[a-z][\w:+-]*:: ?|_[^\n:]+:(?: |$)|\[#?\w*\] )", re.MULTILINE)


def looks_like_rst(head: str) -> bool:
    """True for two lines that open directives, targets or footnotes."""
    return len(_DIRECTIVE.findall(head)) >= 2


_JSON = re.compile(
    r'\s*+(?:\{\s*+"(?:[^"\\\n]|\\.)*+"\s*+:|\[\s*+(?:\{\s*+"|\[\s*+[\[{"\d-]|"(?:[^"\\\n]|\\.)*+"\s*+[,\]]))'
)
_YAML = re.compile(r"\s*+(?:#[^\n]*\n\s*+)*+(?:%YAML [\d.]+\s|(?:---\s+)?(?:apiVersion|openapi|swagger|asyncapi): )")


def looks_like_json(head: str) -> bool:
    """True for an object with a key, or a list of objects, lists or texts."""
    return _JSON.match(head) is not None


def looks_like_yaml(head: str) -> bool:
    """True for its own mark, or the first key of well-known kinds."""
    return _YAML.match(head) is not None


_ASCIIDOC = re.compile(
    r"^(?:= \S[^\n=]*|={2,5} \S[^\n]*[^\n= ]|:[a-z][\w-]*:(?: [^\n]*)?|\[source(?:,[^\]\n]*)?\]|\|===)$", re.MULTILINE
)
_ORG = re.compile(
    r"^(?:#\+(?:TITLE|AUTHOR|DATE|OPTIONS|BEGIN_\w+|STARTUP|FILETAGS):?.*|\*+ (?:TODO|DONE) .*|:PROPERTIES:)$",
    re.MULTILINE | re.I,
)


def looks_like_asciidoc(head: str) -> bool:
    """True for a title with attributes, listings or tables."""
    return len({line[:2] for line in _ASCIIDOC.findall(head)}) >= 2


def looks_like_org(head: str) -> bool:
    """True for a keyword, drawer or task of Org."""
    return _ORG.search(head) is not None


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or len(head) - len(head.translate(None, CONTROLS)) > 0
