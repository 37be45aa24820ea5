"""Raise chunks that contain the query's identifiers as written; a query that is one identifier has them first.

The boost is a multiple of the spread of the candidates' scores, times the identifiers' share of the query's words: one
part number among ten words moves a chunk a little, a part number alone decides.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from chunking.retrieval.query.identifiers import QueryIdentifiers
from chunking.retrieval.ranking.fused_hits import Addition
from chunking.retrieval.ranking.ranked import Ranked

__all__ = ["BOOST", "boost_identifiers"]

BOOST = 2.0
"""Spreads of the scores that a chunk gains with every word of the query.

An identifier inside a longer one counts half, so a query of one identifier has exact matches, then those, then others.
"""


def boost_identifiers(ranked: Ranked, wanted: QueryIdentifiers) -> Ranked:
    """Add to the score of each candidate that contains identifiers of the query; best first, ties by id."""
    if not wanted.names or ranked.exact or not ranked.hits:
        return ranked
    scores = [hit.score for hit in ranked.hits]
    scale = BOOST * ((max(scores) - min(scores)) or 1.0)
    hits = []
    for hit in ranked.hits:
        levels = wanted.levels(ranked.chunks[hit.chunk_id].indexed_text)
        share = sum(levels) / wanted.words
        because = partial(_because, wanted, levels, share, scale)
        hits.append(hit.plus(Addition("identifiers", scale * share, because)) if share else hit)
    return replace(ranked, hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))))


def _because(wanted: QueryIdentifiers, levels: tuple[float, ...], share: float, scale: float) -> str:
    some = ", ".join(
        name if level == 1 else f"{name} inside a longer name"
        for name, level in zip(wanted.names, levels, strict=True)
        if level
    )
    return f"Contains {some}: {share:.0%} of the query's words, × {scale:.2f} = {scale * share:+.2f}."
