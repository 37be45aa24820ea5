"""An index read from its first chunk to its last, a few documents at a time: for writing it to a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.model import CHUNK, CLUSTER, Chunk

if TYPE_CHECKING:
    from chunking.store.index.index import Index

__all__ = ["stream_chunks"]

AT_ONCE = 2_000
"""Rows read in one query, about: a document is never read in two."""


def stream_chunks(index: Index, levels: Iterable[str] = (CHUNK,), *, at_once: int = AT_ONCE) -> Iterator[Chunk]:
    """Chunks by document, level and place; clusters, which are of no document, last. Equal indexes give equal orders.

    Holds no more than the rows of a few documents, however large the index is.

    Args:
        levels: in the order in which those of a document come.
        at_once: rows of one query, about.
    """
    wanted = tuple(dict.fromkeys(levels))
    order = {level: place for place, level in enumerate(wanted)}
    for doc_ids in _groups(index.levels_by_document(), at_once):
        found = (chunk for chunk in index.of_documents(doc_ids) if chunk.level in order)
        yield from sorted(found, key=lambda chunk: (chunk.doc_id, order[chunk.level], chunk.chunk_index))
    if CLUSTER in order:
        yield from index.by_level(CLUSTER)


def _groups(counts: Mapping[str, Counter[str]], at_once: int) -> Iterator[Sequence[str]]:
    group: list[str] = []
    held = 0
    for doc_id in sorted(doc_id for doc_id in counts if doc_id):
        rows = counts[doc_id].total()
        if group and held + rows > at_once:
            yield group
            group, held = [], 0
        group.append(doc_id)
        held += rows
    if group:
        yield group
