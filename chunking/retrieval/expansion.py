"""Neighbours of hits, and runs of chunks as one text.

Everything here is arithmetic over chunks already read: which ids to ask for (once, for all hits together), which of
them belong to a hit, and how overlapping neighbourhoods become passages in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chunking.model import Chunk

__all__ = ["Passage", "join", "neighbour_ids", "neighbours", "passages"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Chunks that follow each other in a document, with what they say together."""

    doc_id: str
    start: int
    end: int
    text: str
    """The document's text from `start` to `end`; what neighbouring chunks both hold stands once."""
    chunk_ids: tuple[str, ...]
    """In reading order."""
    hit_ids: tuple[str, ...]
    """Those of them that were found; the others are context."""


def neighbour_ids(hits: Iterable[Chunk], before: int, after: int) -> list[str]:
    """Ids of all chunks at most `before` before and `after` after any hit; each once, the hits themselves not.

    Ids are counted up and down (`{doc_id}_chunk{n}`) instead of followed from chunk to chunk, so that any number of
    hops costs no further reading.
    """
    hits = list(hits)
    near = (_id(hit, index) for hit in hits for index in _window(hit, before, after))
    own = {hit.chunk_id for hit in hits}
    return [chunk_id for chunk_id in dict.fromkeys(near) if chunk_id not in own]


def neighbours(hit: Chunk, known: Mapping[str, Chunk], before: int, after: int, *, across_parents: bool = False) -> tuple[Chunk, ...]:
    """The hit's neighbours in reading order, without the hit.

    The walk in each direction ends at the first chunk that is not known or, unless `across_parents`, has another parent.

    Args:
        hit: a chunk that was found.
        known: chunks by id, of which any subset may be there.
        before: most chunks before the hit.
        after: most chunks after it.
        across_parents: whether a neighbour may belong to another parent (section).
    """
    window = _window(hit, before, after)
    back = _walk(hit, known, range(hit.chunk_index - 1, window.start - 1, -1), across_parents)
    ahead = _walk(hit, known, range(hit.chunk_index + 1, window.stop), across_parents)
    return (*reversed(back), *ahead)


def passages(neighbourhoods: Iterable[tuple[Chunk, Sequence[Chunk]]]) -> tuple[Passage, ...]:
    """Hits with their neighbours as passages: what touches or overlaps is one, in reading order.

    Args:
        neighbourhoods: a hit and its neighbours each, best hit first.
    Returns:
        Documents in the order of their best hit; inside a document by place.
    """
    chunks: dict[str, dict[int, Chunk]] = {}
    hit_ids: set[str] = set()
    for hit, near in neighbourhoods:
        hit_ids.add(hit.chunk_id)
        chunks.setdefault(hit.doc_id, {}).update((chunk.chunk_index, chunk) for chunk in (hit, *near))
    return tuple(_passage(run, hit_ids) for by_index in chunks.values() for run in _runs(by_index))


def join(chunks: Sequence[Chunk]) -> str:
    """Text of chunks that follow each other: no overlap twice, and the white space between them as it stands.

    Args:
        chunks: from the store, in reading order, none left out between them.
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


def _window(hit: Chunk, before: int, after: int) -> range:
    return range(max(0, hit.chunk_index - before), min(hit.total_chunks, hit.chunk_index + after + 1))


def _id(hit: Chunk, index: int) -> str:
    return f"{hit.doc_id}_chunk{index}"


def _walk(hit: Chunk, known: Mapping[str, Chunk], indices: range, across_parents: bool) -> list[Chunk]:
    found: list[Chunk] = []
    for index in indices:
        chunk = known.get(_id(hit, index))
        if chunk is None or not (across_parents or chunk.parent_id == hit.parent_id):
            break
        found.append(chunk)
    return found


def _runs(by_index: Mapping[int, Chunk]) -> list[list[Chunk]]:
    """Chunks by index as runs without a gap in the index."""
    runs: list[list[Chunk]] = []
    for index in sorted(by_index):
        if runs and runs[-1][-1].chunk_index == index - 1:
            runs[-1].append(by_index[index])
        else:
            runs.append([by_index[index]])
    return runs


def _passage(run: Sequence[Chunk], hit_ids: set[str]) -> Passage:
    ids = tuple(chunk.chunk_id for chunk in run)
    found = tuple(chunk_id for chunk_id in ids if chunk_id in hit_ids)
    return Passage(run[0].doc_id, run[0].start, max(chunk.end for chunk in run), join(run), ids, found)


def _between(chunk: Chunk, end: int) -> str:
    """The document's text between the end so far and a chunk; the store keeps it, since no chunk holds it."""
    gap = str(chunk.metadata.get("gap", ""))
    missing = chunk.start - end
    if len(gap) < missing:
        raise ValueError(
            f"Nothing says what stands in the {missing} characters before {chunk.chunk_id}; join chunks that follow each other."
        )
    return gap[len(gap) - missing :]
