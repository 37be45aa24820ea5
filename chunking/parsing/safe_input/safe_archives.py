"""Check ZIP archives before opening anything in them: most document formats are one.

The libraries that read DOCX, PPTX and XLSX open the archive themselves. So everything is unpacked here once, piece by
piece and bounded, by the same `zipfile`: what they will meet is what was measured, whatever the archive's own directory
says.
"""

from __future__ import annotations

import copy
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile

__all__ = ["MAX_ENTRIES", "MAX_ENTRY", "MAX_RATIO", "MAX_TOTAL", "list_archive", "open_archive", "read_entry"]

MAX_ENTRIES = 20_000
"""Most entries: a presentation has about five a slide, an e-book one per chapter and picture."""
MAX_ENTRY = 150 * 2**20
"""Most unpacked bytes of an entry: three times the largest file read."""
MAX_TOTAL = 300 * 2**20
"""Most unpacked bytes of all entries: six times the largest file read."""
MAX_RATIO = 200
"""Most unpacked bytes per packed one, of an entry over `_RATIO_FROM`.

The largest honest ratio known is 41; a bomb has about 1,000.
"""
_RATIO_FROM = 10 * 2**20

_PIECE = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that the formats allow; others unpack without a bound."""
_ENTRY_MARK = b"PK\x01\x02"
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_UNSAFE = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|[\x00-\x1f\x7f]")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<|\x4c\x6f\xa7\x94")
"""Start of XML, whatever the entry's name; the last is `<?xm` in EBCDIC, which nothing else can inspect."""
_ENTITY = b"<!ENTITY"
_EBCDIC = b"\x4c\x6f\xa7\x94"
_SUBSET = re.compile(
    rb"""(?s)(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE(?>"[^"]*"|'[^']*'|[^\["'>])*+\["""
)
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    struct.error,
    NotImplementedError,
    RuntimeError,
)
"""Exceptions of `zipfile` on damaged archives."""


def open_archive(raw: RawFile) -> zipfile.ZipFile:
    """Check a ZIP archive by unpacking every entry once within limits, and return it open.

    Call it before giving `raw.data` to a library that opens it.

    Raises:
        TooLargeError: more entries, or larger ones, than any honest document has.
        ParseError: damaged, encrypted, with a false directory, names that lead out of it, or XML that defines entities.
    """
    archive = list_archive(raw)
    total = 0
    for info in archive.infolist():
        total += _check_entry(archive, info, raw.source, MAX_TOTAL - total)
    return archive


def list_archive(raw: RawFile) -> zipfile.ZipFile:
    """Open a ZIP archive after checking only its directory: enough to detect its format.

    Raises:
        TooLargeError, ParseError: as `open_archive`, as far as the directory shows it.
    """
    if raw.data.count(_ENTRY_MARK) > MAX_ENTRIES:  # before `zipfile` makes an object of each
        raise _too_large(raw.source, f"has more than {MAX_ENTRIES:,} entries")
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw.data))
    except _BROKEN as error:
        raise _damaged(raw.source) from error
    infos = archive.infolist()
    for info in infos:
        _check_directory(info, raw.source)
    if sum(info.file_size for info in infos) > MAX_TOTAL:
        raise _too_large(raw.source, f"unpacks to more than {MAX_TOTAL // 2**20} MB")
    _check_overlap(raw, infos)
    return archive


def read_entry(archive: zipfile.ZipFile, name: str, source: str) -> bytes:
    """Unpack an entry of at most `MAX_ENTRY` bytes, whatever size the directory states.

    Raises:
        ParseError: there is no such entry, or it is damaged.
        TooLargeError: it is over the limit.
    """
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise ParseError(
            f"{source} is incomplete: it has no part '{name}'; save it again with the program that made it.",
            where=source,
        ) from error
    return b"".join(_unpacked(archive, info, source, MAX_ENTRY))


