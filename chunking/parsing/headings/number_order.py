"""Decide whether numbers count on: headings do, lists restart, amounts jump."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum

from chunking.parsing.headings.numbering import Numbering, NumberingKind

__all__ = ["NumberStep", "follows", "steps_of"]

_DIRECT, _GAP, _RESTART = 2.0, 1.0, 0.9
"""Worth of a step in a chain: one without a gap is worth two with one."""


class NumberStep(IntEnum):
    """Relation of a number to those before it in its chain."""

    BREAK = 0
    """Outside of any chain: the numbers around it count on without it."""
    RESTART = 1
    """A chain restarts with it at 1."""
    GAP = 2
    """Larger than the one before, with some missing in between."""
    NEXT = 3
    """The next: 1.3 or 1.2.1 or 2 after 1.2, or the first of all."""


def follows(before: Sequence[int], after: Sequence[int]) -> bool:
    """True if a number is the next: a sibling, first child, or the next of an ancestor.

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
    """Step of each number in the longest chain of its kind; `BREAK` for none.

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
    """The most valuable chain of numbers of one kind.

    Args:
        again: a number may repeat: Item 1A after Item 1.
    """

    def __init__(self, numbers: Sequence[tuple[int, ...]], *, again: bool) -> None:
        self._numbers, self._again = numbers, again
        self._order = sorted(set(numbers))
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (len(self._order) + 1)
        """Fenwick tree: maximum worth of a chain ending in a number up to here, and its end."""
        self._ended: dict[tuple[int, ...], tuple[float, int]] = {}
        """The same for chains whose last number starts with a prefix."""
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
        """Worth, predecessor and step of each chain that continues with a number."""
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
