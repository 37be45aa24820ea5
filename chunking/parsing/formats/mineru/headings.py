"""The levels of headings: as the output has them where they differ, else from their numbers.

MinerU says level 1 of nearly every heading; some versions say 1 of the title and 2 of everything else.
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
"""Characters of a heading that may still be put together with the next."""


@dataclass(frozen=True, slots=True)
class MineruHeading:
    """A heading, of one fragment or of a few."""

    pieces: tuple[Piece, ...]
    level: int
    """As the output has it; 1 where it has none."""

    @property
    def label(self) -> str:
        """Its words."""
        return "".join(piece.text for piece in self.pieces)


def headings_of(items: Sequence[Item]) -> dict[int, MineruHeading]:
    """The headings in a run of items, by the place of their first fragment.

    A number on a line of its own takes the heading after it as its words; a heading broken in the middle of a phrase is
    put together. Furniture between the two does not count.
    """
    found: dict[int, MineruHeading] = {}
    last: int | None = None
    for n, item in enumerate(items):
        if item.kind is ItemKind.HEADING:
            heading = MineruHeading((Piece(item.text, *item.place),), item.level or 1)
            between = _between(found[last], heading) if last is not None else None
            if last is not None and between is not None:
                found[last] = replace(found[last], pieces=(*found[last].pieces, Piece(between), *heading.pieces))
            else:
                last = n
                found[n] = heading
        elif item.kind is not ItemKind.FURNITURE:
            last = None
    return found


def _between(before: MineruHeading, after: MineruHeading) -> str | None:
    """What stands between two fragments of one heading; None between two headings."""
    if before.level != after.level or numbering_of(after.label) or len(before.label) > _LONGEST:
        return None
    if _is_number_alone(before.label):
        return " "
    return joint(before.label, after.label) if goes_on(before.label, after.label) else None


def heading_levels(headings: Sequence[MineruHeading]) -> list[int]:
    """The level, 1 to 6, of each heading, in reading order."""
    given = [heading.level for heading in headings]
    labels = [heading.label for heading in headings]
    titled = len(given) > 2 and given[0] < min(given[1:]) and len(set(given[1:])) == 1
    if titled:  # a title, and everything else alike under it
        return [1, *(min(level + 1, _DEEPEST) for level in levels_of(labels[1:]))]
    if len(set(given)) > 1 and not _contradicted(given, labels):
        return [min(max(level, 1), _DEEPEST) for level in given]
    return levels_of(labels)


def _is_number_alone(text: str) -> bool:
    """A heading that is a number and waits for its words, as in `第一章` on a line of its own.

    >>> _is_number_alone("第一章"), _is_number_alone("第一章 总则"), _is_number_alone("Abstract")
    (True, False, False)
    """
    numbering = numbering_of(text)
    return numbering is not None and numbering.text == text.strip()


def _contradicted(given: Sequence[int], labels: Sequence[str]) -> bool:
    """Whether 1.1 is as often said to stand no lower than 1 as the other way round."""
    numbered = [
        (level, one.depth)
        for level, one in zip(given, map(numbering_of, labels), strict=True)
        if one and one.kind is NumberingKind.DECIMAL
    ]
    steps = [
        (after - level, deeper - depth) for (level, depth), (after, deeper) in pairwise(numbered) if deeper != depth
    ]
    wrong = sum(rise * deeper <= 0 for rise, deeper in steps)
    return 2 * wrong > len(steps)
