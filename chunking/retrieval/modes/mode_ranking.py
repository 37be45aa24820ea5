"""Ranking steps of the retrieval modes: the levels searched, and their fused candidates."""

from __future__ import annotations

from chunking.config.choices import TreeSearch
from chunking.model import CHUNK
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.ranking.fused_hits import least
from chunking.retrieval.ranking.multi_granularity import Size, with_larger
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.tree_search import SUMMARIES, under_the_best

__all__ = ["rank_chunks", "rank_levels", "rank_sizes"]


def rank_chunks(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Fuse the chunks matched by the legs."""
    results = legs.search(weighing)
    return legs.ranked(legs.fused(results.scores, weighing), results)


def rank_sizes(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Rank chunks of the smallest size, with a share of the scores of the larger chunks that contain them."""
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
    lowest = least(scores, weighing.weights, legs.query.config.fusion)
    return Size(level, legs.fused(scores, weighing, of=level, raw=False), lowest)


def rank_levels(legs: LegSearch, weighing: Weighing) -> Ranked:
    """Rank chunks and summaries together (collapsed tree), or only chunks under the best summaries."""
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
