"""What a search shows: a candidate, or the parent that takes the place of some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.model import Chunk
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.highlights import Terms, highlights, matched_fields
from chunking.retrieval.results.results import MatchedChild, Result, ScoreStep
from chunking.retrieval.search_request import Candidates

__all__ = ["ShownResult", "as_matched", "as_result"]

_EXACTLY = "Contains exactly the characters of the query; no score tells such hits apart."


@dataclass(frozen=True, slots=True)
class ShownResult:
    """What is shown, before anything is made for showing it."""

    chunk: Chunk
    hit: Fused
    """Its own, or its best child's."""
    children: tuple[Fused, ...] = ()
    """Those of its children that were found, best first; empty where it was found itself."""
    because: str = ""
    """Of a parent: why it takes the place of its children."""


def as_result(
    found: ShownResult, rank: int, candidates: Candidates, ranks: Mapping[str, int], near: tuple[Chunk, ...]
) -> Result:
    """What the user sees of a hit.

    Args:
        rank: among the results, from 1.
        candidates: all there are. Where they are exact, they hold the query's characters, and a score says nothing
            more.
        ranks: of the children, among all candidates.
        near: its neighbours.
    """
    chunk, hit, exact, wanted = found.chunk, found.hit, candidates.exact, candidates.terms
    steps = (ScoreStep("characters", hit.score, _EXACTLY),) if exact else tuple(ScoreStep(*part) for part in hit.parts)
    if found.children:
        steps = (*steps, ScoreStep("children", 0.0, found.because))
    return Result(
        rank=rank,
        chunk=chunk,
        score=hit.score,
        legs=hit.legs,
        explanation=_EXACTLY if exact else hit.explanation,
        matched_fields=matched_fields(chunk, wanted),
        highlights=highlights(chunk, wanted),
        neighbours=near,
        repeats=tuple(place for one in found.children or (hit,) for place in candidates.repeats.get(one.chunk_id, ())),
        citation=cite(chunk),
        matched=tuple(as_matched(one, ranks[one.chunk_id], candidates.chunks, wanted) for one in found.children),
        steps=steps,
        exact=exact,
    )


def as_matched(hit: Fused, rank: int, chunks: Mapping[str, Chunk], wanted: Terms | None = None) -> MatchedChild:
    """A candidate; with its highlights where what is wanted is said."""
    chunk = chunks[hit.chunk_id]
    return MatchedChild(chunk, hit.score, rank, hit.legs, highlights(chunk, wanted) if wanted else ())
