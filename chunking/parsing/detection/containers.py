"""Find the document in a ZIP archive or OLE2 file by the names of its parts, without parsing them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.format_row import Format
from chunking.parsing.safe_input.safe_archives import list_archive, read_entry

__all__ = ["Inside", "in_archive", "in_compound"]

_LARGEST_LIST = 4 * 2**20
"""Bytes of `[Content_Types].xml` examined."""


class Inside(NamedTuple):
    """The content of a container."""

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
    """The content of a ZIP archive; its directory is checked, its parts are not unpacked.

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
                f"{raw.source} is an OpenDocument file other than a text or a spreadsheet; save it as .pptx or .pdf "
                "and add that."
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
    """A small part; empty if missing."""
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
    """The content of an OLE2 file, from stream names in its directory, found without following its structure.

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
