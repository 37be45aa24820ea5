"""What the modes of retrieval show: candidates, or the parents in their place, and what stands around them in one
storage call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.model import Chunk
from chunking.retrieval.context.context_tokens import content_tokens
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.parents import Merging, Tree, by_parent, merged, parents_in
from chunking.retrieval.results.result_items import ShownResult
from chunking.retrieval.search_request import Candidates, SearchRequest, Trace

if TYPE_CHECKING:
    from chunking.store import Neighbours

__all__ = ["merged_parents", "their_parents", "themselves"]

_MERGED_FROM = 3
"""With merge: candidates looked at, times the results wanted. Parents free places, which the next candidates take."""
_MERGED_MOST = 100
"""... and at most so many more than the results wanted."""


def themselves(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[ShownResult], Neighbours]:
    """The candidates as they are."""
    found = [ShownResult(ranked.chunks[hit.chunk_id], hit) for hit in ranked.hits[: request.config.k]]
    return found, _near(request, trace, [one.chunk for one in found])


def their_parents(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[ShownResult], Neighbours]:
    """The parents of the candidates, each with the score of its best child."""
    chunks, k = ranked.chunks, request.config.k
    grouped = trace.timed("parents", "merge", lambda: by_parent(ranked.hits, chunks, k), len)
    best = [chunks[hits[0].chunk_id] for hits in grouped.values()]
    rows, sections = parents_in(best)
    near = _near(request, trace, best, also=rows, within=sections, around=False)
    tree = Tree(near.also, sections)
    places = {hit.chunk_id: place for place, hit in enumerate(ranked.hits)}
    apart = (hits for some in grouped.values() for hits in tree.apart(some, chunks))
    first = sorted(apart, key=lambda hits: places[hits[0].chunk_id])[:k]
    return [_parent(tree, chunks, hits) for hits in first], near


def _parent(tree: Tree, chunks: Mapping[str, Chunk], hits: Sequence[Fused]) -> ShownResult:
    child = chunks[hits[0].chunk_id]
    parent = tree.parent(child)
    if parent is None:  # a chunk outside every section
        return ShownResult(child, hits[0])
    because = f"{len(hits)} of its {len(parent.children)} chunks were found; its score is that of the best."
    return ShownResult(parent, hits[0], tuple(hits), because)


def merged_parents(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[ShownResult], Neighbours]:
    """Parents in the place of their chunks where enough of those were found."""
    config, chunks = request.config, ranked.chunks
    looked = ranked.hits[: min(_MERGED_FROM * config.k, config.k + _MERGED_MOST)]
    several = [hits for hits in by_parent(looked, chunks, len(looked)).values() if len(hits) > 1]
    rows, sections = parents_in(chunks[hits[0].chunk_id] for hits in several)
    above = _several(
        chunks[hits[0].chunk_id].section_id for hits in several if chunks[hits[0].chunk_id].parent_id in rows
    )
    near = _near(request, trace, [chunks[hit.chunk_id] for hit in looked], also=rows, within=sections | above)
    tokens = content_tokens(request.index.config.embedding)
    merging = Merging(Tree(near.also, sections | above), tokens, config.merge_share, config.budget)
    return trace.timed("parents", "merge", lambda: merged(looked, chunks, merging, config.k), len), near


def _near(
    request: SearchRequest,
    trace: Trace,
    hits: Sequence[Chunk],
    *,
    also: Iterable[str] = (),
    within: Iterable[str] = (),
    around: bool = True,
) -> Neighbours:
    """What stands around each hit, the outline of each document, and other rows: one storage call for all of them.

    Args:
        also: ids of rows that are wanted besides (parents).
        within: sections whose parts are wanted besides.
        around: False for the outlines and those rows only.
    """
    config = request.config
    before, after = (config.before, config.after) if around else (0, 0)
    return trace.timed(
        "neighbours",
        "expand",
        lambda: request.index.neighbours(
            hits, before, after, across_parents=config.across_parents, also=also, within=within
        ),
        lambda found: len({chunk.chunk_id for chunks in found.around.values() for chunk in chunks} | found.also.keys()),
    )


def _several(names: Iterable[str]) -> set[str]:
    """Those that come more than once."""
    return {name for name, count in Counter(names).items() if count > 1}
