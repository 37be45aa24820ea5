"""Hits, indexed documents and neighbours, as searches and reads of an index return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.model import Chunk
from chunking.store.index.chunk_arrow import row_chunk

__all__ = ["Indexed", "Neighbours", "StoreHit", "neighbour_ids", "neighbours_of", "ranked"]


@dataclass(frozen=True, slots=True)
class StoreHit:
    """Chunk found by a search, with its rank and score."""

    rank: int
    """1-based, by score, then in reading order, so that ties have a fixed order."""
    chunk: Chunk
    score: float
    """Cosine of a vector search, BM25 of a full-text search."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """State of a document in an index: its fingerprint, stamp and number of chunks."""

    fingerprint: str
    """Over configuration, code and document at the time of splitting."""
    stamp: str
    """`DocumentRow.stamp` at that time."""
    chunks: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Neighbours of chunks, with the outlines of their documents."""

    by_chunk: Mapping[str, tuple[Chunk, ...]]
    """Chunk id to the chunks before and after it, in reading order, without the chunk itself."""
    doc_tocs: Mapping[str, str]
    """Document id to its outline."""
    also: Mapping[str, Chunk] = field(default_factory=dict)
    """Rows of the further ids and parents asked for, as far as they exist."""


def ranked(rows: Iterable[tuple[Mapping[str, Any], float]]) -> list[StoreHit]:
    """Convert rows and scores to hits, best first."""
    chunks = [(row_chunk(row), float(score)) for row, score in rows]
    ordered = sorted(chunks, key=lambda hit: (-hit[1], hit[0].doc_id, hit[0].level, hit[0].chunk_index))
    return [StoreHit(rank, chunk, score) for rank, (chunk, score) in enumerate(ordered, 1)]


def neighbour_ids(chunks: Sequence[Chunk], before: int, after: int) -> list[str]:
    """Return possible ids of the chunks before and after each chunk; none for summaries."""
    return [
        _neighbour(chunk, n)
        for chunk in chunks
        if chunk.content
        for n in range(max(chunk.chunk_index - before, 0), min(chunk.chunk_index + after + 1, chunk.total_chunks))
        if before + after
    ]


def neighbours_of(
    chunk: Chunk, others: Mapping[str, Chunk], before: int, after: int, across: bool
) -> tuple[Chunk, ...]:
    """Return a chunk's neighbours on its level, up to a gap or, unless `across`, another parent."""

    def walk(step: int, count: int) -> list[Chunk]:
        run: list[Chunk] = []
        for distance in range(1, count + 1):
            other = others.get(_neighbour(chunk, chunk.chunk_index + step * distance))
            if other is None or not (across or other.parent_id == chunk.parent_id):
                break
            run.append(other)
        return run

    return (*reversed(walk(-1, before)), *walk(1, after)) if chunk.content else ()


def _neighbour(chunk: Chunk, n: int) -> str:
    """Id of the n-th chunk of the same level: ids end in the position."""
    return f"{chunk.chunk_id.removesuffix(str(chunk.chunk_index))}{n}"
