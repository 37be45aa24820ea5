"""A workspace's file: a zip of Arrow streams, a table each, and a manifest of its entries.

Written entry by entry; opened without trusting a name, a size or a list in it. Nothing is unpacked by its name: entries
are read as streams, and only those in the manifest.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from chunking.errors import WorkspaceFileError
from chunking.store.engine.schema import (
    CHANGES,
    CHUNKS,
    DOCUMENTS,
    EMBEDDINGS,
    ENCODINGS,
    FILES,
    GENERATED_TEXTS,
    INDEXES,
    NAMED_RECORDS,
    SEARCH_HISTORY,
)
from chunking.text.bounded_json import read_json

__all__ = [
    "MANIFEST",
    "TABLES",
    "FileLimits",
    "HashingFile",
    "Manifest",
    "SavedIndex",
    "SavedTable",
    "entry_name",
    "new_entry",
    "open_archive",
    "table_stream",
]

_END, _END_SIZE = b"PK\x05\x06", 22
_LOCATOR, _LOCATOR_SIZE = b"PK\x06\x07", 20
_END64, _END64_SIZE = b"PK\x06\x06", 56
_MOST_LIST = 2**20
"""Maximum bytes of the zip's own list of entries: about 80 an entry."""
_MOST_MANIFEST = 2**20
_SMALL = 10 * 2**20
"""Bytes of rows up to which the compression ratio is not checked."""
_EPOCH = (1980, 1, 1, 0, 0, 0)

FORMAT = 1
"""Version of the file format; a later one is refused."""
MANIFEST = "manifest.json"
TABLES = (DOCUMENTS, FILES, CHANGES, NAMED_RECORDS, GENERATED_TEXTS, EMBEDDINGS, ENCODINGS, SEARCH_HISTORY, INDEXES)
"""Tables of fixed columns, in reading order: documents before the rows that refer to them."""
_MARK = "chunkscope_workspace"
_ENTRY = ".arrow.zst"
_MOST_INDEXES = 1_000
_DIGEST = re.compile(r"[0-9a-f]{64}")


class HashingFile:
    """File wrapper that computes the SHA-256 of the bytes read or written through it."""

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
        """Do nothing: the zip is flushed when it is closed."""

    def close(self) -> None:
        """Do nothing: the owner of the entry closes it."""

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


@contextmanager
def new_entry(archive: zipfile.ZipFile, name: str) -> Iterator[HashingFile]:
    """Yield a hashing writer of a new zip entry; equal content gives equal bytes, without a date."""
    with archive.open(zipfile.ZipInfo(name, _EPOCH), "w", force_zip64=True) as entry:
        yield HashingFile(entry)


@contextmanager
def open_archive(path: Path, limits: FileLimits) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """Yield the zip and manifest of an untrusted file, once its entries are checked; rows are not.

    Raises:
        WorkspaceFileError: it is not a workspace file, damaged, or too large; the sentence says which.
    """
    try:
        with path.open("rb") as file:
            size = _check_size(file, path, limits)
            _check_list(file, size, path.name)
            with zipfile.ZipFile(file) as archive:
                yield archive, _check_entries(archive, size, path.name, limits)
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
    """Open a table's entry for reading, as a `HashingFile`."""
    return cast(BinaryIO, HashingFile(archive.open(entry_name(table.name))))


def _check_size(file: BinaryIO, path: Path, limits: FileLimits) -> int:
    size = file.seek(0, 2)
    if size > limits.file_bytes:
        raise WorkspaceFileError(
            (
                f"{path.name} has {size / 2**20:,.0f} MB; the limit for a workspace file is "
                f"{limits.file_bytes / 2**20:,.0f} MB."
            ),
            where=str(path),
        )
    return size


