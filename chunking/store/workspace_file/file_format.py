"""What a workspace's file looks like: a zip of Arrow streams, a table each, and a manifest that says what is in them.

| entry | what it holds |
|---|---|
| `manifest.json` | versions of format and code, indexes with fingerprints, rows, bytes and hash of each table |
| `NAME.arrow.zst` | the rows of a table in the columns of `engine.schema`: an Arrow stream in zstd |
| `chunks_0.arrow.zst` ... | the rows of the indexes, vectors included, in the order of the table `indexes` |

Rows, not the engine's files: a manifest of the engine can name files anywhere. Arrow streams, not Parquet: the buffers
of an Arrow
batch take no more memory than they have bytes, and say how many before they are read; a page of Parquet repeats a value
as often
as it likes. The table `sections` is a copy of what the documents say, and is made again.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Self

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

__all__ = ["ENDING", "FORMAT", "MANIFEST", "TABLES", "FileLimits", "Manifest", "SavedIndex", "SavedTable", "entry_name"]

FORMAT = 1
"""Version of the file's form; a later one is refused."""
ENDING = ".chunkscope"
"""How the names of such files end."""
MANIFEST = "manifest.json"
TABLES = (DOCUMENTS, FILES, CHANGES, NAMED_RECORDS, GENERATED_TEXTS, EMBEDDINGS, ENCODINGS, SEARCH_HISTORY, INDEXES)
"""Those of fixed columns, in the order in which they are read: documents before what refers to them."""
_MARK = "chunkscope_workspace"
_ENTRY = ".arrow.zst"
_MOST_INDEXES = 1_000
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What a file may have at most; one that is over is refused before its rows are read."""

    file_bytes: int = 8 * 2**30
    bytes: int = 32 * 2**30
    """Of all rows, as they are in memory."""
    batch_bytes: int = 256 * 2**20
    """Of the rows that are read at once, and so of one row, such as a document with its blocks."""
    rows: int = 50_000_000
    """Of a table."""
    ratio: int = 500
    """Bytes of a table's rows for each one in the file, over 10 MB; texts have 3 to 40."""
    seconds: float | None = None
    """How long opening may take; None: as long as it needs."""


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table in the file."""

    name: str
    rows: int
    bytes: int
    """Of the Arrow stream."""
    sha256: str
    """Of the entry, as it stands in the file."""


@dataclass(frozen=True, slots=True)
class SavedIndex:
    """An index in the file."""

    name: str
    fingerprint: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the file."""

    saved: str
    """ISO 8601, UTC."""
    versions: dict[str, int]
    """Of the code that it was saved with (`chunking.versions`)."""
    tables: tuple[SavedTable, ...]
    indexes: tuple[SavedIndex, ...]

    def to_json(self) -> str:
        return json.dumps({_MARK: FORMAT, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, data: bytes, name: str) -> Self:
        """Read what `to_json` wrote.

        Args:
            name: of the file, for error sentences.
        Raises:
            WorkspaceFileError: it is something else, or of a later version.
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
                    f"{name} is from a later version of Chunkscope (format {version!s:.20}; this one reads {FORMAT}); "
                    "open it with that one."
                ),
                where=name,
            )
        try:
            made = cls(
                _text(tree["saved"]),
                {_text(key): _count(value) for key, value in tree["versions"].items()},
                tuple(map(_table, tree["tables"])),
                tuple(map(_index, tree["indexes"])),
            )
            made._check()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WorkspaceFileError(
                f"The list of contents of {name} is damaged ({error}); save the workspace again.", where=name
            ) from error
        return made

    def table(self, name: str) -> SavedTable | None:
        """A table by its name; None where it has no rows, and is not in the file."""
        return next((one for one in self.tables if one.name == name), None)

    def _check(self) -> None:
        names = [table.name for table in self.tables]
        known = {*TABLES, *(f"{CHUNKS}{number}" for number in range(len(self.indexes)))}
        if len(self.indexes) > _MOST_INDEXES:
            raise ValueError(f"{len(self.indexes)} indexes")
        if len(set(names)) != len(names) or not set(names) <= known:
            raise ValueError("tables that no workspace has")
        if not all(_DIGEST.fullmatch(table.sha256) for table in self.tables):
            raise ValueError("a hash that is none")
        if not all(1 <= index.dimension <= 65_536 for index in self.indexes):
            raise ValueError("vectors of no length")


def entry_name(table: str) -> str:
    """The name of a table's entry in the zip.

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
        raise ValueError("a number that is none")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 1_000:
        raise ValueError("a name that is none")
    return value
