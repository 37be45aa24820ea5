"""Tests of file content: of single formats where a pattern is not enough, and of binary files."""

from __future__ import annotations

import codecs
import re

__all__ = [
    "CONTROLS",
    "HEAD",
    "HTML",
    "binary_kind",
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

CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\b\x1b")
"""Control characters that no text has."""

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "a PDF file"),
    (0, b"PK\x03\x04", "a ZIP archive (as .docx, .xlsx, .pptx and .epub files are)"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office file"),
    (0, b"\x89PNG\r\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (0, b"II*\x00", "a TIFF image"),
    (0, b"MM\x00*", "a TIFF image"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftypheic", "a HEIC image"),
    (4, b"ftypavif", "an AVIF image"),
    (0, b"8BPS", "a Photoshop image"),
    (4, b"ftypM4A", "an audio file"),
    (4, b"ftyp", "a video"),
    (0, b"\x1aE\xdf\xa3", "a video"),
    (0, b"ID3", "an audio file"),
    (0, b"\xff\xfb", "an audio file"),
    (0, b"\xff\xf3", "an audio file"),
    (0, b"fLaC", "an audio file"),
    (0, b"OggS", "an audio file"),
    (8, b"WAVE", "an audio file"),
    (0, b"RIFF", "a RIFF media file"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ\x90\x00", "a program"),
    (0, b"\xca\xfe\xba\xbe", "a program"),
    (0, b"\xcf\xfa\xed\xfe", "a program"),
    (0, b"\x00asm", "a program"),
    (0, b"\x1f\x8b\x08", "a gzip archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"SQLite format 3\x00", "a database"),
    (0, b"PAR1", "a Parquet file"),
    (60, b"BOOKMOBI", "a Kindle book"),
    (0, b"AT&TFORM", "a DjVu file"),
    (0, b"\xffWPC", "a WordPerfect file"),
    (0, b"wOF", "a font"),
    (0, b"\x00\x01\x00\x00\x00", "a font"),
)
"""Offset, bytes, kind; the first match wins. A mark of letters alone may start a text too."""


def starts_pdf(data: bytes) -> bool:
    """True if data starts with `%PDF-`, or is binary with it in the first 1,024 bytes.

    White space and a byte order mark may precede it.
    """
    head = data[:1024]
    at_start = head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"%PDF-")
    return at_start or (b"%PDF-" in head and _is_binary(data[:HEAD]))


def starts_rtf(data: bytes) -> bool:
    """True if data starts with RTF's mark, after white space and a byte order mark at most."""
    return data[:64].removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{\\rtf")


def looks_like_mail(head: str) -> bool:
    """True if the first paragraph has only header fields, three of them typical of mail."""
    lines = head.lstrip().partition("\n\n")[0].split("\n")[:200]
    return all(map(_FIELD.match, lines)) and sum(bool(_HEADER.match(line)) for line in lines) >= 3


_DIRECTIVE = re.compile(r"^\.\. (?:[a-z][\w:+-]*:: ?|_[^\n:]+:(?: |$)|\[#?\w*\] )", re.MULTILINE)


def looks_like_rst(head: str) -> bool:
    """True if two or more lines start reStructuredText directives, targets or footnotes."""
    return len(_DIRECTIVE.findall(head)) >= 2


_JSON = re.compile(
    r'\s*+(?:\{\s*+"(?:[^"\\\n]|\\.)*+"\s*+:|\[\s*+(?:\{\s*+"|\[\s*+[\[{"\d-]|"(?:[^"\\\n]|\\.)*+"\s*+[,\]]))'
)
_YAML = re.compile(r"\s*+(?:#[^\n]*\n\s*+)*+(?:%YAML [\d.]+\s|(?:---\s+)?(?:apiVersion|openapi|swagger|asyncapi): )")


def looks_like_json(head: str) -> bool:
    """True if a text starts like an object with a key, or a list of objects, lists or strings."""
    return _JSON.match(head) is not None


def looks_like_yaml(head: str) -> bool:
    """True if a text starts with `%YAML` or a key of API or Kubernetes files (`openapi`)."""
    return _YAML.match(head) is not None


_ASCIIDOC = re.compile(
    r"^(?:= \S[^\n=]*|={2,5} \S[^\n]*[^\n= ]|:[a-z][\w-]*:(?: [^\n]*)?|\[source(?:,[^\]\n]*)?\]|\|===)$", re.MULTILINE
)
_ORG = re.compile(
    r"^(?:#\+(?:TITLE|AUTHOR|DATE|OPTIONS|BEGIN_\w+|STARTUP|FILETAGS):?.*|\*+ (?:TODO|DONE) .*|:PROPERTIES:)$",
    re.MULTILINE | re.I,
)


def looks_like_asciidoc(head: str) -> bool:
    """True if a text has two kinds of AsciiDoc lines: titles, attributes, `[source]`, `|===`."""
    return len({line[:2] for line in _ASCIIDOC.findall(head)}) >= 2


def looks_like_org(head: str) -> bool:
    """True if a line is an Org keyword (`#+TITLE`), a `TODO` headline, or `:PROPERTIES:`."""
    return _ORG.search(head) is not None


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or len(head) - len(head.translate(None, CONTROLS)) > 0


def binary_kind(data: bytes) -> str | None:
    """Return the kind of a binary file, such as `a PNG image`; None for texts and unknown kinds.

    >>> binary_kind(b"GIF89a" + bytes(20)), binary_kind(b"GIF89a is a kind of image.")
    ('a GIF image', None)
    """
    for place, mark, what in _MAGIC:
        if data.startswith(mark, place):
            return None if mark.isascii() and _is_text(data) else what
    return None


def _is_text(data: bytes) -> bool:
    head = data[:4096]
    return b"\0" not in head and not head.startswith(b"%PDF-") and len(head.translate(None, CONTROLS)) == len(head)
