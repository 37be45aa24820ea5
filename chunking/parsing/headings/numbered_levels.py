"""Heading levels from numbers, and whether a sequence of numbers is one of headings, lists or amounts.

Layout parsers find headings without levels. Numbers provide them: `1.1` is below `1`, and kinds of numbers nest. The
Chinese forms have an order of their own (第一章 > 第一节 > 一、 > （一） > 1. > (1) > ①).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import IntEnum

from chunking.parsing.headings.numbering import Numbering, NumberingKind, is_top_label, numbering_of

__all__ = ["DEEPEST", "NumberStep", "assign_levels", "follows", "levels_of", "steps_of"]

DEEPEST = 6
"""Deepest heading level."""

_RANKS: dict[NumberingKind, int] = {
    NumberingKind.PART: 0,
    NumberingKind.CHAPTER: 1,
    NumberingKind.SECTION: 2,
    NumberingKind.ARTICLE: 3,
    NumberingKind.ITEM: 3,
    NumberingKind.HAN: 5,
    NumberingKind.HAN_PAREN: 6,
    NumberingKind.DECIMAL: 7,
    NumberingKind.PAREN: 8,
    NumberingKind.BRACKET: 9,
    NumberingKind.CIRCLED: 10,
    NumberingKind.LOWER: 11,
}
"""Fixed order of kinds; others are ordered by first appearance."""
_FREE = 4
"""Rank of words such as `Chapter` up to which they are above any kind without a rank."""

_DIRECT, _GAP, _RESTART = 2.0, 1.0, 0.9
"""Worth of a step in a chain: without a gap it is twice that of one with a gap."""


def levels_of(labels: Sequence[str]) -> list[int]:
    """Return levels 1 to 6 of headings, in order, from their labels alone; see `assign_levels`.

    A name of the top level counts as such only if it occurs once.

    >>> levels_of(["Abstract", "1 Aims", "1.1 Scope", "2 Means", "References"])
    [1, 1, 2, 1, 1]
    """
    frequency = Counter(label.strip().lower() for label in labels)
    tops = {n for n, label in enumerate(labels) if frequency[label.strip().lower()] == 1 and is_top_label(label)}
    return assign_levels([numbering_of(label) for label in labels], tops)


def assign_levels(numberings: Sequence[Numbering | None], tops: Collection[int] = ()) -> list[int]:
    """Return levels 1 to 6 of headings, in order; numbers of one kind and depth get one level.

    A kind of number is outer to those appearing after it, except where a fixed order applies.

    Args:
        numberings: one per heading; None without a number.
        tops: indices of unnumbered headings at the top by their name. Others take the level of the heading before,
            because a wrongly guessed parent does more harm than a sibling.
    """
    numberings = _appendices(_letters(numberings), tops)
    bases = _bases([numbering for numbering in numberings if numbering])
    levels: list[int] = []
    for n, numbering in enumerate(numberings):
        if numbering:
            level = bases[numbering.kind] + numbering.depth
        else:
            level = 1 if n in tops or not levels else levels[-1]
        levels.append(min(max(level, 1), DEEPEST))
    return levels


def _letters(numberings: Sequence[Numbering | None]) -> list[Numbering | None]:
    """Read `I.` after `H.` as a letter, and drop letters without an `A.`: initials of a name."""
    resolved: list[Numbering | None] = []
    before: Numbering | None = None
    for numbering in numberings:
        if (
            numbering
            and numbering.kind is NumberingKind.ROMAN
            and len(numbering.text) == 2
            and before
            and before.kind is NumberingKind.UPPER
        ):
            letter = ord(numbering.text[0]) - ord("A") + 1
            if before.numbers == (letter - 1,):
                numbering = replace(numbering, kind=NumberingKind.UPPER, numbers=(letter,))
        if numbering and numbering.kind in (NumberingKind.UPPER, NumberingKind.ROMAN):
            before = numbering
        resolved.append(numbering)
    started = any(one and one.kind is NumberingKind.UPPER and one.numbers == (1,) for one in resolved)
    return [one if started or not one or one.kind is not NumberingKind.UPPER else None for one in resolved]


def _appendices(numberings: Sequence[Numbering | None], tops: Collection[int]) -> list[Numbering | None]:
    """Read `A.` as an appendix where only letters follow other numbers.

    And where `A.1` or a heading such as References confirms it.
    """
    letters = [n for n, one in enumerate(numberings) if one and one.kind is NumberingKind.UPPER]
    others = [
        n for n, one in enumerate(numberings) if one and one.kind not in (NumberingKind.UPPER, NumberingKind.LETTERED)
    ]
    if not letters or not others or others[-1] > letters[0]:
        return list(numberings)
    is_confirmed = letters[0] - 1 in tops or any(one and one.kind is NumberingKind.LETTERED for one in numberings)
    return [
        replace(one, kind=NumberingKind.LETTERED) if is_confirmed and one and one.kind is NumberingKind.UPPER else one
        for one in numberings
    ]


def _bases(numberings: Sequence[Numbering]) -> dict[NumberingKind, int]:
    """Level minus depth, for each kind of number."""
    depths: dict[NumberingKind, list[int]] = {}
    for numbering in numberings:
        depths.setdefault(numbering.kind, []).append(numbering.depth)
    dotted = max(depths.get(NumberingKind.DECIMAL, [1])) > 1
    order: list[NumberingKind] = []
    for kind in depths:
        if kind not in (NumberingKind.APPENDIX, NumberingKind.LETTERED):
            place = next((n for n, other in enumerate(order) if _outer(kind, other, dotted)), len(order))
            order.insert(place, kind)
    bases = {NumberingKind.APPENDIX: 1 - min(depths.get(NumberingKind.APPENDIX, [1])), NumberingKind.LETTERED: 0}
    level = 1
    for kind in order:
        least, most = min(depths[kind]), max(depths[kind])
        bases[kind] = level - least
        level += most - least + 1
    if NumberingKind.UPPER in bases:
        bases[NumberingKind.LETTERED] = bases[NumberingKind.UPPER]
    return bases


def _outer(kind: NumberingKind, other: NumberingKind, dotted: bool) -> bool:
    """True if the fixed order puts `kind` above `other`.

    1.1 next to 一、 follows a standard, not the Chinese order: then the first to appear is outer.
    """
    if dotted and {kind, other} in (
        {NumberingKind.DECIMAL, NumberingKind.HAN},
        {NumberingKind.DECIMAL, NumberingKind.HAN_PAREN},
    ):
        return False
    mine, its = _RANKS.get(kind), _RANKS.get(other)
    if mine is None or its is None:
        return (mine is not None and mine < _FREE) or other is NumberingKind.LOWER
    return mine < its


# -- the order of numbers


class NumberStep(IntEnum):
    """Relation of a number to the numbers before it in its chain."""

    BREAK = 0
    """Outside of any chain: the numbers around it continue without it."""
    RESTART = 1
    """First of a restarted chain: 1."""
    GAP = 2
    """Larger than the one before, with some missing in between."""
    NEXT = 3
    """Next in order: 1.3 or 1.2.1 or 2 after 1.2, or the first of all."""


def follows(before: Sequence[int], after: Sequence[int]) -> bool:
    """True if `after` is the next number: the next sibling, first child, or next of an ancestor.

    >>> [follows((1, 2), after) for after in ((1, 3), (1, 2, 1), (2,), (1, 4), (2, 1), (1, 2))]
    [True, True, True, False, False, False]
    """
    depth = len(after) - 1
    if depth > len(before):
        return False
    if depth == len(before):
        return tuple(after[:-1]) == tuple(before) and after[-1] <= 1
    return tuple(after[:-1]) == tuple(before[:depth]) and after[-1] == before[depth] + 1


def steps_of(numberings: Sequence[Numbering | None]) -> list[NumberStep]:
    """Return each number's step in the best chain of its kind; `BREAK` outside, or without number.

    A chain goes forward: 1, 1.1, 1.2, 2. It may restart at 1 (articles in each part, items in each list), which is
    worth less than counting on. Time grows with n log n.

    >>> from chunking.parsing.headings.numbering import numbering_of
    >>> labels = ("1 A", "1.1 B", "7 Dwarfs", "1.2 C", "2 D", "4 E")
    >>> [step.name for step in steps_of([numbering_of(label) for label in labels])]
    ['NEXT', 'NEXT', 'BREAK', 'NEXT', 'NEXT', 'GAP']
    """
    kinds: dict[NumberingKind, list[int]] = {}
    for n, numbering in enumerate(numberings):
        if numbering:
            kinds.setdefault(numbering.kind, []).append(n)
    steps = [NumberStep.BREAK] * len(numberings)
    for kind, places in kinds.items():
        numbers = [numbering.numbers for n in places if (numbering := numberings[n])]
        own_steps = _Chain(numbers, again=kind is NumberingKind.ITEM).steps()
        for n, step in zip(places, own_steps, strict=True):
            steps[n] = step
    return steps


class _Chain:
    """Most valuable chain of numbers of one kind.

    Args:
        again: a number may repeat: Item 1A after Item 1.
    """

    def __init__(self, numbers: Sequence[tuple[int, ...]], *, again: bool) -> None:
        self._numbers, self._again = numbers, again
        self._order = sorted(set(numbers))
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (len(self._order) + 1)
        """Fenwick tree: maximum worth and end of a chain whose last number is at most a value."""
        self._ended: dict[tuple[int, ...], tuple[float, int]] = {}
        """Maximum worth and end of chains by the prefix of their last number."""
        self._worth: list[float] = []
        self._before: list[tuple[int, NumberStep]] = []

    def steps(self) -> list[NumberStep]:
        for n, number in enumerate(self._numbers):
            worth, before, step = max(self._continuations(number), key=lambda continuation: continuation[0])
            self._worth.append(worth)
            self._before.append((before, step))
            self._record(n, number, worth)
        steps = [NumberStep.BREAK] * len(self._numbers)
        place = max(range(len(self._worth)), key=self._worth.__getitem__, default=-1)
        while place >= 0:
            before, step = self._before[place]
            steps[place] = step
            place = before
        return steps

    def _continuations(self, number: tuple[int, ...]) -> list[tuple[float, int, NumberStep]]:
        """Worth, predecessor and step of each chain that a number can continue."""
        first = number[-1] <= 1
        ways = [(_DIRECT if first else _GAP, -1, NumberStep.NEXT if first else NumberStep.GAP)]
        head = number[:-1]
        direct = [(*head, number[-1] - 1)] if number[-1] > 0 else []
        for prefix in [*direct, *([head] if first and head else [])]:
            worth, place = self._ended.get(prefix, (0.0, -1))
            if place >= 0 and follows(self._numbers[place], number):
                ways.append((worth + _DIRECT, place, NumberStep.NEXT))
        worth, place = self._ended.get(number, (0.0, -1))
        if self._again and place >= 0:
            ways.append((worth + _DIRECT, place, NumberStep.NEXT))
        worth, place = self._below(bisect_left(self._order, number))
        if place >= 0:
            ways.append((worth + _GAP, place, NumberStep.GAP))
        worth, place = self._below(len(self._order))
        if first and len(number) == 1 and place >= 0:
            ways.append((worth + _RESTART, place, NumberStep.RESTART))
        return ways

    def _record(self, n: int, number: tuple[int, ...], worth: float) -> None:
        for length in range(1, len(number) + 1):
            prefix = number[:length]
            self._ended[prefix] = max(self._ended.get(prefix, (0.0, -1)), (worth, n))
        place = bisect_left(self._order, number) + 1
        while place < len(self._best):
            self._best[place] = max(self._best[place], (worth, n))
            place += place & -place

    def _below(self, place: int) -> tuple[float, int]:
        """Best chain that ends in one of the `place` smallest numbers."""
        best = (0.0, -1)
        while place:
            best = max(best, self._best[place])
            place -= place & -place
        return best
