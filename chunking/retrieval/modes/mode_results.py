"""Results of the retrieval modes: candidates or parents, with neighbours, in one storage call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.model import Chunk
from chunking.retrieval.context.context_tokens import content_tokens
from chunking.retrieval.query.query import Query
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.parents import Merging, ParentTree, by_parent, merge, parents_in
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.results.result_items import ShownResult
from chunking.retrieval.search_trace import Trace

if TYPE_CHECKING:
    from chunking.store import Neighbours

__all__ = ["merged_results", "own_results", "parent_results"]

_MERGED_FROM = 3
"""Candidates considered for merging, as a multiple of `k`: parents free places, which the next candidates take."""
_MERGED_MOST = 100
"""Most candidates considered beyond `k`."""


def own_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """The candidates as they are."""
    shown = [ShownResult(ranked.chunks[hit.chunk_id], hit) for hit in ranked.hits[: query.config.k]]
    return shown, _neighbours(query, trace, [one.chunk for one in shown])


def parent_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """The parents of the candidates, each with the score of its best child."""
    chunks, k = ranked.chunks, query.config.k
    grouped = trace.timed("parents", "merge", lambda: by_parent(ranked.hits, chunks, k), len)
    best = [chunks[hits[0].chunk_id] for hits in grouped.values()]
    rows, sections = parents_in(best)
    neighbours = _neighbours(query, trace, best, also=rows, sections=sections, adjacent=False)
    tree = ParentTree(neighbours.also, sections)
    places = {hit.chunk_id: place for place, hit in enumerate(ranked.hits)}
    families = (hits for some in grouped.values() for hits in tree.grouped(some, chunks))
    first = sorted(families, key=lambda hits: places[hits[0].chunk_id])[:k]
    return [_parent(tree, chunks, hits) for hits in first], neighbours


def _parent(tree: ParentTree, chunks: Mapping[str, Chunk], hits: Sequence[Fused]) -> ShownResult:
    child = chunks[hits[0].chunk_id]
    parent = tree.parent(child)
    if parent is None:  # a chunk outside every section
        return ShownResult(child, hits[0])
    because = f"{len(hits)} of its {len(parent.children)} chunks were found; its score is that of the best."
    return ShownResult(parent, hits[0], tuple(hits), because)


def merged_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """Candidates, of which parents replace those that make up enough of them."""
    config, chunks = query.config, ranked.chunks
    first = ranked.hits[: min(_MERGED_FROM * config.k, config.k + _MERGED_MOST)]
    families = [hits for hits in by_parent(first, chunks, len(first)).values() if len(hits) > 1]
    rows, sections = parents_in(chunks[hits[0].chunk_id] for hits in families)
    outer = _recurring(
        chunks[hits[0].chunk_id].section_id for hits in families if chunks[hits[0].chunk_id].parent_id in rows
    )
    neighbours = _neighbours(
        query, trace, [chunks[hit.chunk_id] for hit in first], also=rows, sections=sections | outer
    )
    tokens = content_tokens(query.index.config.embedding)
    merging = Merging(ParentTree(neighbours.also, sections | outer), tokens, config.merge_share, config.budget)
    return trace.timed("parents", "merge", lambda: merge(first, chunks, merging, config.k), len), neighbours


def _neighbours(
    query: Query,
    trace: Trace,
    hits: Sequence[Chunk],
    *,
    also: Iterable[str] = (),
    sections: Iterable[str] = (),
    adjacent: bool = True,
) -> Neighbours:
    """Read the neighbours of each hit, the outline of each document and other rows in one storage call.

    Args:
        also: ids of further rows (parents).
        sections: whose parts are read too.
        adjacent: False leaves the neighbours out.
    """
    config = query.config
    before, after = (config.before, config.after) if adjacent else (0, 0)
    return trace.timed(
        "neighbours",
        "expand",
        lambda: query.index.neighbours(
            hits, before, after, across_parents=config.across_parents, also=also, within=sections
        ),
        lambda read: len({chunk.chunk_id for chunks in read.around.values() for chunk in chunks} | read.also.keys()),
    )


def _recurring(names: Iterable[str]) -> set[str]:
    """Names that occur more than once."""
    return {name for name, count in Counter(names).items() if count > 1}
