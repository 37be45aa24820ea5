"""Heading levels: as in the output if they differ, else from numbers.

MinerU gives nearly every heading level 1; some versions give the title 1 and everything else 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chunking.parsing.builder.line_joining import goes_on, joint
from chunking.parsing.builder.text_builder import Piece
from chunking.parsing.formats.mineru.items import Item, ItemKind
from chunking.parsing.headings.numbered_levels import levels_of
from chunking.parsing.headings.numbering import NumberingKind, numbering_of

__all__ = ["MineruHeading", "heading_levels", "headings_of"]

_DEEPEST = 6
_LONGEST = 100
"""Maximum characters of a heading that may continue in the next one."""


@dataclass(frozen=True, slots=True)
class MineruHeading:
    """A heading of one or more fragments."""

    pieces: tuple[Piece, ...]
    level: int
    """As in the output; 1 by default."""

    @property
    def label(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def headings_of(items: Sequence[Item]) -> dict[int, MineruHeading]:
    """Headings in a run of items, by the index of their first fragment.

    A number on its own line is joined to the heading after it, and so is a heading broken inside a phrase. Furniture
    between the two is ignored.
    """
    headings: dict[int, MineruHeading] = {}
    last: int | None = None
    for n, item in enumerate(items):
        if item.kind is ItemKind.HEADING:
            heading = MineruHeading((Piece(item.text, *item.place),), item.level or 1)
            between = _between(headings[last], heading) if last is not None else None
            if last is not None and between is not None:
                headings[last] = replace(
                    headings[last], pieces=(*headings[last].pieces, Piece(between), *heading.pieces)
                )
            else:
                last = n
                headings[n] = heading
        elif item.kind is not ItemKind.FURNITURE:
            last = None
    return headings


def _between(before: MineruHeading, after: MineruHeading) -> str | None:
    """Separator of two fragments of one heading; None for two headings."""
    if before.level != after.level or numbering_of(after.label) or len(before.label) > _LONGEST:
        return None
    if _is_number_alone(before.label):
        return " "
    return joint(before.label, after.label) if goes_on(before.label, after.label) else None


def heading_levels(headings: Sequence[MineruHeading]) -> list[int]:
    """Levels 1 to 6 of headings in reading order."""
    stated = [heading.level for heading in headings]
    labels = [heading.label for heading in headings]
    titled = len(stated) > 2 and stated[0] < min(stated[1:]) and len(set(stated[1:])) == 1
    if titled:  # a title, and everything else alike under it
        return [1, *(min(level + 1, _DEEPEST) for level in levels_of(labels[1:]))]
    if len(set(stated)) > 1 and not _contradicted(stated, labels):
        return [min(max(level, 1), _DEEPEST) for level in stated]
    return levels_of(labels)


def _is_number_alone(text: str) -> bool:
    """True for a heading that is only a number, such as `第一章` on its own line.

    >>> _is_number_alone("第一章"), _is_number_alone("第一章 总则"), _is_number_alone("Abstract")
    (True, False, False)
    """
    numbering = numbering_of(text)
    return numbering is not None and numbering.text == text.strip()


def _contradicted(stated: Sequence[int], labels: Sequence[str]) -> bool:
    """True if the stated levels contradict the numbers at least half of the time.

    That is, 1.1 is stated to be no lower than 1.
    """
    numbered = [
        (level, one.depth)
        for level, one in zip(stated, map(numbering_of, labels), strict=True)
        if one and one.kind is NumberingKind.DECIMAL
    ]
    steps = [
        (after - level, deeper - depth) for (level, depth), (after, deeper) in pairwise(numbered) if deeper != depth
    ]
    wrong = sum(rise * deeper <= 0 for rise, deeper in steps)
    return 2 * wrong > len(steps)
