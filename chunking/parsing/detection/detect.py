"""Detect a file's format: by content, and by name only where the content leaves a choice.

PDFs, archives and messages identify themselves. Of text formats only some do: web pages, mail with headers, a parser's
JSON. Markdown, CSV and plain text are distinguished by extension.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.content_signs import HEAD, binary_kind
from chunking.parsing.detection.encoding import decode
from chunking.parsing.format_row import Format
from chunking.parsing.safe_input.safe_archives import list_archive, read_entry

__all__ = ["Sniffed", "sniff"]

_MACROS = "This file has macros, which were neither read nor run."

_LARGEST_LIST = 4 * 2**20
"""Bytes of `[Content_Types].xml` examined."""


class Sniffed(NamedTuple):
    """Result of a detection: the name of a format, or else the kind of file, if it is known."""

    name: str
    """Format name; empty if there is none."""
    what: str = ""
    """Kind of the file if it is none of the formats."""
    warnings: tuple[str, ...] = ()
    explains_mismatch: bool = False
    """True if the warnings already say that content and extension differ."""


def sniff(raw: RawFile, rows: Sequence[Format], named: Format | None = None) -> Sniffed:
    """Detect a file's format by content, and by its extension where the content leaves a choice.

    Args:
        rows: known formats.
        named: the format of its extension; None if unknown or missing.
    Raises:
        ParseError, TooLargeError: a container that is damaged, locked or hostile, or holds no document; with advice.
    """
    for row in rows:
        if row.signs.data is not None and row.signs.data(raw.data):
            return Sniffed(row.name)
    if container := _container(raw, rows):
        return container
    if raw.encoding is None and (kind := binary_kind(raw.data)):
        return Sniffed("", kind)
    return _text(raw, rows, named)


def _container(raw: RawFile, rows: Sequence[Format]) -> Sniffed | None:
    if raw.data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        inside = in_archive(raw, rows)
        return Sniffed(inside.name, warnings=(_MACROS,) if inside.macros else ())
    return Sniffed(in_compound(raw, rows).name) if raw.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") else None


def _text(raw: RawFile, rows: Sequence[Format], named: Format | None) -> Sniffed:
    """Detect a text format, or a binary file that poses as text."""
    head = _view(raw)
    if named is not None and named.signs.inside is not None and named.signs.inside.search(head):
        return Sniffed(named.name)
    candidates = [row for row in rows if any(sign.match(head) for sign in row.signs.text)]
    for row in candidates:
        if row.signs.certain:
            return Sniffed(row.name)
    if candidates and not (named is not None and named.keeps_ending):
        return Sniffed(candidates[-1].name)  # the rows below are the narrower ones
    if named is not None and named.needs_sign:
        return Sniffed(
            "text",
            warnings=("This is not JSON of a known kind, so it was read as plain text.",),
            explains_mismatch=True,
        )
    if named is not None and named.text:
        return Sniffed(named.name)
    try:
        decode(raw.data[:HEAD], raw.source, raw.encoding)
    except ParseError:
        return Sniffed("")
    likely = next((row.name for row in rows if row.signs.likely is not None and row.signs.likely(head)), "")
    return Sniffed(likely or (named.text_is if named is not None else "text"))


def _view(raw: RawFile) -> str:
    """Return the start as ASCII, which all marks are in; UTF-16 loses its NULs."""
    head = raw.data[:HEAD].replace(b"\0", b"")
    for bom in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.removeprefix(bom)
    return head.decode("latin-1").replace("\r\n", "\n")


# -- archives and OLE2 files, by the names of their parts


class Inside(NamedTuple):
    """Name of the format found in a ZIP archive or OLE2 file, and whether the file has macros."""

    name: str
    """Format name."""
    macros: bool = False


_OTHERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"^Index/Document\.iwa$|^Index\.zip$"),
        "a document of Pages, Numbers or Keynote; export it as .docx, .xlsx or .pptx and add that",
    ),
    (re.compile(r"^visio/"), "a Visio drawing; save it as a PDF and add that"),
    (re.compile(r"^META-INF/MANIFEST\.MF$|^AndroidManifest\.xml$"), "a program; leave it out"),
)


_BINARY = b"sheet.binary.macroEnabled"
"""Type of every binary workbook, with macros or without."""


def in_archive(raw: RawFile, rows: Sequence[Format]) -> Inside:
    """Detect the format in a ZIP archive by `mimetype`, `[Content_Types].xml` and entry names.

    No other entry is unpacked.

    Raises:
        ParseError, TooLargeError: damaged, a bomb, encrypted; or nothing readable, with advice.
    """
    archive = list_archive(raw)
    names = archive.namelist()
    macros = any(name.endswith("vbaProject.bin") for name in names)
    kind = _part(archive, names, "mimetype", raw).decode("latin-1").strip()
    for row in rows:
        if kind in row.signs.mimetypes:
            return Inside(row.name, macros)
    if ".opendocument." in kind:
        raise ParseError(
            (
                f"{raw.source} is an OpenDocument file other than a text or a spreadsheet; save it as .pptx "
                f"or .pdf and add that."
            ),
            where=raw.source,
        )
    types = _part(archive, names, "[Content_Types].xml", raw)
    for row in rows:
        if row.signs.main_part is not None and row.signs.main_part.search(types):
            return Inside(row.name, macros or b"macroEnabled" in types.replace(_BINARY, b""))
    for other, what in _OTHERS:
        if any(other.search(name) for name in names):
            raise ParseError(f"{raw.source} is {what}.", where=raw.source)
    for row in rows:
        if row.signs.member is not None and any(map(row.signs.member.search, names)):
            return Inside(row.name, macros)
    raise ParseError(
        f"{raw.source} is an archive, not a document; unpack it and add its files.",
        where=raw.source,
    )


def _part(archive: zipfile.ZipFile, names: list[str], name: str, raw: RawFile) -> bytes:
    """Return a small entry of an archive; empty if missing."""
    if name not in names or archive.getinfo(name).file_size > _LARGEST_LIST:
        return b""
    return read_entry(archive, name, raw.source)


_STREAMS: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", "is protected by a password; remove the password and add the file again"),
    ("WordDocument", "is a Word document from before 2007; save it as .docx and add that"),
    ("PowerPoint Document", "is a presentation from before 2007; save it as .pptx and add that"),
    ("VisioDocument", "is a Visio drawing; save it as a PDF and add that"),
    ("!_StringData", "is an installer, not a document; leave it out"),
)
"""Stream names of OLE2 files and their meanings; the first match wins. A message may hold any others."""


def in_compound(raw: RawFile, rows: Sequence[Format]) -> Inside:
    """Detect the format of an OLE2 file (old Office, Outlook) by the names of its streams.

    Raises:
        ParseError: nothing readable, with advice.
    """
    for row in rows:
        if _any_stream(raw, row.signs.streams) and not _any_stream(raw, row.signs.no_streams):
            return Inside(row.name)
    for stream, meaning in _STREAMS:
        if _has_stream(raw, stream):
            raise ParseError(f"{raw.source} {meaning}.", where=raw.source)
    raise ParseError(
        f"{raw.source} is an old Office file of an unsupported type; save it in a current format and add that.",
        where=raw.source,
    )


def _any_stream(raw: RawFile, names: Sequence[str]) -> bool:
    return any(_has_stream(raw, name) for name in names)


def _has_stream(raw: RawFile, name: str) -> bool:
    return (name + "\0").encode("utf-16-le") in raw.data
