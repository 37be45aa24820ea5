"""Fetching of a document, and its siblings in the folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import NotFoundError
from chunking.parsing.detection.path_names import path_hierarchy

if TYPE_CHECKING:
    from chunking.store import DocumentRow, Workspace

__all__ = ["Siblings", "fetch", "natural_key", "nearest", "siblings", "siblings_of"]


@dataclass(frozen=True, slots=True)
class Siblings:
    """Documents in the same folder as one document."""

    doc_id: str
    path: tuple[str, ...]
    """Folder, from the workspace's root; empty at the root."""
    count: int
    """Number of documents in the folder besides the document itself."""
    nearest: tuple[DocumentRow, ...]
    """Nearest of them by name, sorted by name."""


def fetch(workspace: Workspace, doc_id: str, *, index: str | None = None) -> str:
    """Return a complete document in the form of a language model's `fetch` tool.

    Two lines (`Document: …`, `Total chunks: …`), an empty one, then the text as it is in the document: overlaps are not
    repeated.

    Args:
        workspace: contains the document.
        doc_id: id of the document.
        index: whose chunks are counted; None: the newest index. Without any index the count is 0.
    Raises:
        NotFoundError: no such document or index.
    """
    document = workspace.document(doc_id)
    counted = index is not None or bool(workspace.indexes())
    first = workspace.index(index).chunks_by_id([f"{doc_id}_chunk0"]).values() if counted else ()
    total = sum(chunk.total_chunks for chunk in first)
    return f"Document: {doc_id}\nTotal chunks: {total}\n\n{document.text}"


def siblings(workspace: Workspace, doc_id: str, n: int = 5) -> Siblings:
    """Count the documents in the same folder, and return the `n` nearest by name.

    Raises:
        NotFoundError: no such document.
    """
    by_id = siblings_of(workspace, [doc_id], n)
    if doc_id not in by_id:
        raise NotFoundError(f"There is no document '{doc_id}' in the workspace; `documents` lists them.", where=doc_id)
    return by_id[doc_id]


def siblings_of(workspace: Workspace, doc_ids: Collection[str], n: int = 5) -> dict[str, Siblings]:
    """Return the siblings of several documents by id, from one listing; missing documents are skipped."""
    from chunking.store import documents_by_id

    rows, folders = workspace.derived(documents_by_id), workspace.derived(_Folders)
    by_id = {}
    for row in (rows[doc_id] for doc_id in doc_ids if doc_id in rows):
        path = path_hierarchy(row.source)
        neighbours = folders.sorted(path)
        place = next(at for at, one in enumerate(neighbours) if one.doc_id == row.doc_id)
        chosen = nearest(len(neighbours), place, n)
        by_id[row.doc_id] = Siblings(row.doc_id, path, len(neighbours) - 1, tuple(neighbours[at] for at in chosen))
    return by_id


class _Folders:
    """Documents by folder; a folder is sorted when first asked for, since a key of a name costs more than its row."""

    def __init__(self, rows: Sequence[DocumentRow]) -> None:
        self._rows: dict[tuple[str, ...], list[DocumentRow]] = {}
        self._sorted: dict[tuple[str, ...], list[DocumentRow]] = {}
        for row in rows:
            self._rows.setdefault(path_hierarchy(row.source), []).append(row)

    def sorted(self, path: tuple[str, ...]) -> list[DocumentRow]:
        """Return the documents of a folder, sorted by name as people do."""
        if path not in self._sorted:
            self._sorted[path] = sorted(self._rows[path], key=lambda row: (natural_key(row.source), row.doc_id))
        return self._sorted[path]


def nearest(count: int, own: int, n: int) -> list[int]:
    """Return the `n` numbers of 0 … count - 1 nearest to `own`, in order; ties go to the lower.

    >>> nearest(10, 4, 3), nearest(10, 0, 3), nearest(1, 0, 3)
    ([2, 3, 5], [1, 2, 3], [])
    """
    reach = max(n, 0)
    others = (place for place in range(max(own - reach, 0), min(own + reach + 1, count)) if place != own)
    return sorted(sorted(others, key=lambda place: (abs(place - own), place))[:reach])


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Return a key that sorts names as people do: chapter2 before chapter10.

    >>> sorted(["c10.md", "c2.md", "B.md"], key=natural_key)
    ['B.md', 'c2.md', 'c10.md']
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    return tuple((text, int(number or -1)) for text, number in zip(parts[::2], [*parts[1::2], ""], strict=True))
