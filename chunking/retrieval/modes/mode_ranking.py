"""How the modes of retrieval rank: which levels they search, and what candidates come of it."""

from __future__ import annotations

from chunking.config.choices import TreeSearch
from chunking.model import CHUNK
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.ranking.fused_hits import least
from chunking.retrieval.ranking.multi_granularity import Size, with_larger
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.tree_search import SUMMARIES, under_the_best
from chunking.retrieval.search_request import Candidates

__all__ = ["ranked_chunks", "ranked_levels", "ranked_sizes"]


def ranked_chunks(legs: LegSearch, weighing: Weighing) -> Candidates:
    """The chunks that the legs found, fused."""
    found = legs.search(weighing)
    return legs.candidates(legs.fused(found.scores, weighing), found)


def ranked_sizes(legs: LegSearch, weighing: Weighing) -> Candidates:
    """The candidates of the smallest size, with the scores of the larger chunks they stand in."""
    found = legs.search(weighing)
    if found.exact or not any(found.scores.values()):
        return legs.candidates(legs.fused(found.scores, weighing), found)
    own = legs.fused(found.scores, weighing, raw=False)
    sizes = [
        _size(legs, weighing, level) for level in sorted(filter(_is_larger, legs.request.index.levels), key=_multiple)
    ]
    weight = legs.request.config.granularity_weight
    hits = legs.trace.timed("multi-granularity", "fusion", lambda: with_larger(own, sizes, found.chunks, weight), len)
    return legs.candidates(hits, found)


def _size(legs: LegSearch, weighing: Weighing, level: str) -> Size:
    scores = legs.scores(weighing, level)
    lowest = least(scores, weighing.weights, legs.request.config.fusion)
    return Size(level, legs.fused(scores, weighing, of=level, raw=False), lowest)


def ranked_levels(legs: LegSearch, weighing: Weighing) -> Candidates:
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
        legs.trace.note("No summary matches the query; all chunks were searched.")
    found = legs.search(weighing, ids=ids or None)
    return legs.candidates(legs.fused(found.scores, weighing), above, found)


def _is_larger(level: str) -> bool:
    return level[:1] == "x" and level[1:].isdigit()


def _multiple(level: str) -> int:
    return int(level[1:])
