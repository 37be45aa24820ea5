"""A document's chunks grouped into every level, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chunking.model import CLUSTER, DOCUMENT, PARENT, SECTION, Chunk, Document, larger_level
from tests.support import store_rows as made


def all_levels(document: Document) -> list[Chunk]:
    """Chunks, parents and larger chunks of two, a section and the document, in the order of indexing."""
    chunks = made.chunks(document)
    parents, larger = _grouped(document, chunks, PARENT, "_parent"), _grouped(document, chunks, larger_level(2), "_x2_")
    of = {child: parent.chunk_id for parent in parents for child in parent.children}
    wider = {child: one.chunk_id for one in larger for child in one.children}
    chunks = [
        replace(one, parent_id=of[one.chunk_id], larger_ids=(wider[one.chunk_id],), written="A context.")
        for one in chunks
    ]
    return [*chunks, *parents, *larger, *_nodes(document, chunks)]


def _grouped(document: Document, chunks: Sequence[Chunk], level: str, ending: str) -> list[Chunk]:
    groups = [chunks[first : first + 2] for first in range(0, len(chunks), 2)]
    return [
        replace(
            group[0],
            chunk_id=f"{document.doc_id}{ending}{n}",
            level=level,
            chunk_index=n,
            total_chunks=len(groups),
            prev_id=f"{document.doc_id}{ending}{n - 1}" if n else None,
            next_id=f"{document.doc_id}{ending}{n + 1}" if n + 1 < len(groups) else None,
            content=document.text[group[0].start : group[-1].end],
            embedding_content=document.text[group[0].start : group[-1].end],
            end=group[-1].end,
            flags=(),
            children=tuple(chunk.chunk_id for chunk in group),
        )
        for n, group in enumerate(groups)
    ]


def _nodes(document: Document, chunks: Sequence[Chunk]) -> list[Chunk]:
    section = replace(
        chunks[0],
        **{
            "chunk_id": chunks[0].section_id,
            "level": SECTION,
            "total_chunks": 1,
            "next_id": None,
            "content": "",
            "larger_ids": (),
        },
        **{
            "summary": f"A summary of {document.title}.",
            "embedding_content": f"A summary of {document.title}.",
            "written": "",
        },
        end=len(document.text),
        children=tuple(chunk.chunk_id for chunk in chunks),
    )
    full = replace(section, chunk_id=f"{document.doc_id}_doc", level=DOCUMENT, children=(section.chunk_id,))
    return [section, full]


def cluster(number: int, *children: str, level: int = 1, summary: str = "Pumps and filters.") -> Chunk:
    """A node of a cluster tree."""
    return Chunk(
        chunk_id=f"cluster_{level}_{number}",
        **dict.fromkeys(("doc_id", "section_id", "parent_id", "prefix", "content"), ""),
        **{
            "chunk_index": number,
            "total_chunks": 1,
            "prev_id": None,
            "next_id": None,
            "title_path": (),
            "content_type": "paragraph",
        },
        **{"embedding_content": summary, "token_count": 3, "start": 0, "end": 0, "hash": summary, "summary": summary},
        level=CLUSTER,
        children=children,
    )


def vectors(rows: Sequence[Chunk]) -> np.ndarray:
    """(n, d): a row each; zeros for parents, which are never embedded."""
    empty = np.zeros(made.DIMENSION, np.float32)
    return np.stack(
        [empty if row.level == PARENT else made.vector(f"{row.level} {row.embedding_content}") for row in rows]
    )
