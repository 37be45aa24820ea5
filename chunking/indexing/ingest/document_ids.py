"""Which document a file is: a path that is known is a new version, every other gets an id that nobody has."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chunking.model import Document
from chunking.store import DocumentRow, Workspace

__all__ = ["Ids", "renamed"]


@dataclass(slots=True)
class Ids:
    """Hands out document ids: a path that is known gets its document's, each of them once a batch."""

    known: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By the parent's id and the path."""
    taken: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """By id without a number: the last number given to it, so that files of one name are not counted through each time.
    """

    @classmethod
    def of(cls, workspace: Workspace | None) -> Ids:
        """Those of a workspace's documents, listed once."""
        return cls.among(workspace.documents() if workspace else ())

    @classmethod
    def among(cls, rows: Iterable[DocumentRow]) -> Ids:
        """Those of documents that are listed already."""
        ids = cls()
        for row in rows:
            ids.known.setdefault((row.parent_id, row.source), []).append(row.doc_id)
            ids.taken.add(row.doc_id)
        return ids

    def assign(self, documents: Sequence[Document]) -> list[Document]:
        """A file's documents (`parsing.parse_all`) under the ids that are theirs in the workspace."""
        own, *inner = documents
        doc_id = self.take(own.source)
        return [renamed(own, doc_id), *(renamed(one, self.take(one.source, doc_id), doc_id) for one in inner)]

    def take(self, source: str, parent_id: str = "") -> str:
        """The id of a file at a path, which nobody else gets.

        Args:
            source: the path inside the workspace, cleaned (`parsing.clean_source`).
            parent_id: of a file in a file.
        """
        earlier = self.known.get((parent_id, source))
        doc_id = earlier.pop(0) if earlier else self._free(source)
        self.taken.add(doc_id)
        return doc_id

    def _free(self, source: str) -> str:
        from chunking.parsing import make_doc_id, numbered_id

        plain = make_doc_id(source)
        if plain not in self.taken:
            return plain
        numbers = itertools.count(self.numbers.get(plain, 1) + 1)
        number, found = next(
            (number, found) for number in numbers if (found := numbered_id(plain, number)) not in self.taken
        )
        self.numbers[plain] = number
        return found


def renamed(document: Document, doc_id: str, parent_id: str | None = None) -> Document:
    """The document under another id, its sections too.

    Args:
        parent_id: new one of a file in a file; None: as it is.
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
