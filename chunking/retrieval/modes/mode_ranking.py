"""Ranking steps of the retrieval modes: levels, fused candidates, several sizes, summary trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from chunking.config.choices import TreeSearch
from chunking.model import CHUNK, CLUSTER, DOCUMENT, SECTION, Chunk
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.ranking.fused_hits import Addition, Fused, least
from chunking.retrieval.ranking.fusion import from_larger
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.readability import Weighing

__all__ = ["SUMMARIES", "Size", "rank_chunks", "rank_levels", "rank_sizes", "under_the_best", "with_larger"]

SUMMARIES = (SECTION, DOCUMENT, CLUSTER)
"""Levels of the tree above the chunks."""


def rank_chunks(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Search the chunks with each leg, and fuse the candidates into one list, best first."""
    results = legs.search(weighing)
    return legs.ranked(legs.fused(results.scores, weighing), results)


def rank_sizes(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Rank chunks of the smallest size, adding a share of the scores of their larger chunks."""
    results = legs.search(weighing)
    if results.exact or not any(results.scores.values()):
        return legs.ranked(legs.fused(results.scores, weighing), results)
    own = legs.fused(results.scores, weighing, raw=False)
    sizes = [
        _size(legs, weighing, level) for level in sorted(filter(_is_larger, legs.query.index.levels), key=_multiple)
    ]
    weight = legs.query.config.granularity_weight
    hits = legs.trace.timed("multi-granularity", "fusion", lambda: with_larger(own, sizes, results.chunks, weight), len)
    return legs.ranked(hits, results)


def _size(legs: LegSearch, weighing: Weighing, level: str) -> Size:
    scores = legs.scores(weighing, level)
    lowest = least(scores, legs.adjusted(weighing).weights, legs.query.config.fusion)
    return Size(level, legs.fused(scores, weighing, of=level, raw=False), lowest)


def rank_levels(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Rank chunks and summaries together (collapsed tree), or only chunks under the best summaries.

    If no summary matches, all chunks are ranked, with a note.
    """
    config = legs.query.config
    summaries = [level for level in SUMMARIES if level in legs.query.index.levels]
    if config.tree is TreeSearch.COLLAPSED:
        results = legs.search(weighing, (CHUNK, *summaries))
        return legs.ranked(legs.fused(results.scores, weighing), results)
    nodes = legs.search(weighing, summaries, of="summaries")
    tops = legs.fused(nodes.scores, weighing, of="summaries")
    ids = legs.trace.timed("best summaries", "legs", lambda: under_the_best(tops, nodes.chunks, max(config.k, 5)), len)
    if not ids:
        legs.trace.note("No summary matches the query; all chunks were searched.")
    results = legs.search(weighing, ids=ids or None)
    return legs.ranked(legs.fused(results.scores, weighing), nodes, results)


def _is_larger(level: str) -> bool:
    return level[:1] == "x" and level[1:].isdigit()


def _multiple(level: str) -> int:
    return int(level[1:])


# -- a summary tree, top down


def under_the_best(ranked: Sequence[Fused], nodes: Mapping[str, Chunk], width: int) -> set[str]:
    """Return the ids of the chunks under the best summaries (RAPTOR's tree traversal; arXiv 2401.18059).

    Level by level, starting with documents and the highest clusters, the `width` best nodes are kept and their children
    examined. All summaries were ranked in one search, so a level costs no call.

    Args:
        ranked: summaries of all levels, best first.
        nodes: node of each, by id.
    """
    places = {hit.chunk_id: place for place, hit in enumerate(ranked)}
    level, chunks, visited = _roots([nodes[hit.chunk_id] for hit in ranked]), set[str](), set[str]()
    while level:
        kept = sorted(level, key=places.__getitem__)[:width]
        visited.update(kept)
        children = [child for node in kept for child in nodes[node].children]
        chunks.update(child for child in children if _is_chunk(child))
        level = {child for child in children if child in places} - visited
    return chunks


def _roots(matches: Sequence[Chunk]) -> set[str]:
    """Return the start nodes: documents and clusters that are no other match's child, else all such nodes."""
    below = {child for node in matches for child in node.children}
    tops = {node.chunk_id for node in matches if node.level in (DOCUMENT, CLUSTER) and node.chunk_id not in below}
    return tops or {node.chunk_id for node in matches if node.chunk_id not in below}


def _is_chunk(name: str) -> bool:
    """True if an id has the form of a chunk's: `{doc_id}_chunk{n}`."""
    return name.rpartition("_chunk")[2].isdigit() and "_chunk" in name


# -- several sizes: larger chunks share their scores with those they contain


@dataclass(frozen=True, slots=True)
class Size:
    """Fused hits of a larger chunk size, and the score of a chunk that is no hit."""

    level: str
    """Level, such as `x2`."""
    hits: tuple[Fused, ...]
    """Hits, best first."""
    least: float
    """Score of a chunk of this size that no leg matched."""


def with_larger(
    hits: Sequence[Fused], sizes: Sequence[Size], chunks: Mapping[str, Chunk], weight: float
) -> tuple[Fused, ...]:
    """Add the scores of larger chunks to those of the candidates they contain, best first; ties by id.

    Args:
        hits: candidates of the smallest size; chunks that only a larger one matched are not candidates.
        sizes: the larger sizes.
        chunks: chunk of each hit, by id.
        weight: share of a larger chunk's score that its chunks receive.
    """
    own = np.array([[hit.score for hit in hits]])
    added = list(
        zip(*(_additions(own, size, [chunks[hit.chunk_id] for hit in hits], weight) for size in sizes), strict=True)
    )
    fused = (hit.plus(*some) for hit, some in zip(hits, added, strict=True)) if sizes else hits
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.chunk_id)))


def _additions(own: np.ndarray, size: Size, chunks: Sequence[Chunk], weight: float) -> list[Addition]:
    """Return the addition of a size to each chunk.

    The score of an unmatched larger chunk is one more column.
    """
    places, missing = {hit.chunk_id: place for place, hit in enumerate(size.hits)}, len(size.hits)
    names = (
        next((name for name in chunk.larger_ids if name.startswith(f"{chunk.doc_id}_{size.level}_")), None)
        for chunk in chunks
    )
    parents = [-1 if name is None else places.get(name, missing) for name in names]
    larger = np.array([[*(hit.score for hit in size.hits), size.least]])
    scores = from_larger(own, larger, np.array(parents, np.int64))[0].tolist()
    rows = zip(parents, scores, strict=True)
    return [
        Addition(size.level, weight * score, partial(_because, size, place, score, weight)) for place, score in rows
    ]


def _because(size: Size, place: int, score: float, weight: float) -> str:
    if place < 0:  # its category has no chunks of this size, so its own score counts
        return (
            f"No larger chunk around it ({size.level}): its own score {score:+.2f} × {weight:.2f} = "
            f"{weight * score:+.2f}."
        )
    where = (
        f"rank {place + 1} of {len(size.hits)}"
        if place < len(size.hits)
        else f"not among {len(size.hits)}, counted as their lowest"
    )
    return (
        f"The larger chunk around it ({size.level}): {where}, score {score:+.2f} × {weight:.2f} = "
        f"{weight * score:+.2f}."
    )
