"""Files into a workspace: which document each one is, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from chunking.errors import ParseError
from chunking.indexing.records import Failure
from chunking.model import Document
from chunking.store import Workspace

__all__ = ["add_files", "doc_id_for", "read_files", "save"]

_BATCH_CHARACTERS = 8_000_000
"""Text saved in one commit, about."""


@dataclass(slots=True)
class _Ids:
    """Hands out document ids: a path that is known gets its document's, each of them once a batch."""

    known: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, workspace: Workspace | None) -> _Ids:
        ids = cls()
        for row in workspace.documents() if workspace else ():
            ids.known.setdefault(row.source, []).append(row.doc_id)
            ids.taken.add(row.doc_id)
        return ids

    def take(self, source: str) -> str:
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
    ids = _Ids.of(workspace)
    ids.known = {path: [doc_id for doc_id in known if doc_id not in taken] for path, known in ids.known.items()}
    ids.taken |= taken
    doc_id = ids.take(source)
    taken.add(doc_id)
    return doc_id


def read_files(
    paths: Iterable[str | Path], workspace: Workspace | None = None, *, encoding: str | None = None
) -> tuple[list[Document], list[Failure]]:
    """Read files and folders as documents; nothing is saved.

    Args:
        paths: files, or folders to read recursively.
        workspace: whose documents the files may be new versions of.
        encoding: of all files; guessed for each where it is None.
    Returns:
        The documents, and why the others could not be read.
    Raises:
        ParseError: one of `paths` does not exist.
    """
    from chunking.parsing import clean_source, find_files, parse_file

    ids = _Ids.of(workspace)
    documents: list[Document] = []
    failed: list[Failure] = []
    for path, root in find_files([Path(path) for path in paths]):
        try:
            document = parse_file(path, root=root, encoding=encoding)
        except ParseError as error:
            failed.append(Failure(clean_source(path.relative_to(root).as_posix()), str(error)))
        else:
            documents.append(_renamed(document, ids.take(document.source)))
    return documents, failed


def _renamed(document: Document, doc_id: str) -> Document:
    """The document under another id, its sections too."""
    if doc_id == document.doc_id:
        return document

    def moved(section_id: str | None) -> str | None:
        return section_id and doc_id + section_id.removeprefix(document.doc_id)

    sections = (replace(s, section_id=moved(s.section_id) or "", parent_id=moved(s.parent_id)) for s in document.sections)
    return replace(document, doc_id=doc_id, sections=tuple(sections))


def add_files(workspace: Workspace, paths: Iterable[str | Path], *, encoding: str | None = None) -> tuple[list[Document], list[Failure]]:
    """Read files and folders and save what could be read; see `read_files`.

    Raises:
        ParseError: one of `paths` does not exist.
        LockedError, StoreError: the workspace cannot be written.
    """
    with workspace.writer():
        documents, failed = read_files(paths, workspace, encoding=encoding)
        save(workspace, documents)
    return documents, failed


def save(workspace: Workspace, documents: Iterable[Document]) -> None:
    """Save documents, several in a commit."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= _BATCH_CHARACTERS:
            workspace.put_documents(batch)
            batch, size = [], 0
    workspace.put_documents(batch)
