"""Which document a file is: a path that is known is a new version, every other gets an id that nobody has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chunking.model import Document
from chunking.store import Workspace

__all__ = ["Ids", "doc_id_for", "renamed"]


@dataclass(slots=True)
class Ids:
    """Hands out document ids: a path that is known gets its document's, each of them once a batch."""

    known: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, workspace: Workspace | None) -> Ids:
        """Those of a workspace's documents."""
        ids = cls()
        for row in workspace.documents() if workspace else ():
            ids.known.setdefault(row.source, []).append(row.doc_id)
            ids.taken.add(row.doc_id)
        return ids

    def take(self, source: str) -> str:
        """The id of a file at a path, which nobody else gets."""
        from chunking.parsing import make_doc_id

        earlier = self.known.get(source)
        doc_id = earlier.pop(0) if earlier else make_doc_id(source, self.taken)
        self.taken.add(doc_id)
        return doc_id


def doc_id_for(workspace: Workspace, source: str, taken: set[str]) -> str:
    """The id of a file that is about to be parsed.

    A path the workspace knows is a new version of that document, unless the same path came earlier in this batch:
    then it is another document.

    Args:
        source: the path inside the workspace, cleaned (`parsing.clean_source`).
        taken: ids given in this batch; the answer is added to it.
    """
    ids = Ids.of(workspace)
    ids.known = {path: [doc_id for doc_id in known if doc_id not in taken] for path, known in ids.known.items()}
    ids.taken |= taken
    doc_id = ids.take(source)
    taken.add(doc_id)
    return doc_id


def renamed(document: Document, doc_id: str) -> Document:
    """The document under another id, its sections too."""
    if doc_id == document.doc_id:
        return document

    def moved(section_id: str | None) -> str | None:
        return section_id and doc_id + section_id.removeprefix(document.doc_id)

    sections = (replace(s, section_id=moved(s.section_id) or "", parent_id=moved(s.parent_id)) for s in document.sections)
    return replace(document, doc_id=doc_id, sections=tuple(sections))
