"""Neighbours of hits: which come along, and how they join the hits as passages of exact text.

A fixed number of neighbours comes along with each hit (`search.before`, `search.after`); a side that is `auto` has at
most one, where the text goes on over the boundary or the neighbour adds evidence. The scores of a search decide that,
so it costs no model and no storage call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from chunking.model import Chunk
from chunking.retrieval.ranking.cutoff import adds_evidence, is_best
from chunking.text.sentences import sentence_starts

__all__ = [
    "BOUNDARY_TEXT",
    "AdaptiveNeighbours",
    "ContextPassage",
    "adaptive_neighbours",
    "boundary_reason",
    "join",
    "neighbour_reason",
    "passages",
    "runs",
]

BOUNDARY_TEXT = 400
"""Characters on each side of a boundary that are examined."""
_ITEM = re.compile(r"[-*+•‣▪]\s|\(?[0-9]{1,3}[.)、]|\(?[a-zA-Z][.)]\s")
_LEAD_INS = ":："
_WRAPPED = 40
"""Minimum characters of a line that may be wrapped inside a sentence."""


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


# -- adaptive neighbours


def boundary_reason(left: str, right: str) -> str:
    """Return the reason for which the texts on both sides of a boundary belong together; empty for none.

    Args:
        left, right: texts up to and from the boundary, white space included; a few hundred characters suffice.

    >>> boundary_reason("Take these steps:\\n\\n", "1. Open it."), boundary_reason("It is red.\\n\\n", "It is old.")
    ('a lead-in and what follows it', '')
    >>> boundary_reason("The valve of the ", "second pump."), boundary_reason("- one\\n", "- two")
    ('one sentence', 'one list')
    """
    before, behind = left.rstrip(), right.lstrip()
    if not before or not behind or behind.startswith("#"):
        return ""
    last, first = before[before.rfind("\n") + 1 :].lstrip(), behind.partition("\n")[0].rstrip()
    if before[-1] in _LEAD_INS:
        return "a lead-in and what follows it"
    if _ITEM.match(last) and _ITEM.match(first):
        return "one list"
    between = left[len(before) :] + right[: len(right) - len(behind)]
    return "one sentence" if _is_inside_sentence(last, between, first) else ""


def _is_inside_sentence(last: str, between: str, first: str) -> bool:
    """True if the white space between the end of a line and the start of another is inside a sentence."""
    if "\n" in between:  # only a wrapped line goes on: verse, code and rows have lines of their own
        wrapped = len(last) >= _WRAPPED and (last[-1].isalpha() or last[-1] in ",，") and "|" not in last
        if not (wrapped and between.count("\n") == 1 and first[0].islower()):
            return False
    offset = len(last) + len(between)
    return offset not in sentence_starts(f"{last}{between}{first}")


def neighbour_reason(hit: float, neighbour: float, boundary: Callable[[], str]) -> str:
    """Return the short reason for which the chunk next to a hit comes along; empty if it does not.

    Args:
        hit: relative score of the hit.
        neighbour: relative score of the chunk; 0 for one that is no candidate.
        boundary: returns the `boundary_reason` of the boundary between them.
    """
    if reason := boundary():
        return reason
    if is_best(hit):
        return "next to the best result"
    return f"evidence {neighbour:.2f} of the best result's" if adds_evidence(hit, neighbour) else ""


class AdaptiveNeighbours(NamedTuple):
    """Neighbours that come along with a hit."""

    chunks: tuple[Chunk, ...]
    """The neighbours, in reading order."""
    reasons: dict[str, str]
    """Short reason of each that was chosen by evidence, by chunk id."""


def adaptive_neighbours(
    chunk: Chunk, neighbours: Sequence[Chunk], adaptive: tuple[bool, bool], score: float, scores: Callable[[str], float]
) -> AdaptiveNeighbours:
    """Leave out the neighbours that add nothing, on the sides chosen by evidence.

    Args:
        chunk: the hit.
        neighbours: as read from the store, in reading order, at most one on an adaptive side.
        adaptive: True for each side, before and after, that is chosen by evidence.
        score: relative score of the hit.
        scores: returns the relative score of a chunk by id; 0 for one that is no candidate.
    """
    chosen, reasons = list[Chunk](), dict[str, str]()
    for one in neighbours:
        is_before = one.start < chunk.start
        if not adaptive[0 if is_before else 1]:
            chosen.append(one)
            continue
        pair = (one, chunk) if is_before else (chunk, one)
        edge = chunk.start if is_before else chunk.end
        reason = neighbour_reason(score, scores(one.chunk_id), partial(_boundary, *pair, edge))
        if reason:
            chosen.append(one)
            reasons[one.chunk_id] = reason
    return AdaptiveNeighbours(tuple(chosen), reasons)


def _boundary(first: Chunk, second: Chunk, edge: int) -> str:
    """Return the reason for which two adjacent chunks belong together at an offset of the document."""
    if second.start - len(str(second.metadata.get("gap", ""))) > first.end:  # text between them is left out
        return ""
    text, at = join((first, second)), edge - first.start
    return boundary_reason(text[max(at - BOUNDARY_TEXT, 0) : at], text[at : at + BOUNDARY_TEXT])
