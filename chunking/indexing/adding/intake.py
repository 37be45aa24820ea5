"""Assign workspace ids to parsed documents, and collect source files to store.

A known path is a new version; any other gets an unused id. Every import into a workspace goes through `Intake`.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chunking.model import BUILT_IN, Document
from chunking.paths import AnyPath
from chunking.store import DocumentRow, Workspace

__all__ = ["Ids", "Intake", "SourceFiles", "keeps_file", "renamed"]


@dataclass(slots=True)
class Ids:
    """Document ids of a workspace, to be assigned: a known path gets its id, others unused ones.

    Each id is assigned at most once.
    """

    by_path: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Existing ids by parent's id and path."""
    used: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """Last number assigned, by id without a number, to save searching for an unused one."""

    @classmethod
    def of(cls, workspace: Workspace | None) -> Ids:
        """Return the ids of a workspace's documents, read once; no ids for None."""
        return cls.among(workspace.documents() if workspace else ())

    @classmethod
    def among(cls, rows: Collection[DocumentRow], sources: Collection[str] | None = None) -> Ids:
        """Return the ids of the documents in some rows.

        Args:
            sources: paths of all files that ids will be assigned to, which saves time where they are few; None: any.
        """
        ids = cls(used={row.doc_id for row in rows})
        for row in rows:
            if sources is None or row.parent_id or row.source in sources:
                ids.by_path.setdefault((row.parent_id, row.source), []).append(row.doc_id)
        return ids

    def assign(self, documents: Sequence[Document], doc_id: str = "") -> list[Document]:
        """Return one file's documents (`parsing.parse_all`) under their ids in the workspace.

        Args:
            doc_id: id of the file's own document, if it is read again; empty: by its path.
        """
        own, *inner = documents
        if doc_id in (earlier := self.by_path.get(("", own.source), [])):
            earlier.remove(doc_id)
        doc_id = doc_id or self.claim(own.source)
        return [renamed(own, doc_id), *(renamed(one, self.claim(one.source, doc_id), doc_id) for one in inner)]

    def claim(self, source: str, parent_id: str = "") -> str:
        """Return a file's id and mark it as used: the id of an earlier version, or an unused one.

        Args:
            source: the path inside the workspace, cleaned (`parsing.clean_source`).
            parent_id: of an embedded file.
        """
        earlier = self.by_path.get((parent_id, source))
        doc_id = earlier.pop(0) if earlier else self._unused(source)
        self.used.add(doc_id)
        return doc_id

    def next_version(self, source: str) -> str:
        """Return the id that the next file of a path will get; empty if no document of the path is left."""
        earlier = self.by_path.get(("", source))
        return earlier[0] if earlier else ""

    def _unused(self, source: str) -> str:
        from chunking.parsing import make_doc_id, numbered_id

        plain = make_doc_id(source)
        if plain not in self.used:
            return plain
        for number in itertools.count(self.numbers.get(plain, 1) + 1):
            if (doc_id := numbered_id(plain, number)) not in self.used:
                break
        self.numbers[plain] = number
        return doc_id


def renamed(document: Document, doc_id: str, parent_id: str | None = None) -> Document:
    """Return a document under another id, which its sections' ids then begin with as well.

    Args:
        parent_id: new parent of an embedded file; None: unchanged.
    """
    parent_id = document.parent_id if parent_id is None else parent_id
    if (doc_id, parent_id) == (document.doc_id, document.parent_id):
        return document

    def moved(section_id: str | None) -> str | None:
        return section_id and doc_id + section_id.removeprefix(document.doc_id)

    sections = (
        replace(s, section_id=moved(s.section_id) or "", parent_id=moved(s.parent_id)) for s in document.sections
    )
    return replace(document, doc_id=doc_id, parent_id=parent_id, sections=tuple(sections))


# -- source files to keep


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
    """Collection of parsed documents under workspace ids, and source files to store, for `save`."""

    def __init__(self, rows: Collection[DocumentRow] = ()) -> None:
        """Start from the workspace's documents, of which files may be new versions."""
        self._ids = Ids.among(rows)
        self.documents: list[Document] = []
        """Documents in the order of the files, each followed by those embedded in it."""
        self.sources = SourceFiles()

    def add(self, family: Sequence[Document], file: AnyPath | bytes | None, doc_id: str = "") -> list[Document]:
        """Assign ids to the documents of one file, collect and return them; nothing is saved.

        Its source file is collected if its format stores one.

        Args:
            family: the file's documents (`parsing.parse_all`): its own, then the embedded ones.
            file: its path or content; None: the workspace has it.
            doc_id: as for `Ids.assign`.
        """
        documents = self._ids.assign(family, doc_id)
        self.documents += documents
        if file is not None and keeps_file(documents[0]):
            self.sources.files[documents[0].hash] = file if isinstance(file, bytes) else Path(file)
        return documents


def keeps_file(document: Document) -> bool:
    """True if the file of a document is stored, to draw its pages or to read it with another parser.

    A text that is its file, decoded, is stored only if another parser wrote the document.
    """
    from chunking.parsing import PARSERS, format_named

    row = format_named(document.format)
    if row is None:
        return False
    read_by = sum(not parser.why_not(row) for parser in PARSERS)
    return row.keeps_file or document.parser != BUILT_IN or (read_by > 1 and not row.text_is_file)
