"""Common form of MinerU's two outputs: a sequence of items, each with its page and box."""

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
"""Maximum overshoot of a box over the page's edge, from rounding."""
_LINE_SPACE = re.compile(r"[^\S\n]+")
_LINE_END = re.compile(r" ?\n\s*")


class ItemKind(Enum):
    """Kinds of items in MinerU's output."""

    TEXT = auto()
    HEADING = auto()
    LIST = auto()
    TABLE = auto()
    IMAGE = auto()
    EQUATION = auto()
    CODE = auto()
    FURNITURE = auto()


class PageBox(NamedTuple):
    """Page and box of an item."""

    page: int
    """Page number from 1."""
    bbox: Box | None


class ListEntry(NamedTuple):
    """An item of a list, with its depth."""

    text: str
    depth: int = 0
    """Depth from 0."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of MinerU's output, from either form: its kind, page and box, and content."""

    kind: ItemKind
    place: PageBox
    text: str = ""
    """Words of a text or image, LaTeX of an equation, lines of code."""
    level: int = 0
    """Heading level in the output; 0 if there is none."""
    entries: tuple[ListEntry, ...] = ()
    """Entries of a list."""
    table: str = ""
    """HTML or pipe rows of a table."""
    captions: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    """`path` of an image, `language` of code."""
    reason: str = ""
    """Reason for leaving out furniture."""


@dataclass(slots=True)
class MineruFaults:
    """Counts of defects in a file, which become warnings."""

    skipped: Counter[str] = field(default_factory=Counter)
    """Unreadable items by defect."""
    unplaced: int = 0
    """Items without a usable page."""
    images: int = 0
    """Images without words."""
    tables: int = 0
    """Tables without recognised cells."""
    boxes: bool = False
    """The boxes' unit is unknown."""

    def sentences(self) -> list[str]:
        """Return a warning for each kind of defect that occurred."""
        warnings = [
            f"{quantity(count, 'item')} of the file could not be read: {what}."
            for what, count in self.skipped.items()
            if count
        ]
        if self.unplaced:
            warnings.append(
                f"{quantity(self.unplaced, 'item')} without a page: assigned to the page of the previous item."
            )
        if self.boxes:
            warnings.append(
                "The boxes in the file are not in thousandths of the page, so places on pages are not known."
            )
        if self.tables:
            warnings.append(
                f"{quantity(self.tables, 'table')} without cells: the parser recognised none, so only "
                f"captions are searched."
            )
        if self.images:
            warnings.append(
                f"{quantity(self.images, 'image')} without a caption or words: nothing in them can be searched."
            )
        return warnings


def page_of(value: object, before: int, fault: MineruFaults) -> int:
    """Return the page, from 1, of a `page_idx`; if it is invalid, count it and return `before`."""
    number = as_whole(value)
    if number is None or not 0 <= number < MAX_PAGES:
        fault.unplaced += 1
        return before
    return number + 1


def boxes_scale(boxes: Iterable[object]) -> float | None:
    """Return the divisor that turns boxes into shares of a page; None if their unit is unknown.

    1000 without boxes.

    MinerU gives thousandths of the page, its models shares. Older versions gave points without the page size.

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
    """Return a box as page shares; None if invalid, empty, off the page, or `scale` is None."""
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
    """Return a text with single spaces, on one line or, with `keep_lines`, on its non-empty lines.

    >>> tidy(" a   b \\n c "), tidy("a  \\n b", keep_lines=True)
    ('a b c', 'a\\nb')
    """
    if not keep_lines:
        return " ".join(text.split())
    return _LINE_END.sub("\n", _LINE_SPACE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))).strip()
