"""Assign levels to guessed headings: numbers in words first, then by prominence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from chunking.parsing.formats.html.headings.candidate import Candidate
from chunking.parsing.headings.numbered_levels import DEEPEST, assign_levels
from chunking.parsing.headings.numbering import WORDED, Numbering, NumberingKind, is_top_label

__all__ = ["candidate_levels"]


def candidate_levels(candidates: Sequence[Candidate], covers: Collection[int] = ()) -> list[int]:
    """Levels 1 to 6 of headings in order; none is skipped on the way down.

    Numbers in words (`Part`, `Item`, `Chapter`, 第一章) rule: headings without one are below the last of them, except
    what the contents list alongside them; the page's title is above all. Otherwise a heading is below the last more
    prominent one; numbers such as `1.2` decide between headings that look alike.

    Args:
        candidates: the headings.
        covers: lines at which a cover ends: nothing after them is below what precedes.
    """
    last = max(
        (n for n, one in enumerate(candidates) if one.number and one.number.kind in WORDED - {NumberingKind.APPENDIX}),
        default=-1,
    )
    worded = [_worded(one.number, n > last) for n, one in enumerate(candidates)]
    by_word = assign_levels(worded)
    lowest = max((level for level, number in zip(by_word, worded, strict=True) if number), default=0)
    dotted = _prominence_of_numbers(candidates)
    stack: list[tuple[float, ...]] = []
    levels = []
    ends = sorted(covers)
    title = candidates[0] if candidates and _is_title(candidates) else None
    for one, number, level in zip(candidates, worded, by_word, strict=True):
        if one is title:
            key: tuple[float, ...] = (-1,)
        elif number:
            key = (0, level)
        elif lowest and one.named is not None and one.named.outside:
            key = (0, lowest)
        elif one.number:
            key = (1, -dotted[one.number.kind], one.number.depth)
        else:
            key = (1, -one.look.prominence, 1)
        while ends and ends[0] <= one.place:
            del ends[0]
            stack.clear()
        while stack and stack[-1] >= key:
            stack.pop()
        stack.append(key)
        levels.append(min(len(stack), DEEPEST))
    return levels


def _is_title(candidates: Sequence[Candidate]) -> bool:
    """True if the first heading is unnumbered, no section name, and the most prominent by far."""
    first, others = candidates[0], candidates[1:]
    if first.number or is_top_label(first.text):
        return False
    return len(others) > 1 and first.look.prominence > max(one.look.prominence for one in others)


def _worded(number: Numbering | None, at_end: bool) -> Numbering | None:
    """The number, if it is one in words that rules.

    A schedule or exhibit rules only after all others; within them it belongs to its place.
    """
    return (
        number if number and number.kind in WORDED and (at_end or number.kind is not NumberingKind.APPENDIX) else None
    )


def _prominence_of_numbers(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Maximum prominence per number format: 1.1 may be smaller than 1."""
    most: dict[str, float] = {}
    for one in candidates:
        if one.number:
            most[one.number.kind] = max(most.get(one.number.kind, 0.0), one.look.prominence)
    return most
