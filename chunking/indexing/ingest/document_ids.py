"""Assign document ids: a known path is a new version, any other gets an unused id."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chunking.model import Document
from chunking.store import DocumentRow, Workspace

__all__ = ["Ids", "renamed"]


@dataclass(slots=True)
class Ids:
    """Ids of a workspace's documents, each assigned at most once per batch."""

    by_path: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By the parent's id and the path."""
    used: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """Last number assigned, by id without a number, so that files of one name are not counted through each time."""

    @classmethod
    def of(cls, workspace: Workspace | None) -> Ids:
        """The ids of a workspace; listed once."""
        return cls.among(workspace.documents() if workspace else ())

    @classmethod
    def among(cls, rows: Iterable[DocumentRow]) -> Ids:
        """The ids of listed documents."""
        ids = cls()
        for row in rows:
            ids.by_path.setdefault((row.parent_id, row.source), []).append(row.doc_id)
            ids.used.add(row.doc_id)
        return ids

    def assign(self, documents: Sequence[Document]) -> list[Document]:
        """Rename the documents of one file (`parsing.parse_all`) to their ids in the workspace."""
        own, *inner = documents
        doc_id = self.claim(own.source)
        return [renamed(own, doc_id), *(renamed(one, self.claim(one.source, doc_id), doc_id) for one in inner)]

    def claim(self, source: str, parent_id: str = "") -> str:
        """Claim the id of a file.

        Args:
            source: the path inside the workspace, cleaned (`parsing.clean_source`).
            parent_id: of a file in a file.
        """
        earlier = self.by_path.get((parent_id, source))
        doc_id = earlier.pop(0) if earlier else self._unused(source)
        self.used.add(doc_id)
        return doc_id

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
    """The document and its sections under another id.

    Args:
        parent_id: new one of a file in a file; None: unchanged.
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
