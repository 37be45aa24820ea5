"""The levels of headings from their numbers: `1.1` stands one below `1`, and kinds of numbers stand one below another.

Parsers of layouts find headings but not their levels. Numbers tell them, and the Chinese forms have an order of their
own
(第一章 > 第一节 > 一、 > （一） > 1. > (1) > ①).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from chunking.parsing.headings.numbering import Numbering, NumberingKind, is_top_label, numbering_of

__all__ = ["DEEPEST", "assign_levels", "levels_of"]

DEEPEST = 6
"""No heading stands deeper."""

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
"""The order that holds whatever is seen first. Kinds that are not here are ordered by what is seen first."""
_FREE = 4
"""Ranks below this, those of words such as `Chapter`, are above any kind without a rank."""


def levels_of(labels: Sequence[str]) -> list[int]:
    """The levels, 1 to 6, of a document's headings, from their labels alone; see `assign_levels`.

    >>> levels_of(["Abstract", "1 Aims", "1.1 Scope", "2 Means", "References"])
    [1, 1, 2, 1, 1]
    """
    seen = Counter(label.strip().lower() for label in labels)
    tops = {n for n, label in enumerate(labels) if seen[label.strip().lower()] == 1 and is_top_label(label)}
    return assign_levels([numbering_of(label) for label in labels], tops)


def assign_levels(numberings: Sequence[Numbering | None], tops: Collection[int] = ()) -> list[int]:
    """The levels, 1 to 6, of a document's headings in order; headings numbered alike get the same level.

    A kind of number is outer to those seen after it, except where the forms have an order that always holds.

    Args:
        numberings: one a heading; None for one without a number.
        tops: places of unnumbered headings that stand at the top by their name. The others stand where the heading
            before them stands, because a parent that is guessed wrong does more harm than a sibling.
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
    """`I.` after `H.` is a letter; letters without an `A.` anywhere are initials of a name."""
    found: list[Numbering | None] = []
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
        found.append(numbering)
    started = any(one and one.kind is NumberingKind.UPPER and one.numbers == (1,) for one in found)
    return [one if started or not one or one.kind is not NumberingKind.UPPER else None for one in found]


def _appendices(numberings: Sequence[Numbering | None], tops: Collection[int]) -> list[Numbering | None]:
    """`A.` is an appendix where nothing but letters follows other numbers, and `A.1` or a heading such as References
    says so.
    """
    letters = [n for n, one in enumerate(numberings) if one and one.kind is NumberingKind.UPPER]
    others = [
        n for n, one in enumerate(numberings) if one and one.kind not in (NumberingKind.UPPER, NumberingKind.LETTERED)
    ]
    if not letters or not others or others[-1] > letters[0]:
        return list(numberings)
    told = letters[0] - 1 in tops or any(one and one.kind is NumberingKind.LETTERED for one in numberings)
    return [
        replace(one, kind=NumberingKind.LETTERED) if told and one and one.kind is NumberingKind.UPPER else one
        for one in numberings
    ]


def _bases(numberings: Sequence[Numbering]) -> dict[NumberingKind, int]:
    """What is added to a number's depth to get its level, for each kind."""
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
    """Whether the order that always holds puts `kind` above `other`.

    1.1 beside 一、 comes from a standard, not from the Chinese order: then what is seen first is outer.
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
