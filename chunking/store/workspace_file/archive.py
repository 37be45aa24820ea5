"""The zip around the tables: written entry by entry, and opened without trusting a name, a size or a list in it.

Nothing is ever unpacked by the names in it: entries are read as streams, and only those of which the manifest says what
they are.
"""

from __future__ import annotations

import hashlib
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from chunking.errors import WorkspaceFileError
from chunking.store.workspace_file.file_format import MANIFEST, FileLimits, Manifest, SavedTable, entry_name

__all__ = ["Hashed", "new_entry", "opened_archive", "table_stream"]

_END, _END_SIZE = b"PK\x05\x06", 22
_LOCATOR, _LOCATOR_SIZE = b"PK\x06\x07", 20
_END64, _END64_SIZE = b"PK\x06\x06", 56
_MOST_LIST = 2**20
"""Bytes of the zip's own list of entries: about 80 an entry."""
_MOST_MANIFEST = 2**20
_SMALL = 10 * 2**20
"""Bytes up to which nobody asks how far a table was compressed."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Hashed:
    """A file that is written to, or read from, with the hash of what went through."""

    closed = False

    def __init__(self, file: Any) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._digest.update(data)
        return int(self._file.write(data))

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(size)
        self._digest.update(data)
        return data

    def flush(self) -> None:
        """The zip is flushed when it is closed."""

    def close(self) -> None:
        """Who opened the entry closes it."""

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


@contextmanager
def new_entry(archive: zipfile.ZipFile, name: str) -> Iterator[Hashed]:
    """An entry of any size that is being written; equal content gives equal bytes."""
    with archive.open(zipfile.ZipInfo(name, _EPOCH), "w", force_zip64=True) as entry:
        yield Hashed(entry)


@contextmanager
def opened_archive(path: Path, limits: FileLimits) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """A file that anybody may have made, once its list of contents is sane and within the limits. No row is read yet.

    Raises:
        WorkspaceFileError: it is no such file, or damaged, or too large; the sentence says which.
    """
    try:
        with path.open("rb") as file:
            size = _checked_size(file, path, limits)
            _check_list(file, size, path.name)
            with zipfile.ZipFile(file) as archive:
                yield archive, _checked(archive, size, path.name, limits)
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        NotImplementedError,
        EOFError,
        struct.error,
        UnicodeError,
        ValueError,
    ) as error:
        raise WorkspaceFileError(
            (
                f"{path.name} is not a workspace that Chunkscope saved, or part of it is missing; save or "
                f"download it again."
            ),
            where=str(path),
        ) from error
    except OSError as error:
        if isinstance(error, WorkspaceFileError) or error.errno is None or error.filename != str(path):
            raise
        raise WorkspaceFileError(
            f"The file {path} cannot be read ({error.strerror}); check its name.", where=str(path)
        ) from error


def table_stream(archive: zipfile.ZipFile, table: SavedTable) -> BinaryIO:
    """An entry that is read, hashed."""
    return cast(BinaryIO, Hashed(archive.open(entry_name(table.name))))


def _checked_size(file: BinaryIO, path: Path, limits: FileLimits) -> int:
    size = file.seek(0, 2)
    if size > limits.file_bytes:
        raise WorkspaceFileError(
            f"{path.name} has {size / 2**20:,.0f} MB; the limit for a workspace file is "
            f"{limits.file_bytes / 2**20:,.0f} MB.",
            where=str(path),
        )
    return size


def _check_list(file: BinaryIO, size: int, name: str) -> None:
    """Look at the zip's end, which says how long its list of entries is, before all of the list is read.

    Raises:
        ValueError: it is no zip, or none that was saved here: those have a short list and no comment.
    """
    file.seek(max(size - _END_SIZE, 0))
    end = file.read(_END_SIZE)
    if len(end) != _END_SIZE or end[:4] != _END or end[-2:] != b"\0\0":
        raise ValueError("no end of a zip")
    length, start = struct.unpack("<II", end[12:20])
    # zipfile goes by the record of a large zip wherever there is one, also where the end of the zip names other
    # numbers.
    at = size - _END_SIZE - _LOCATOR_SIZE - _END64_SIZE
    file.seek(max(at + _END64_SIZE, 0))
    locator = file.read(_LOCATOR_SIZE)
    if locator[:4] == _LOCATOR:
        file.seek(max(at, 0))
        end = file.read(_END64_SIZE)
        if end[:4] != _END64 or struct.unpack("<Q", locator[8:16])[0] != at:
            raise ValueError("no end of a large zip")
        length, start = struct.unpack("<QQ", end[40:56])
    elif 0xFFFFFFFF in (length, start) or end[8:12] == b"\xff\xff\xff\xff":
        raise ValueError("no end of a large zip")
    if length > min(_MOST_LIST, size) or start > size:
        raise ValueError("a list of entries that is too long")
    file.seek(0)


def _checked(archive: zipfile.ZipFile, size: int, name: str, limits: FileLimits) -> Manifest:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise WorkspaceFileError(
            f"{name} contains two files of the same name; get it again from whoever saved it.", where=name
        )
    for entry in entries:
        if not entry.filename or entry.is_dir() or stat.S_ISLNK(entry.external_attr >> 16):
            raise _foreign(name, entry.filename)
        if entry.flag_bits & 1:
            raise WorkspaceFileError(f"{name} is locked with a password; workspace files have none.", where=name)
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise WorkspaceFileError(f"{name} was repacked by another program; get the original file.", where=name)
    if sum(names_size.file_size for names_size in entries) > size:
        raise WorkspaceFileError(
            f"{name} uses the same bytes for several files; get it again from whoever saved it.", where=name
        )
    if MANIFEST not in names:
        raise WorkspaceFileError(
            f"{name} is not a workspace saved by Chunkscope: it has no list of contents.", where=name
        )
    if archive.getinfo(MANIFEST).file_size > _MOST_MANIFEST:
        raise WorkspaceFileError(f"The list of contents of {name} is too long; save the workspace again.", where=name)
    manifest = Manifest.from_json(archive.read(MANIFEST), name)
    for other in sorted(set(names) - {MANIFEST} - {entry_name(table.name) for table in manifest.tables}):
        raise _foreign(name, other)
    for table in manifest.tables:
        if entry_name(table.name) not in names:
            raise WorkspaceFileError(
                f"{name} lacks the table {table.name} from its list of contents; get it again.", where=name
            )
        _check_table(table, archive.getinfo(entry_name(table.name)).file_size, name, limits)
    total = sum(table.bytes for table in manifest.tables)
    if total > limits.bytes:
        raise WorkspaceFileError(
            f"{name} contains {total / 2**20:,.0f} MB of rows; the limit is {limits.bytes / 2**20:,.0f} MB.", where=name
        )
    return manifest


def _check_table(table: SavedTable, stored: int, name: str, limits: FileLimits) -> None:
    if table.rows > limits.rows:
        raise WorkspaceFileError(
            f"The table {table.name} in {name} has {table.rows:,} rows; the limit is {limits.rows:,}.", where=name
        )
    if table.bytes > _SMALL and table.bytes > limits.ratio * max(stored, 1):
        raise WorkspaceFileError(
            (
                f"The table {table.name} in {name} would grow to more than {limits.ratio} times its size; it was not "
                "opened."
            ),
            where=name,
        )


def _foreign(name: str, entry: str) -> WorkspaceFileError:
    shown = "".join(letter if letter.isprintable() else "?" for letter in entry[:60])
    return WorkspaceFileError(
        f"{name} contains '{shown}', which is not part of a workspace; it was not opened.", where=name
    )
