"""What counts as returned: the first results, or as many as a token budget holds; the bare hits, or with their
neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.errors import QuestionError
from chunking.evaluation.metrics.character_spans import length, minus
from chunking.evaluation.runs.answered import Found

__all__ = ["Measure", "Returned", "counted", "returned"]


@dataclass(frozen=True, slots=True)
class Measure:
    """Where the ranking is cut, and what is returned of it.

    Raises:
        QuestionError: `n` or `budget` is below 1.
    """

    n: int | None = 5
    """Most results; None: all that were kept."""
    budget: int | None = None
    """Most tokens: the result that does not fit any more is cut by its share of them. None: no limit."""
    expanded: bool = False
    """The passages that hits stand in with their neighbours (`Found.first` to `last`), what they share once; else the
    bare hits.
    """

    def __post_init__(self) -> None:
        for name in ("n", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise QuestionError(f"{name} is {value}; give one or more, or leave it out.", where=name)

    @classmethod
    def at_budget(cls, tokens: int, *, expanded: bool = False) -> Measure:
        """At a token budget, however many results it takes."""
        return cls(None, tokens, expanded)

    @property
    def label(self) -> str:
        """Such as `at 5 results` or `at 1,000 tokens, with neighbours`."""
        parts = []
        if self.n is not None:
            parts.append(f"at {self.n} result{'s' if self.n != 1 else ''}")
        if self.budget is not None:
            parts.append(f"at {self.budget:,} tokens")
        if not parts:
            parts.append("at all stored results")
        return ", ".join([*parts, "with neighbours"] if self.expanded else parts)


class Returned(NamedTuple):
    """A run of text that is returned."""

    rank: int
    """Of the result it belongs to, from 1."""
    doc_id: str
    start: int
    end: int
    tokens: float
    """Of a piece of a result: its share by characters."""


def returned(found: Sequence[Found], measure: Measure) -> list[Returned]:
    """What a ranking returns, in its order.

    Bare hits are returned as they are: what two of them share is returned twice, and counts twice. Passages share their
    neighbours, and are returned as they would be read: what an earlier one holds is left out of a later one. Their
    tokens
    are estimated from the hit's own, by characters.
    """
    pieces: list[Returned] = []
    left = float("inf") if measure.budget is None else float(measure.budget)
    shown: dict[str, list[tuple[int, int]]] = {}
    for rank, one in enumerate(found if measure.n is None else found[: measure.n], start=1):
        for piece in _passage(rank, one, shown) if measure.expanded and one.doc_id else (_hit(rank, one),):
            if piece.tokens > left:
                return [*pieces, *_cut(piece, left)]
            pieces.append(piece)
            left -= piece.tokens
    return pieces


def counted(found: Sequence[Found], measure: Measure) -> int:
    """How many results of a ranking count, one that the budget cuts included.

    >>> ranking = [Found("a", 0, 40, 10, 0, 40), Found("a", 40, 80, 10, 40, 80)]
    >>> measures = (Measure(1), Measure(5), Measure.at_budget(15), Measure.at_budget(10))
    >>> [counted(ranking, measure) for measure in measures]
    [1, 2, 2, 1]
    """
    first = found if measure.n is None else found[: measure.n]
    return len(first) if measure.budget is None else max((piece.rank for piece in returned(first, measure)), default=0)


def _hit(rank: int, one: Found) -> Returned:
    return Returned(rank, one.doc_id, one.start, one.end, float(one.tokens))


def _passage(rank: int, one: Found, shown: dict[str, list[tuple[int, int]]]) -> list[Returned]:
    """The parts of a passage that no earlier one holds."""
    start, end = min(one.first, one.start), max(one.last, one.end)
    fresh = [(start, end)]
    for low, high in shown.setdefault(one.doc_id, []):
        fresh = minus(fresh, low, high)
    shown[one.doc_id].extend(fresh)
    each = one.tokens / max(one.end - one.start, 1)
    return [Returned(rank, one.doc_id, low, high, each * length([(low, high)])) for low, high in fresh]


def _cut(piece: Returned, tokens: float) -> list[Returned]:
    """Its beginning, as far as the tokens reach."""
    characters = int((piece.end - piece.start) * tokens / piece.tokens)
    return [piece._replace(end=piece.start + characters, tokens=tokens)] if characters else []
