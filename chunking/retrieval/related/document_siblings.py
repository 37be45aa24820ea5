"""Whole documents, and the ones beside them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import NotFoundError
from chunking.parsing.detection.path_names import path_hierarchy

if TYPE_CHECKING:
    from chunking.store import DocumentRow, Workspace

__all__ = ["Siblings", "fetch", "natural_key", "nearest", "siblings", "siblings_of"]


@dataclass(frozen=True, slots=True)
class Siblings:
    """Documents in the same folder."""

    doc_id: str
    path: tuple[str, ...]
    """The folder, from the workspace's root; empty at the root."""
    count: int
    """How many there are besides the document itself."""
    nearest: tuple[DocumentRow, ...]
    """The nearest of them by name, in the order of their names."""


def fetch(workspace: Workspace, doc_id: str, *, index: str | None = None) -> str:
    """A whole document in the form that a language model's `fetch` tool returns.

    Two lines (`Document: …`, `Total chunks: …`), an empty one, then the text as it is in the document: overlaps stand
    once.

    Args:
        workspace: where the document is.
        doc_id: which one.
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
    """Documents in the same folder as one: how many, and the `n` nearest by name.

    Raises:
        NotFoundError: no such document.
    """
    found = siblings_of(workspace, [doc_id], n)
    if doc_id not in found:
        raise NotFoundError(f"There is no document '{doc_id}' in the workspace; `documents` lists them.", where=doc_id)
    return found[doc_id]


def siblings_of(workspace: Workspace, doc_ids: Collection[str], n: int = 5) -> dict[str, Siblings]:
    """The same of several documents, by id, from one list of the workspace's; those that are gone are left out."""
    rows = workspace.documents()
    own = {row.doc_id: path_hierarchy(row.source) for row in rows if row.doc_id in doc_ids}
    folders: dict[tuple[str, ...], list[DocumentRow]] = {path: [] for path in own.values()}
    for row in rows:
        if (path := path_hierarchy(row.source)) in folders:
            folders[path].append(row)
    found = {}
    for path, beside in folders.items():
        beside.sort(key=lambda row: (natural_key(row.source), row.doc_id))
        for place, row in enumerate(beside):
            if row.doc_id in own:
                chosen = nearest(len(beside), place, n)
                found[row.doc_id] = Siblings(row.doc_id, path, len(beside) - 1, tuple(beside[at] for at in chosen))
    return found


def nearest(count: int, own: int, n: int) -> list[int]:
    """The `n` places of 0 … count - 1 nearest to `own`, without it, in order; of two as near, the one before.

    >>> nearest(10, 4, 3), nearest(10, 0, 3), nearest(1, 0, 3)
    ([2, 3, 5], [1, 2, 3], [])
    """
    others = (place for place in range(count) if place != own)
    return sorted(sorted(others, key=lambda place: (abs(place - own), place))[: max(n, 0)])


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Sorts names as people do: chapter2 before chapter10.

    >>> sorted(["c10.md", "c2.md", "B.md"], key=natural_key)
    ['B.md', 'c2.md', 'c10.md']
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    return tuple((text, int(number or -1)) for text, number in zip(parts[::2], [*parts[1::2], ""], strict=True))
