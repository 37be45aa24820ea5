"""Raise chunks that contain the query's identifiers as written.

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


def boost_identifiers(ranked: Ranked, query_identifiers: QueryIdentifiers) -> Ranked:
    """Add to the scores of candidates that contain identifiers of the query; best first."""
    if not query_identifiers.names or ranked.exact or not ranked.hits:
        return ranked
    scores = [hit.score for hit in ranked.hits]
    scale = BOOST * ((max(scores) - min(scores)) or 1.0)
    hits = []
    for hit in ranked.hits:
        levels = query_identifiers.levels(ranked.chunks[hit.chunk_id].indexed_text)
        share = sum(levels) / query_identifiers.words
        because = partial(_because, query_identifiers, levels, share, scale)
        hits.append(hit.plus(Addition("identifiers", scale * share, because)) if share else hit)
    return replace(ranked, hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))))


def _because(query_identifiers: QueryIdentifiers, levels: tuple[float, ...], share: float, scale: float) -> str:
    some = ", ".join(
        name if level == 1 else f"{name} inside a longer name"
        for name, level in zip(query_identifiers.names, levels, strict=True)
        if level
    )
    return f"Contains {some}: {share:.0%} of the query's words, × {scale:.2f} = {scale * share:+.2f}."
