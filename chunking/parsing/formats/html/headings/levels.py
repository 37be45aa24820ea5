"""Levels of guessed headings: numbers in words first, then what stands out more is above what stands out less."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from chunking.parsing.formats.html.headings.candidate import Candidate
from chunking.parsing.headings.numbered_levels import DEEPEST, assign_levels
from chunking.parsing.headings.numbering import WORDED, Numbering, NumberingKind, is_top_label

__all__ = ["levels_of_candidates"]


def levels_of_candidates(found: Sequence[Candidate], covers: Collection[int] = ()) -> list[int]:
    """The levels, 1 to 6, of headings in order; none is skipped on the way down.

    Numbers in words (`Part`, `Item`, `Chapter`, 第一章) rule: everything without one stands under the last of them, except
    what the
    contents list beside them, and the title of the page stands over all. Below, and where there are none, a heading
    stands under the
    last one that is more prominent; numbers such as `1.2` decide between headings that look alike.

    Args:
        found: the headings.
        covers: places of lines in which a cover ends: nothing after them stands under what is before.
    """
    last = max(
        (n for n, one in enumerate(found) if one.number and one.number.kind in WORDED - {NumberingKind.APPENDIX}),
        default=-1,
    )
    worded = [_worded(one.number, n > last) for n, one in enumerate(found)]
    by_word = assign_levels(worded)
    lowest = max((level for level, number in zip(by_word, worded, strict=True) if number), default=0)
    dotted = _prominence_of_numbers(found)
    stack: list[tuple[float, ...]] = []
    levels = []
    ends = sorted(covers)
    title = found[0] if found and _is_title(found) else None
    for one, number, level in zip(found, worded, by_word, strict=True):
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


def _is_title(found: Sequence[Candidate]) -> bool:
    """Whether the first heading has no number, no name of a section, and stands out more than all others."""
    first, others = found[0], found[1:]
    if first.number or is_top_label(first.text):
        return False
    return len(others) > 1 and first.look.prominence > max(one.look.prominence for one in others)


def _worded(number: Numbering | None, at_end: bool) -> Numbering | None:
    """A number in words that rules; a schedule or exhibit only behind all others: within them it belongs to where it
    stands.
    """
    return (
        number if number and number.kind in WORDED and (at_end or number.kind is not NumberingKind.APPENDIX) else None
    )


def _prominence_of_numbers(found: Sequence[Candidate]) -> dict[str, float]:
    """How prominent headings of a kind of number are at the most: 1.1 may be set smaller than 1."""
    most: dict[str, float] = {}
    for one in found:
        if one.number:
            most[one.number.kind] = max(most.get(one.number.kind, 0.0), one.look.prominence)
    return most
