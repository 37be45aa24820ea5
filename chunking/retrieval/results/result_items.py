"""Results of a search, made from its ranked candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.model import Chunk
from chunking.retrieval.query.query_terms import Terms
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.highlights import highlights, matched_fields
from chunking.retrieval.results.search_result import MatchedChild, Result, ScoreStep

__all__ = ["ShownResult", "as_matched", "as_result"]

_EXACTLY = "Contains exactly the characters of the query; such hits have no score."


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A candidate to show, or the parent that replaces some."""

    chunk: Chunk
    hit: Fused
    """Its own, or its best child's."""
    children: tuple[Fused, ...] = ()
    """Matched children, best first; empty where the chunk itself matched."""
    because: str = ""
    """Of a parent: why it replaces its children."""


def as_result(
    shown: ShownResult, rank: int, ranked: Ranked, ranks: Mapping[str, int], neighbours: tuple[Chunk, ...]
) -> Result:
    """Make the result of a shown candidate.

    Args:
        rank: among the results, from 1.
        ranked: all candidates.
        ranks: of the children, among all candidates.
    """
    chunk, hit, exact, terms = shown.chunk, shown.hit, ranked.exact, ranked.terms
    steps = (ScoreStep("characters", hit.score, _EXACTLY),) if exact else tuple(ScoreStep(*part) for part in hit.parts)
    if shown.children:
        steps = (*steps, ScoreStep("children", 0.0, shown.because))
    return Result(
        rank=rank,
        chunk=chunk,
        score=hit.score,
        legs=hit.legs,
        explanation=_EXACTLY if exact else hit.explanation,
        matched_fields=matched_fields(chunk, terms),
        highlights=highlights(chunk, terms),
        neighbours=neighbours,
        repeats=tuple(text for one in shown.children or (hit,) for text in ranked.repeats.get(one.chunk_id, ())),
        citation=cite(chunk),
        matched=tuple(as_matched(one, ranks[one.chunk_id], ranked.chunks, terms) for one in shown.children),
        steps=steps,
        exact=exact,
    )


def as_matched(hit: Fused, rank: int, chunks: Mapping[str, Chunk], terms: Terms | None = None) -> MatchedChild:
    """A candidate with its chunk; with highlights where terms are passed."""
    chunk = chunks[hit.chunk_id]
    return MatchedChild(chunk, hit.score, rank, hit.legs, highlights(chunk, terms) if terms else ())
