"""Assign levels to headings found by their typography: by number if numbered, else by size, weight and capitals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from chunking.parsing.formats.pdf.headings.heading_runs import Look
from chunking.parsing.headings.number_order import NumberStep, steps_of
from chunking.parsing.headings.numbered_levels import assign_levels
from chunking.parsing.headings.numbering import is_top_label, numbering_of

__all__ = ["heading_levels"]

_NUMBERED = 0.5
"""Minimum share of numbered headings for numbers to decide the levels."""
_CHAIN = 3
"""This many consecutive multi-part numbers (1.2) also make numbers decide."""
_SAME_SIZE = 0.3


def heading_levels(headings: Sequence[tuple[str, Look]]) -> list[int]:
    """The levels, 1 to 6, of headings in order.

    Args:
        headings: the text and the look of each.
    """
    numbers = [numbering_of(text) for text, _ in headings]
    tops = {n for n, (text, _) in enumerate(headings) if is_top_label(text)}
    by_number = [level if number else None for level, number in zip(assign_levels(numbers, tops), numbers, strict=True)]
    steps = steps_of(numbers)
    chain = [
        number
        for number, step in zip(numbers, steps, strict=True)
        if number and step is NumberStep.NEXT and number.depth > 1
    ]
    if len(chain) >= _CHAIN or sum(level is not None for level in by_number) >= _NUMBERED * len(headings):
        return _counted([(rank, 0, 0) for rank in _by_number(headings, by_number)])
    return _counted(_by_look(headings, by_number))


def _counted(ranks: Sequence[tuple[float, int, int]]) -> list[int]:
    """Ranks as levels from 1, none left out, none over 6."""
    order = {rank: level for level, rank in enumerate(sorted(set(ranks)), 1)}
    return [min(order[rank], 6) for rank in ranks]


def _by_number(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> list[float]:
    """Numbers rule; a heading without one stands where those that look like it stand, else between larger and smaller
    ones.
    """
    looks = _levels_of_looks(headings, by_number)
    ranks: list[float] = []
    for (_, look), level in zip(headings, by_number, strict=True):
        if level is not None:
            ranks.append(level)
        elif look in looks:
            ranks.append(min(looks[look]))
        else:
            smaller = [min(levels) for other, levels in looks.items() if other[0] < look[0] - _SAME_SIZE]
            same = [max(levels) for other, levels in looks.items() if abs(other[0] - look[0]) <= _SAME_SIZE]
            larger = [max(levels) for other, levels in looks.items() if other[0] > look[0] + _SAME_SIZE]
            ranks.append(
                max(same) + (0.5 if not look[1] else 0)
                if same
                else min(smaller) - 0.5
                if smaller
                else max(larger, default=0) + 0.5
            )
    return ranks


def _by_look(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> list[tuple[float, int, int]]:
    """Size rules, then the number where some of one size have one, then weight and capitals."""
    looks = _levels_of_looks(headings, by_number)
    ranks = []
    for (_, look), level in zip(headings, by_number, strict=True):
        level = level if level is not None else min(looks.get(look, {0: 1}))
        ranks.append((-look[0], level, 0 if level else 3 - 2 * look[1] - look[3]))
    return ranks


def _levels_of_looks(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> dict[Look, Counter[int]]:
    """How often each look has each level by number."""
    looks: dict[Look, Counter[int]] = defaultdict(Counter)
    for (_, look), level in zip(headings, by_number, strict=True):
        if level is not None:
            looks[look][level] += 1
    return dict(looks)