def _check_directory(info: zipfile.ZipInfo, source: str) -> None:
    if info.flag_bits & 0x41:
        raise ParseError(
            f"{source} is protected by a password; remove the password and add the file again.", where=source
        )
    if _UNSAFE.search(info.filename):
        raise ParseError(
            (
                f"{source} contains a part whose name points outside it, as in forged files; save it again "
                f"with the program that made it."
            ),
            where=source,
        )
    if info.compress_type not in _METHODS:
        raise ParseError(
            f"{source} is compressed in a way that documents do not use; save it again with the program that made it.",
            where=source,
        )
    if info.file_size > MAX_ENTRY:
        raise _too_large(source, f"has a part that unpacks to more than {MAX_ENTRY // 2**20} MB")
    _check_ratio(info.file_size, info.compress_size, source)


def _check_ratio(size: int, packed: int, source: str) -> None:
    if size > _RATIO_FROM and size > MAX_RATIO * max(packed, 1):
        raise _too_large(source, f"unpacks to more than {MAX_RATIO} times its size")


def _check_overlap(raw: RawFile, infos: list[zipfile.ZipInfo]) -> None:
    """Raise for entries that share bytes: they unpack to far more than the file holds."""
    done = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        try:
            mark, name, extra = _LOCAL_HEADER.unpack_from(raw.data, info.header_offset)
        except struct.error as error:
            raise _damaged(raw.source) from error
        if mark != b"PK\x03\x04" or info.header_offset < done:
            raise _damaged(raw.source)
        done = info.header_offset + _LOCAL_HEADER.size + name + extra + info.compress_size
    if done > len(raw.data):
        raise _damaged(raw.source)


def _check_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str, left: int) -> int:
    """Unpack an entry once and return its real size."""
    size, tail, markup, entities = 0, b"", None, False
    for piece in _unpacked(archive, info, source, left):
        size += len(piece)
        if markup is None:
            markup = _MARKUP.match(_ascii(piece))
        if markup and not entities:
            tail += _ascii(piece)
            entities = _ENTITY in tail
            tail = tail[-len(_ENTITY) :]
    if markup and (entities or markup[0] == _EBCDIC) and _defines_entities(read_entry(archive, info.filename, source)):
        raise ParseError(
            (
                f"{source} defines XML entities, which can be used to attack this machine; save it again "
                f"with the program that made it."
            ),
            where=source,
        )
    return size


def _ascii(data: bytes) -> bytes:
    """Reduce UTF-16 and UTF-32 to the ASCII in it."""
    return data.replace(b"\0", b"") if b"\0" in data else data


def _defines_entities(data: bytes) -> bool:
    """True if the document type defines entities (an example in the text does not), or could hide some."""
    return data.startswith(_EBCDIC) or bool(_SUBSET.match(_ascii(data)))


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str, left: int) -> Iterator[bytes]:
    """Yield the real bytes of an entry; `zipfile` alone would silently stop at the stated size."""
    unbounded = copy.copy(info)
    unbounded.file_size = MAX_ENTRY + 2 * _PIECE  # so far that the bound below is met first
    size = 0
    try:
        with archive.open(unbounded) as file:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > min(left, MAX_ENTRY):
                    raise _too_large(
                        source, f"unpacks to more than {(MAX_ENTRY if size > MAX_ENTRY else MAX_TOTAL) // 2**20} MB"
                    )
                _check_ratio(size, info.compress_size, source)
                yield piece
    except ParseError:
        raise
    except _BROKEN as error:
        raise _damaged(source) from error
    if size != info.file_size:
        raise _damaged(source)


def _too_large(source: str, what: str) -> TooLargeError:
    return TooLargeError(
        f"{source} {what}, which no document needs; split it into smaller files if it is one.", where=source
    )


def _damaged(source: str) -> ParseError:
    return ParseError(
        f"{source} is damaged: its parts cannot be unpacked; save it again with the program that made it.", where=source
    )
