"""Derive heading levels from numbers: `1.1` is below `1`, and kinds of numbers nest.

Layout parsers find headings without levels. Numbers provide them, and the Chinese forms have an order of their own
(第一章 > 第一节 > 一、 > （一） > 1. > (1) > ①).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from chunking.parsing.headings.numbering import Numbering, NumberingKind, is_top_label, numbering_of

__all__ = ["DEEPEST", "assign_levels", "levels_of"]

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
"""Ranks of words such as `Chapter`, below this, are above any kind without a rank."""


def levels_of(labels: Sequence[str]) -> list[int]:
    """Levels 1 to 6 of headings from their labels alone; see `assign_levels`.

    >>> levels_of(["Abstract", "1 Aims", "1.1 Scope", "2 Means", "References"])
    [1, 1, 2, 1, 1]
    """
    frequency = Counter(label.strip().lower() for label in labels)
    tops = {n for n, label in enumerate(labels) if frequency[label.strip().lower()] == 1 and is_top_label(label)}
    return assign_levels([numbering_of(label) for label in labels], tops)


def assign_levels(numberings: Sequence[Numbering | None], tops: Collection[int] = ()) -> list[int]:
    """Levels 1 to 6 of headings in order; headings numbered alike get the same level.

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
