"""Final ids of documents: the one step of a build that must know every file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chunking.indexing.adding.intake import Ids, renamed
from chunking.model import Document

__all__ = ["assign_ids", "with_ids"]


def assign_ids(families: Iterable[Sequence[str]], ids: Ids | None = None) -> list[tuple[str, ...]]:
    """Return the ids of each file's documents, as `Ids.assign` gives them, from their sources alone.

    Args:
        families: for each file that could be read, in the order of the listing: its source, then those of the files
            in it.
        ids: of the documents before these; None: there are none.
    """
    ids = ids or Ids()
    assigned: list[tuple[str, ...]] = []
    for own, *inner in families:
        doc_id = ids.claim(own)
        assigned.append((doc_id, *(ids.claim(source, doc_id) for source in inner)))
    return assigned


def with_ids(family: Sequence[Document], doc_ids: Sequence[str]) -> list[Document]:
    """Return one file's documents under their ids in the workspace."""
    own, *inner = family
    return [
        renamed(own, doc_ids[0]),
        *(renamed(one, doc_id, doc_ids[0]) for one, doc_id in zip(inner, doc_ids[1:], strict=True)),
    ]
