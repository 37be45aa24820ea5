"""Which document is in a ZIP archive or an OLE2 file, by the names of its parts; no part is understood here."""

from __future__ import annotations

import re
import zipfile
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.builder.safe_archives import list_archive, read_entry

__all__ = ["Inside", "in_archive", "in_compound"]

_LARGEST_LIST = 4 * 2**20
"""Bytes of `[Content_Types].xml` that are looked through."""


class Inside(NamedTuple):
    """What a container holds."""

    name: str
    """Of the format."""
    macros: bool = False


_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
}
_MAIN_PARTS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled"), "docx"),
    (re.compile(rb"presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.\w+\.macroEnabled"), "pptx"),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template|addin)\.macroEnabled"), "xlsx"),
)
"""The content type of a package's main part; first of all that says what it is, whatever its parts are called."""
_MEMBERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^word/document\.xml$"), "docx"),
    (re.compile(r"^ppt/presentation\.xml$"), "pptx"),
    (re.compile(r"^xl/workbook\.xml$"), "xlsx"),
    (re.compile(r"^META-INF/container\.xml$"), "epub"),
    (re.compile(r"^content\.xml$"), "odt"),
    (re.compile(r"content_list(?:_v2)?\.json$"), "mineru"),
)
_OTHERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^xl/workbook\.bin$"), "a binary workbook; save it as .xlsx and add that"),
    (
        re.compile(r"^Index/Document\.iwa$|^Index\.zip$"),
        "a document of Pages, Numbers or Keynote; export it as .docx, .xlsx or .pptx and add that",
    ),
    (re.compile(r"^visio/"), "a Visio drawing; save it as a PDF and add that"),
    (re.compile(r"^META-INF/MANIFEST\.MF$|^AndroidManifest\.xml$"), "a program; leave it out"),
)


def in_archive(raw: RawFile) -> Inside:
    """What a ZIP archive holds; its directory is checked, its parts are not unpacked.

    Raises:
        ParseError, TooLargeError: damaged, a bomb, encrypted; or nothing that can be read, with what to do.
    """
    archive = list_archive(raw)
    names = archive.namelist()
    macros = any(name.endswith("vbaProject.bin") for name in names)
    kind = _part(archive, names, "mimetype", raw).decode("latin-1").strip()
    if kind in _MIMETYPES:
        return Inside(_MIMETYPES[kind], macros)
    if ".opendocument." in kind:
        raise ParseError(
            f"{raw.source} is an OpenDocument file other than a text; save it as .xlsx, .pptx or .pdf and add that.", where=raw.source
        )
    types = _part(archive, names, "[Content_Types].xml", raw)
    for main, name in _MAIN_PARTS:
        if main.search(types):
            return Inside(name, macros or b"macroEnabled" in types)
    for other, what in _OTHERS:
        if any(other.search(name) for name in names):
            raise ParseError(f"{raw.source} is {what}.", where=raw.source)
    for member, name in _MEMBERS:
        if any(member.search(one) for one in names):
            return Inside(name, macros)
    raise ParseError(f"{raw.source} is an archive of files, not a document; unpack it and add the files that are in it.", where=raw.source)


def _part(archive: zipfile.ZipFile, names: list[str], name: str, raw: RawFile) -> bytes:
    """A small part; nothing where there is none."""
    if name not in names or archive.getinfo(name).file_size > _LARGEST_LIST:
        return b""
    return read_entry(archive, name, raw.source)


_STREAMS: tuple[tuple[str, str], ...] = (
    ("__properties_version1.0", "email"),
    ("EncryptedPackage", "is protected by a password; remove the password and add the file again"),
    ("WordDocument", "is a Word document of before 2007; save it as .docx and add that"),
    ("PowerPoint Document", "is a presentation of before 2007; save it as .pptx and add that"),
    ("Workbook", "is a workbook of before 2007; save it as .xlsx and add that"),
    ("Book", "is a workbook of before 2007; save it as .xlsx and add that"),
    ("VisioDocument", "is a Visio drawing; save it as a PDF and add that"),
    ("!_StringData", "is an installer, not a document; leave it out"),
)
"""Names of streams of an OLE2 file, and what they mean; the first found. A message may hold any of the others."""


def in_compound(raw: RawFile) -> Inside:
    """What an OLE2 file holds, by the stream names in its directory, which are found without following its structure.

    Raises:
        ParseError: nothing that can be read, with what to do.
    """
    for stream, meaning in _STREAMS:
        if (stream + "\0").encode("utf-16-le") in raw.data:
            if " " not in meaning:
                return Inside(meaning)
            raise ParseError(f"{raw.source} {meaning}.", where=raw.source)
    raise ParseError(
        f"{raw.source} is an old Office file of a kind that cannot be read; save it in a format of today and add that.", where=raw.source
    )
