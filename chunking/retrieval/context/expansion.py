"""Join hits and neighbours, as read from the store, into passages of exact text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chunking.model import Chunk

__all__ = ["ContextPassage", "join", "passages", "runs"]


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """Adjacent chunks of a document with their joined text."""

    doc_id: str
    start: int
    end: int
    text: str
    """Text of the document from `start` to `end`, without repeated overlaps."""
    chunk_ids: tuple[str, ...]
    """Ids of the joined chunks, in reading order."""
    hit_ids: tuple[str, ...]
    """Ids of those that are hits; the others are neighbours."""


def passages(neighbourhoods: Iterable[tuple[Chunk, Sequence[Chunk]]]) -> tuple[ContextPassage, ...]:
    """Join hits and neighbours into passages; adjacent and overlapping chunks form one.

    Chunks may be of several levels (a parent next to chunks); summaries, which are no text of a document, are left out.

    Args:
        neighbourhoods: hits with their neighbours, best hit first.
    Returns:
        Documents in the order of their best hit; passages of a document by position.
    """
    chunks: dict[str, dict[str, Chunk]] = {}
    hit_ids: set[str] = set()
    for hit, neighbours in neighbourhoods:
        hit_ids.add(hit.chunk_id)
        chunks.setdefault(hit.doc_id, {}).update(
            (chunk.chunk_id, chunk) for chunk in (hit, *neighbours) if chunk.content
        )
    return tuple(_passage(run, hit_ids) for by_id in chunks.values() for run in runs(by_id.values()))


def join(chunks: Sequence[Chunk]) -> str:
    """Join the texts of adjacent chunks without repeated overlaps, with the white space between them.

    Args:
        chunks: from the store, in reading order, nothing left out between them.
    Raises:
        ValueError: there is no chunk, or one is missing between two.
    """
    if not chunks:
        raise ValueError("There is nothing to join; give at least one chunk.")
    parts, end = [chunks[0].content], chunks[0].end
    for chunk in chunks[1:]:
        parts.append(_between(chunk, end) if chunk.start > end else "")
        parts.append(chunk.content[max(0, end - chunk.start) :])
        end = max(end, chunk.end)
    return "".join(parts)


def runs(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    """Group the chunks of a document into runs with no text missing inside, in reading order."""
    groups: list[list[Chunk]] = []
    end = 0
    for chunk in sorted(chunks, key=lambda chunk: (chunk.start, -chunk.end)):
        if groups and chunk.start - len(str(chunk.metadata.get("gap", ""))) <= end:  # the text before it reaches so far
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
            end = 0
        end = max(end, chunk.end)
    return groups


def _passage(run: Sequence[Chunk], hit_ids: set[str]) -> ContextPassage:
    ids = tuple(chunk.chunk_id for chunk in run)
    hits = tuple(chunk_id for chunk_id in ids if chunk_id in hit_ids)
    return ContextPassage(run[0].doc_id, run[0].start, max(chunk.end for chunk in run), join(run), ids, hits)


def _between(chunk: Chunk, end: int) -> str:
    """Return the text between an offset and a later chunk, which the store keeps as the chunk's gap."""
    gap = str(chunk.metadata.get("gap", ""))
    missing = chunk.start - end
    if len(gap) < missing:
        raise ValueError(
            f"The {missing} characters before {chunk.chunk_id} are unknown; join chunks that follow each other."
        )
    return gap[len(gap) - missing :]
