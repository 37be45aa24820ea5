"""The table of retrieval modes: what each searches, and what it makes of the candidates.

| mode | searches | shows |
|---|---|---|
| chunk | chunks | them |
| parent | chunks | their parents, with the best child's score |
| merge | chunks | parents where enough of their chunks were found, else the chunks |
| hierarchical | chunks and summaries together, or summaries first and then what stands under the best | what it found |
| multisize | chunks of every size | the smallest, which profit from those around them |

Each takes the same number of storage calls for one result as for two hundred (law 8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.config import Retrieval
from chunking.config.choices import TreeSearch
from chunking.model import CHUNK, CLUSTER, DOCUMENT, SECTION, Chunk
from chunking.retrieval.context.context_tokens import content_tokens
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.ranking.fused_hits import Fused, least
from chunking.retrieval.ranking.multisize import Size, with_larger
from chunking.retrieval.ranking.parents import Merging, Tree, by_parent, merged, parents_in
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.tree_search import under_the_best
from chunking.retrieval.results.result_items import Found
from chunking.retrieval.search_request import Candidates, SearchRequest, Trace

if TYPE_CHECKING:
    from chunking.store import Neighbours

__all__ = ["MODES", "Mode", "chosen"]

SUMMARIES = (SECTION, DOCUMENT, CLUSTER)
_MERGED_FROM = 3
"""With merge: candidates looked at, times the results wanted. Parents free places, which the next candidates take."""
_MERGED_MOST = 100
"""... and at most so many more than the results wanted."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of retrieval."""

    rank: Callable[[LegSearch, Weighing], Candidates]
    """Searches; gives the candidates, best first."""
    show: Callable[[SearchRequest, Trace, Candidates], tuple[list[Found], Neighbours]]
    """Makes the results of the candidates, and reads what stands around them, in one storage call."""
    needs: Callable[[str], bool] | None = None
    """Whether a level is one of those it needs at least one of; None where chunks are enough."""
    missing: str = ""
    """What to say where the index has none of them."""


def chosen(request: SearchRequest, trace: Trace) -> tuple[Retrieval, Mode]:
    """The mode asked for, or the nearest that the index has the levels for: then a note says what to build."""
    mode = MODES[request.config.retrieval]
    if mode.needs is None or any(map(mode.needs, request.index.levels)):
        return request.config.retrieval, mode
    trace.note(mode.missing)
    return Retrieval.CHUNK, MODES[Retrieval.CHUNK]


def _chunks(legs: LegSearch, weighing: Weighing) -> Candidates:
    found = legs.search(weighing)
    return legs.candidates(legs.fused(found.scores, weighing), found)


def _sizes(legs: LegSearch, weighing: Weighing) -> Candidates:
    """The candidates of the smallest size, with the scores of the larger chunks they stand in."""
    found = legs.search(weighing)
    if found.exact or not any(found.scores.values()):
        return legs.candidates(legs.fused(found.scores, weighing), found)
    own = legs.fused(found.scores, weighing, raw=False)
    sizes = [_size(legs, weighing, level) for level in sorted(filter(_is_larger, legs.request.index.levels), key=_multiple)]
    weight = legs.request.config.larger_weight
    hits = legs.trace.timed("larger sizes", "fusion", lambda: with_larger(own, sizes, found.chunks, weight), len)
    return legs.candidates(hits, found)


def _size(legs: LegSearch, weighing: Weighing, level: str) -> Size:
    scores = legs.scores(weighing, level)
    lowest = least(scores, weighing.weights, legs.request.config.fusion)
    return Size(level, legs.fused(scores, weighing, of=level, raw=False), lowest)


def _levels(legs: LegSearch, weighing: Weighing) -> Candidates:
    """Chunks and summaries in one list (RAPTOR's collapsed tree), or chunks under the best summaries."""
    config = legs.request.config
    summaries = [level for level in SUMMARIES if level in legs.request.index.levels]
    if config.tree is TreeSearch.COLLAPSED:
        found = legs.search(weighing, (CHUNK, *summaries))
        return legs.candidates(legs.fused(found.scores, weighing), found)
    above = legs.search(weighing, summaries, of="summaries")
    tops = legs.fused(above.scores, weighing, of="summaries")
    ids = legs.trace.timed("best summaries", "legs", lambda: under_the_best(tops, above.chunks, max(config.k, 5)), len)
    if not ids:
        legs.trace.note("No summary is about the query; all chunks were searched.")
    found = legs.search(weighing, ids=ids or None)
    return legs.candidates(legs.fused(found.scores, weighing), above, found)


def _themselves(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[Found], Neighbours]:
    found = [Found(ranked.chunks[hit.chunk_id], hit) for hit in ranked.hits[: request.config.k]]
    return found, _near(request, trace, [one.chunk for one in found])


def _parents(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[Found], Neighbours]:
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


def _parent(tree: Tree, chunks: Mapping[str, Chunk], hits: Sequence[Fused]) -> Found:
    child = chunks[hits[0].chunk_id]
    parent = tree.parent(child)
    if parent is None:  # a chunk outside every section
        return Found(child, hits[0])
    because = f"{len(hits)} of its {len(parent.children)} parts were found; its score is that of the best."
    return Found(parent, hits[0], tuple(hits), because)


def _merged(request: SearchRequest, trace: Trace, ranked: Candidates) -> tuple[list[Found], Neighbours]:
    """Parents in the place of their chunks where enough of those were found."""
    config, chunks = request.config, ranked.chunks
    looked = ranked.hits[: min(_MERGED_FROM * config.k, config.k + _MERGED_MOST)]
    several = [hits for hits in by_parent(looked, chunks, len(looked)).values() if len(hits) > 1]
    rows, sections = parents_in(chunks[hits[0].chunk_id] for hits in several)
    above = _several(chunks[hits[0].chunk_id].section_id for hits in several if chunks[hits[0].chunk_id].parent_id in rows)
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
        lambda: request.index.neighbours(hits, before, after, across_parents=config.across_parents, also=also, within=within),
        lambda found: len({chunk.chunk_id for chunks in found.around.values() for chunk in chunks} | found.also.keys()),
    )


def _several(names: Iterable[str]) -> set[str]:
    """Those that come more than once."""
    return {name for name, count in Counter(names).items() if count > 1}


def _is_larger(level: str) -> bool:
    return level[:1] == "x" and level[1:].isdigit()


def _multiple(level: str) -> int:
    return int(level[1:])


MODES: Mapping[Retrieval, Mode] = {
    Retrieval.CHUNK: Mode(_chunks, _themselves),
    Retrieval.PARENT: Mode(_chunks, _parents),
    Retrieval.MERGE: Mode(_chunks, _merged),
    Retrieval.HIERARCHICAL: Mode(
        _levels,
        _themselves,
        SUMMARIES.__contains__,
        "This index holds no summaries: build it with enrich.summaries or enrich.raptor to search them; shown are chunks.",
    ),
    Retrieval.MULTISIZE: Mode(
        _sizes,
        _themselves,
        _is_larger,
        "This index holds one size only: build it with larger sizes (chunk.larger_sizes=2,4) to search several; shown are chunks.",
    ),
}
