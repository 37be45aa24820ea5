"""What MinerU's two forms of output have in common: a run of items, each with its page and box."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from chunking.display import quantity
from chunking.model import Box
from chunking.parsing.safe_input.safe_json import as_list, as_number, as_whole

__all__ = ["Item", "ItemKind", "ListEntry", "MineruFaults", "PageBox", "box_of", "boxes_scale", "page_of", "tidy"]

MAX_PAGES = 100_000
_SLACK = 0.02
"""How far over the edge of the page a box may reach, from rounding."""
_LINE_SPACE = re.compile(r"[^\S\n]+")
_LINE_END = re.compile(r" ?\n\s*")


class ItemKind(Enum):
    """What becomes of an item."""

    TEXT = auto()
    HEADING = auto()
    LIST = auto()
    TABLE = auto()
    IMAGE = auto()
    EQUATION = auto()
    CODE = auto()
    FURNITURE = auto()


class PageBox(NamedTuple):
    """Where an item stands."""

    page: int
    """1-based."""
    bbox: Box | None


class ListEntry(NamedTuple):
    """An item of a list."""

    text: str
    depth: int = 0
    """0-based."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the output, of whatever form."""

    kind: ItemKind
    place: PageBox
    text: str = ""
    """The words; the LaTeX of an equation, the lines of code, what an image shows in words."""
    level: int = 0
    """Of a heading, as the output has it; 0 where it has none."""
    entries: tuple[ListEntry, ...] = ()
    """Of a list."""
    table: str = ""
    """HTML, or pipe rows."""
    captions: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    """`path` of an image, `language` of code."""
    reason: str = ""
    """Why furniture is left out."""


@dataclass(slots=True)
class MineruFaults:
    """What in a file was not as it should be, counted."""

    skipped: Counter[str] = field(default_factory=Counter)
    """Items of which nothing could be read, by what is wrong with them."""
    unplaced: int = 0
    """Items without a usable page."""
    images: int = 0
    """Images without a word."""
    tables: int = 0
    """Tables whose cells were not recognised."""
    boxes: bool = False
    """The boxes are in no known unit."""

    def sentences(self) -> list[str]:
        """A sentence a kind, for the person who uploaded the file."""
        told = [
            f"{quantity(count, 'item')} of the file could not be read: {what}."
            for what, count in self.skipped.items()
            if count
        ]
        if self.unplaced:
            told.append(f"{quantity(self.unplaced, 'item')} without a page: counted to the page of the item before.")
        if self.boxes:
            told.append("The boxes in the file are not in thousandths of the page, so places on pages are not known.")
        if self.tables:
            told.append(
                f"{quantity(self.tables, 'table')} without cells: the parser recognised none, so only "
                f"captions are searched."
            )
        if self.images:
            told.append(
                f"{quantity(self.images, 'image')} without a caption or words: nothing of them can be searched."
            )
        return told


def page_of(value: object, before: int, fault: MineruFaults) -> int:
    """The 1-based page of a `page_idx`; the page before where it has none."""
    number = as_whole(value)
    if number is None or not 0 <= number < MAX_PAGES:
        fault.unplaced += 1
        return before
    return number + 1


def boxes_scale(boxes: Iterable[object]) -> float | None:
    """What the boxes of a file are to be divided by to become shares of the page; None where they are in no known unit.

    MinerU gives thousandths of the page, its models shares. Older versions gave points without the size of the page.

    >>> boxes_scale([[0, 0, 1000, 500]]), boxes_scale([[0, 0, 0.5, 1.0]]), boxes_scale([[0, 0, 2480, 3508]])
    (1000.0, 1.0, None)
    """
    sizes = sorted(max(abs(side) for side in sides) for box in boxes if (sides := _sides(box)))
    if not sizes:
        return 1000.0
    most = sizes[(len(sizes) - 1) * 9 // 10]  # a few forged boxes say nothing about the others
    if most <= 1:
        return 1.0
    return 1000.0 if most <= 1000 * (1 + _SLACK) else None


def box_of(value: object, scale: float | None) -> Box | None:
    """A box as shares of the page; None where it is none, empty, or not on the page."""
    sides = _sides(value)
    if sides is None or scale is None:
        return None
    shares = [side / scale for side in sides]
    if any(not -_SLACK <= share <= 1 + _SLACK for share in shares):
        return None
    left, top, right, bottom = (min(max(share, 0.0), 1.0) for share in shares)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _sides(value: object) -> list[float] | None:
    sides = [as_number(side) for side in as_list(value)]
    return [side for side in sides if side is not None] if len(sides) == 4 and None not in sides else None


def tidy(text: str, keep_lines: bool = False) -> str:
    """White space as a person would type it: single, and lines kept where they are meant.

    >>> tidy(" a   b \\n c "), tidy("a  \\n b", keep_lines=True)
    ('a b c', 'a\\nb')
    """
    if not keep_lines:
        return " ".join(text.split())
    return _LINE_END.sub("\n", _LINE_SPACE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))).strip()
