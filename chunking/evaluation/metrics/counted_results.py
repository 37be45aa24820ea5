"""Results that a metric counts (first k, token budget, neighbours); arithmetic on character intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.errors import QuestionError
from chunking.evaluation.runs.answered import Found

__all__ = ["Measure", "Missing", "Returned", "counted", "length", "minus", "returned", "union"]

Interval = tuple[int, int]
"""Half-open: (first character, one past the last)."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Cutoff of the ranking (results or tokens), and whether neighbours count.

    Raises:
        QuestionError: `n` or `budget` is below 1.
    """

    n: int | None = 5
    """Most results; None: all stored results."""
    budget: int | None = None
    """Most tokens: the first result over budget is truncated to its share. None: no limit."""
    expanded: bool = False
    """True: count hits with their neighbours (`Found.first` to `last`), shared text once; False: count bare hits."""

    def __post_init__(self) -> None:
        for name in ("n", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise QuestionError(f"{name} is {value}; give one or more, or leave it out.", where=name)

    @classmethod
    def at_budget(cls, tokens: int, *, expanded: bool = False) -> Measure:
        """Return a measure with a token budget and any number of results."""
        return cls(None, tokens, expanded)

    @property
    def label(self) -> str:
        """Label such as `at 5 results` or `at 1,000 tokens, with neighbours`."""
        parts = []
        if self.n is not None:
            parts.append(f"at {self.n} result{'s' if self.n != 1 else ''}")
        if self.budget is not None:
            parts.append(f"at {self.budget:,} tokens")
        if not parts:
            parts.append("at all stored results")
        return ", ".join([*parts, "with neighbours"] if self.expanded else parts)


class Returned(NamedTuple):
    """Span of text from a ranked result, as far as it lies within a measure's cutoff."""

    rank: int
    """Rank of its result, from 1."""
    doc_id: str
    start: int
    end: int
    tokens: float
    """For part of a result: its share by characters."""


def returned(results: Sequence[Found], measure: Measure) -> list[Returned]:
    """Return the text spans of a ranking within a measure's cutoff, in rank order.

    The span that exceeds the token budget is truncated to its share of characters, and is the last. Bare hits count as
    they are, so overlapping text counts twice. With neighbours, text counts once, in the first passage that holds it,
    as it would be read; its tokens are estimated from those of the hit, by characters.
    """
    pieces: list[Returned] = []
    left = float("inf") if measure.budget is None else float(measure.budget)
    shown: dict[str, list[tuple[int, int]]] = {}
    for rank, one in enumerate(results if measure.n is None else results[: measure.n], start=1):
        for piece in _passage(rank, one, shown) if measure.expanded and one.doc_id else (_hit(rank, one),):
            if piece.tokens > left:
                return [*pieces, *_cut(piece, left)]
            pieces.append(piece)
            left -= piece.tokens
    return pieces


def counted(results: Sequence[Found], measure: Measure) -> int:
    """Count the results within a measure's cutoff, including a result that the budget truncates.

    >>> ranking = [Found("a", 0, 40, 10, 0, 40), Found("a", 40, 80, 10, 40, 80)]
    >>> measures = (Measure(1), Measure(5), Measure.at_budget(15), Measure.at_budget(10))
    >>> [counted(ranking, measure) for measure in measures]
    [1, 2, 2, 1]
    """
    first = results if measure.n is None else results[: measure.n]
    return len(first) if measure.budget is None else max((piece.rank for piece in returned(first, measure)), default=0)


def _hit(rank: int, one: Found) -> Returned:
    return Returned(rank, one.doc_id, one.start, one.end, float(one.tokens))


def _passage(rank: int, one: Found, shown: dict[str, list[tuple[int, int]]]) -> list[Returned]:
    """Return the parts of a passage that no earlier passage holds."""
    start, end = min(one.first, one.start), max(one.last, one.end)
    fresh = [(start, end)]
    for low, high in shown.setdefault(one.doc_id, []):
        fresh = minus(fresh, low, high)
    shown[one.doc_id].extend(fresh)
    each = one.tokens / max(one.end - one.start, 1)
    return [Returned(rank, one.doc_id, low, high, each * length([(low, high)])) for low, high in fresh]


def _cut(piece: Returned, tokens: float) -> list[Returned]:
    """Return the beginning of a piece, as far as the tokens reach."""
    characters = int((piece.end - piece.start) * tokens / piece.tokens)
    return [piece._replace(end=piece.start + characters, tokens=tokens)] if characters else []


def union(spans: Iterable[Interval]) -> list[Interval]:
    """Merge spans into disjoint intervals in ascending order; empty spans vanish.

    >>> union([(5, 9), (0, 3), (2, 4), (9, 9)])
    [(0, 4), (5, 9)]
    """
    apart: list[Interval] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return apart


def minus(intervals: Iterable[Interval], start: int, end: int) -> list[Interval]:
    """Subtract the characters from `start` to `end` from intervals.

    >>> minus([(0, 4), (5, 9)], 2, 6)
    [(0, 2), (6, 9)]
    """
    rest: list[Interval] = []
    for low, high in intervals:
        if start >= high or end <= low or start >= end:
            rest.append((low, high))
            continue
        if low < start:
            rest.append((low, start))
        if end < high:
            rest.append((end, high))
    return rest


def length(intervals: Iterable[Interval]) -> int:
    """Return the total length of disjoint intervals."""
    return sum(end - start for start, end in intervals)


class Missing:
    """Answer characters not returned yet; `take` removes those of a returned span."""

    __slots__ = ("_by_document", "total")

    def __init__(self, spans: Iterable[tuple[str, int, int]]) -> None:
        """Merge the gold spans of each document.

        Args:
            spans: (document, start, end); may overlap and lie in several documents.
        """
        lists: dict[str, list[Interval]] = {}
        for doc_id, start, end in spans:
            lists.setdefault(doc_id, []).append((start, end))
        self._by_document = {doc_id: union(intervals) for doc_id, intervals in lists.items()}
        self.total = sum(map(length, self._by_document.values()))
        """Number of characters at the beginning."""

    def by_document(self) -> list[int]:
        """Return the number of missing characters in each document of the answers, 0 included."""
        return [length(intervals) for intervals in self._by_document.values()]

    def rest(self) -> Iterator[tuple[str, int, int]]:
        """Yield the missing spans as (document, start, end)."""
        for doc_id, intervals in self._by_document.items():
            yield from ((doc_id, start, end) for start, end in intervals)

    def take(self, doc_id: str, start: int, end: int) -> int:
        """Remove a returned span from the missing characters, and return how many it held."""
        before = self._by_document.get(doc_id)
        if not before or end <= before[0][0] or start >= before[-1][1]:
            return 0
        after = self._by_document[doc_id] = minus(before, start, end)
        return length(before) - length(after)
