"""Intake of parsed files: the ids of their documents, and which source files to keep.

Every way into a workspace goes through here: the page's upload, the command line, and the samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chunking.indexing.ingest.document_ids import Ids
from chunking.model import Document
from chunking.paths import AnyPath
from chunking.store import DocumentRow

__all__ = ["Intake", "SourceFiles", "keeps_file"]


@dataclass(slots=True)
class SourceFiles(Mapping[str, bytes]):
    """Source files by hash, in memory or on disk.

    Files on disk are read when saved, since a folder of them may not fit in memory; one that changed or disappeared
    meanwhile is missing.
    """

    files: dict[str, Path | bytes] = field(default_factory=dict)

    def __getitem__(self, hash: str) -> bytes:
        file = self.files[hash]
        if isinstance(file, bytes):
            return file
        try:
            data = file.read_bytes()
        except OSError as error:
            raise KeyError(hash) from error
        if hashlib.sha256(data).hexdigest() != hash:
            raise KeyError(hash)
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


class Intake:
    """Documents of parsed files under their ids, and the source files to keep with them, for `save`."""

    def __init__(self, rows: Iterable[DocumentRow] = ()) -> None:
        """Args:
        rows: documents of the workspace, of which files may be new versions.
        """
        self._ids = Ids.among(rows)
        self.documents: list[Document] = []
        """In the order of the files, each followed by those of the files in it."""
        self.sources = SourceFiles()

    def add(self, family: Sequence[Document], file: AnyPath | bytes) -> list[Document]:
        """Assign ids to the documents of one file.

        Args:
            family: of the file (`parsing.parse_all`): its own, then those of the files in it.
        """
        documents = self._ids.assign(family)
        self.documents += documents
        if keeps_file(documents[0]):
            self.sources.files[documents[0].hash] = file if isinstance(file, bytes) else Path(file)
        return documents


def keeps_file(document: Document) -> bool:
    """Whether the source file is kept with a document, since its pages can be drawn."""
    from chunking.parsing import format_named

    row = format_named(document.format)
    return row is not None and row.keeps_file
