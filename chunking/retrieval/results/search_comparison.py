"""Two searches for one question, side by side: what both found, and what each found alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunking.retrieval.results.search_result import Result, SearchResult

__all__ = ["SearchComparison", "compare"]

_Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class SearchComparison:
    """The results of two searches, told apart by the text they stand for."""

    both: tuple[tuple[Result, Result], ...]
    """A result of the first and one of the second that are the same place; one may stand in several pairs."""
    only_a: tuple[Result, ...]
    """What the first found alone, best first."""
    only_b: tuple[Result, ...]


def compare(a: SearchResult, b: SearchResult) -> SearchComparison:
    """Compare two searches by the places of their results.

    Two results are the same place if their texts, or a repeat's, overlap by half of the shorter one, so that sizes,
    parents and indexes compare; summaries are matched by id.
    """
    both = tuple((one, other) for one in a.results for other in b.results if _same(one, other))
    left, right = {one.rank for one, _ in both}, {other.rank for _, other in both}
    return SearchComparison(
        both,
        tuple(result for result in a.results if result.rank not in left),
        tuple(result for result in b.results if result.rank not in right),
    )


def _same(one: Result, other: Result) -> bool:
    if not (one.chunk.content and other.chunk.content):
        return one.chunk.chunk_id == other.chunk.chunk_id
    return any(_overlap(here, there) for here in _spans(one) for there in _spans(other))


def _overlap(one: _Span, other: _Span) -> bool:
    shared = min(one[2], other[2]) - max(one[1], other[1])
    return one[0] == other[0] and 2 * shared >= min(one[2] - one[1], other[2] - other[1]) > 0


def _spans(result: Result) -> Iterator[_Span]:
    """Document, start and end of a result and of its repeats."""
    yield result.chunk.doc_id, result.chunk.start, result.chunk.end
    yield from ((place.doc_id, place.start, place.end) for place in result.repeats)