def _check_list(file: BinaryIO, size: int, name: str) -> None:
    """Check the length of the list of entries, from the zip's end, before the list is read.

    Raises:
        ValueError: it is no zip, or not one saved here: those have a short list and no comment.
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


def _check_entries(archive: zipfile.ZipFile, size: int, name: str, limits: FileLimits) -> Manifest:
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
                f"The table {table.name} in {name} would grow to more than {limits.ratio} times its size; it "
                f"was not opened."
            ),
            where=name,
        )


def _foreign(name: str, entry: str) -> WorkspaceFileError:
    shown = "".join(letter if letter.isprintable() else "?" for letter in entry[:60])
    return WorkspaceFileError(
        f"{name} contains '{shown}', which is not part of a workspace; it was not opened.", where=name
    )


# -- manifest


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Limits for opening a workspace file; a file over one of them is refused."""

    file_bytes: int = 8 * 2**30
    bytes: int = 32 * 2**30
    """Bytes of all rows in memory."""
    batch_bytes: int = 256 * 2**20
    """Bytes of rows read at once, and so of one row, such as a document with its blocks."""
    rows: int = 50_000_000
    """Rows of one table."""
    ratio: int = 500
    """Bytes of a table's rows for each byte in the file, over 10 MB; texts have 3 to 40."""
    seconds: float | None = None
    """Maximum time to open it; None: no limit."""


@dataclass(frozen=True, slots=True)
class SavedTable:
    """Record of a table in the manifest: name, rows, bytes and hash."""

    name: str
    rows: int
    bytes: int
    """Bytes of the uncompressed Arrow stream."""
    sha256: str
    """Hash of the entry in the file."""


@dataclass(frozen=True, slots=True)
class SavedIndex:
    """Record of an index in the manifest: name, fingerprint and dimension."""

    name: str
    fingerprint: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """List of a workspace file's tables and indexes, with its date and code versions."""

    saved: str
    """ISO 8601, UTC."""
    versions: dict[str, int]
    """Versions of the code it was saved with (`chunking.versions`)."""
    tables: tuple[SavedTable, ...]
    indexes: tuple[SavedIndex, ...]

    def to_json(self) -> str:
        return json.dumps({_MARK: FORMAT, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, data: bytes, name: str) -> Self:
        """Parse and check the output of `to_json`.

        Args:
            name: of the file, for error sentences.
        Raises:
            WorkspaceFileError: it is anything else, or of another format version.
        """
        try:
            tree = read_json(data)
            version = tree[_MARK]
        except (ValueError, KeyError, TypeError) as error:
            raise WorkspaceFileError(
                f"{name} is not a workspace saved by Chunkscope: it has no list of contents.", where=name
            ) from error
        if version != FORMAT:
            raise WorkspaceFileError(
                (
                    f"{name} is from a later version of Chunkscope (format {version!s:.20}; this one reads "
                    f"{FORMAT}); open it with that one."
                ),
                where=name,
            )
        try:
            manifest = cls(
                _text(tree["saved"]),
                {_text(key): _count(value) for key, value in tree["versions"].items()},
                tuple(map(_table, tree["tables"])),
                tuple(map(_index, tree["indexes"])),
            )
            manifest._check()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WorkspaceFileError(
                f"The list of contents of {name} is damaged ({error}); save the workspace again.", where=name
            ) from error
        return manifest

    def table(self, name: str) -> SavedTable | None:
        """Return a table's record by name; None if the file does not have the table."""
        return next((one for one in self.tables if one.name == name), None)

    def _check(self) -> None:
        names = [table.name for table in self.tables]
        table_names = {*TABLES, *(f"{CHUNKS}{number}" for number in range(len(self.indexes)))}
        if len(self.indexes) > _MOST_INDEXES:
            raise ValueError(f"{len(self.indexes)} indexes")
        if len(set(names)) != len(names) or not set(names) <= table_names:
            raise ValueError("tables that no workspace has")
        if not all(_DIGEST.fullmatch(table.sha256) for table in self.tables):
            raise ValueError("an invalid hash")
        if not all(1 <= index.dimension <= 65_536 for index in self.indexes):
            raise ValueError("vectors without a length")


def entry_name(table: str) -> str:
    """Return the name of a table's entry in the zip.

    >>> entry_name("documents")
    'documents.arrow.zst'
    """
    return table + _ENTRY


def _table(values: Any) -> SavedTable:
    return SavedTable(_text(values["name"]), _count(values["rows"]), _count(values["bytes"]), _text(values["sha256"]))


def _index(values: Any) -> SavedIndex:
    return SavedIndex(_text(values["name"]), _text(values["fingerprint"]), _count(values["dimension"]))


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**60:
        raise ValueError("an invalid number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 1_000:
        raise ValueError("an invalid name")
    return value
