"""Merge fragments into paragraphs, list items and headings, each fragment with its own place.

A paragraph ends with a sentence, unless the layout continues it; before an indented or set-apart line; at a heading,
list item or table. It does not end at a page or column end inside a sentence: furniture there is left out, and a
picture or table between the halves follows them.

Layout evidence comes from the boxes of fragments. All measures are learned from the document's own boxes, and a sign
counts only where it is meaningful: an indent relative to its column's edge, a gap relative to the usual gap, a full
line only in a document whose paragraphs end in short lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from chunking.model import BlockType, Box
from chunking.parsing.builder.line_joining import begins_item, ends_sentence, introduces, joint, runs_on
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.mineru.items import Item, ItemKind, PageBox

__all__ = ["FragmentLayout", "Paragraphs"]

_LABEL = 12
"""Characters below which a text between two pictures is a label, not half of a paragraph."""
_TAIL = 200

_NEAR = 0.006
"""Maximum distance of equal edges."""
_INDENT = (0.012, 0.12)
"""Minimum and maximum first-line indent; further right is centred or set apart."""
_GUTTER = (0.45, 0.55)
_SHARE_OF_COLUMN = 0.3
"""Minimum share of a page's fragments right of the gutter for two columns."""
_PAGE_SHAPE = 1.2
"""Page height per width, divided by line height per font size: about 1.4 / 1.2."""
_ONE_LINE = 1.8
"""Estimated lines from which a fragment has more than one."""
_WIDE_FROM = 0x2E80
_SAMPLED_CHARACTERS = 2000
_OFTEN = 4
_FULL = 0.97
_SHORT = 0.5
_WIDE_GAP = 1.8
"""Minimum gap between paragraphs, in usual line gaps."""
_WIDE_GAP_OF_LINE = 0.6
"""Minimum gap between paragraphs, in line heights."""


@dataclass(slots=True)
class _OpenParagraph:
    """A paragraph or list item that may continue."""

    last: Item
    """Last fragment."""
    pieces: list[Piece]
    tail: str
    """Last characters."""
    length: int
    item: bool
    """True for a list item."""
    depth: int = 0
    waiting: list[Callable[[], None]] = field(default_factory=list)
    """Blocks to write after it."""


class Paragraphs:
    """Writer that joins fragments to blocks in reading order; call `finish` before other writing.

    Args:
        writer: of the document.
        layout: measured over the same fragments.
    """

    def __init__(self, writer: Writer, layout: FragmentLayout) -> None:
        self._writer = writer
        self._layout = layout
        self._open: _OpenParagraph | None = None
        self._items: list[_OpenParagraph] = []

    def text(self, item: Item) -> None:
        """Append a fragment of running text to the open paragraph it continues, or open one."""
        if self._open and self._goes_on(self._open, item):
            self._append(self._open, item, item.text)
            return
        self._start(item, item.text, begins_item(item.text))

    def entries(self, item: Item) -> None:
        """Add a list; its first item may continue the last one before a page break."""
        for n, entry in enumerate(item.entries):
            before = self._open
            if (
                n == 0
                and before
                and before.item
                and self._crosses(before, item)
                and runs_on(before.tail, entry.text) is not False
            ):
                self._append(before, item, entry.text)
            else:
                self._start(item, entry.text, True, entry.depth)

    def wait(self, write: Callable[[], None]) -> None:
        """Write a picture or table now, or after the open paragraph if that may continue."""
        if self._open and self._open.last.kind is ItemKind.TEXT and self._may_go_on(self._open):
            self._open.waiting.append(write)
        else:
            self.finish()
            write()

    def finish(self) -> None:
        """Write the open paragraph, list items, and pictures and tables waiting for them."""
        while self._open:
            waiting = self._open.waiting
            self._close()
            for write in waiting:
                self._write_items()
                write()
        self._write_items()

    def _start(self, item: Item, text: str, listed: bool, depth: int = 0) -> None:
        if self._open and self._open.waiting:
            self.finish()
        self._close()
        self._open = _OpenParagraph(item, [_piece(text, item.place)], text[-_TAIL:], len(text), listed, depth)

    def _append(self, before: _OpenParagraph, item: Item, text: str) -> None:
        between = joint(before.tail, text)
        before.pieces += [Piece(between), _piece(text, item.place)] if between else [_piece(text, item.place)]
        before.tail = (before.tail + between + text)[-_TAIL:]
        before.length += len(text)
        before.last = item

    def _goes_on(self, before: _OpenParagraph, item: Item) -> bool:
        """True if a fragment continues the open paragraph, by words first, then by layout."""
        by_words = runs_on(before.tail, item.text)
        if by_words is False:
            return False
        step = self._layout.step(before.last, item)
        if step is FragmentStep.APART:
            return False
        if by_words or step is FragmentStep.BESIDE:
            return True
        if before.waiting:
            return step is FragmentStep.AWAY and not self._layout.indented(item) and not item.text[:1].isupper()
        if ends_sentence(before.tail):
            return self._layout.goes_on(before.last, item)
        if step is FragmentStep.BELOW:
            return not self._layout.set_apart(before.last, item) and not self._ends_short(before, item)
        return not (step is FragmentStep.AWAY and self._layout.indented(item))

    def _ends_short(self, before: _OpenParagraph, item: Item) -> bool:
        """True for a short line before a capital: two entries, no sentence. Chinese has no capitals."""
        return self._layout.short(before.last) and item.text[:1].isupper()

    def _crosses(self, before: _OpenParagraph, item: Item) -> bool:
        return before.last.place.page != item.place.page and not ends_sentence(before.tail)

    def _may_go_on(self, before: _OpenParagraph) -> bool:
        return before.length >= _LABEL and not ends_sentence(before.tail) and not introduces(before.tail)

    def _close(self) -> None:
        """Close the open paragraph."""
        closed, self._open = self._open, None
        if closed is None:
            return
        if closed.item:
            self._items.append(closed)
        else:
            self._write_items()
            self._writer.block(BlockType.PARAGRAPH, closed.pieces)

    def _write_items(self) -> None:
        """Write a run of items as one list; a single numbered one is a paragraph."""
        items, self._items = self._items, []
        if not items:
            return
        if (
            len(items) == 1
            and items[0].last.kind is not ItemKind.LIST
            and items[0].pieces[0].text.lstrip()[:1].isalnum()
        ):
            self._writer.block(BlockType.PARAGRAPH, items[0].pieces)
            return
        pieces = [Piece("")]
        for item in items:
            pieces += [Piece("\n" + "  " * item.depth), *item.pieces]
        depth = 1 + max(item.depth for item in items)
        self._writer.block(BlockType.LIST, pieces, meta={"depth": depth, "items": len(items)})


def _piece(text: str, place: PageBox) -> Piece:
    return Piece(text, place.page, place.bbox)


# -- layout evidence for paragraph ends


class FragmentStep(Enum):
    """Positions of a fragment relative to the previous one."""

    BESIDE = auto()
    """On the same line, right after it."""
    BELOW = auto()
    """Below it in the same column."""
    APART = auto()
    """On the same line after a wide space."""
    AWAY = auto()
    """In another column or page."""
    UNKNOWN = auto()


class _Column(NamedTuple):
    left: float
    right: float


class FragmentLayout:
    """Layout of a document's text fragments, measured once from their boxes.

    Args:
        items: the whole document, in reading order.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        placed = [item for item in items if item.kind is ItemKind.TEXT and item.place.bbox]
        self._two_columns = _pages_of_two_columns(placed)
        self._columns = self._measured(placed)
        heights = [_height(item.place.bbox) for item in placed if _is_one_line(item)]
        self._line = median(heights) if heights else 0.0
        below = [
            (one, two)
            for one, two in pairwise(items)
            if one.kind is two.kind is ItemKind.TEXT and self.step(one, two) is FragmentStep.BELOW
        ]
        self._usual_gap = max(median(self._gap(one, two) for one, two in below), 0.0) if below else 0.0
        ended = [(one, two) for one, two in below if ends_sentence(one.text) and _is_one_line(one)]
        self._marks_by_indent = _often(sum(self.indented(two) for _, two in ended), ended)
        self._marks_by_length = _often(sum(not self._full(one) for one, _ in ended), ended)
        self._marks_by_gap = _often(sum(self._wide_gap(one, two) for one, two in ended), ended)

    def step(self, one: Item, two: Item) -> FragmentStep:
        """Return where fragment `two` is relative to `one` before it.

        AWAY on different pages, else UNKNOWN if one of them has no box.
        """
        if one.place.page != two.place.page:
            return FragmentStep.AWAY
        if not one.place.bbox or not two.place.bbox:
            return FragmentStep.UNKNOWN
        _, top, right, bottom = one.place.bbox
        its_left, its_top, _, its_bottom = two.place.bbox
        shared = min(bottom, its_bottom) - max(top, its_top)
        if 2 * shared > min(bottom - top, its_bottom - its_top):
            return self._across(right, its_left, self._zone(one) == self._zone(two))
        return FragmentStep.BELOW if its_top >= top and self._zone(one) == self._zone(two) else FragmentStep.AWAY

    def _across(self, right: float, left: float, same_column: bool) -> FragmentStep:
        if left < right - _NEAR:  # one over the other: boxes that say nothing
            return FragmentStep.UNKNOWN
        if not same_column:
            return FragmentStep.AWAY
        return FragmentStep.BESIDE if left <= right + 3 * self._line else FragmentStep.APART

    def indented(self, item: Item) -> bool:
        """True if a fragment's box starts a little right of its column; False without a box."""
        if not item.place.bbox:
            return False
        return _INDENT[0] <= item.place.bbox[0] - self._column(item).left <= _INDENT[1]

    def set_apart(self, one: Item, two: Item) -> bool:
        """True if `two` below `one` starts a paragraph: newly indented, or after an unusual gap."""
        if not one.place.bbox or not two.place.bbox:
            return False
        in_line = abs(one.place.bbox[0] - two.place.bbox[0]) <= _NEAR
        return (self.indented(two) and not in_line) or self._wide_gap(one, two)

    def short(self, item: Item) -> bool:
        """True if a fragment has one line that ends in the first half of its column."""
        if not item.place.bbox or not _is_one_line(item):
            return False
        left, right = self._column(item)
        return item.place.bbox[2] - left < _SHORT * (right - left)

    def goes_on(self, one: Item, two: Item) -> bool:
        """True if the layout shows that a paragraph goes on although a sentence ends with the line.

        If the line is full and the next one not indented, in a document whose paragraphs start with an indent or end
        with a short line; or if there is no gap, in a document with gaps between paragraphs. Otherwise unknown, so
        False.
        """
        if not one.place.bbox or not two.place.bbox or not _is_one_line(one):
            return False
        step = self.step(one, two)
        if (
            step not in (FragmentStep.BELOW, FragmentStep.AWAY)
            or abs(two.place.bbox[0] - self._column(two).left) > _NEAR
        ):
            return False
        if step is FragmentStep.BELOW and self.set_apart(one, two):
            return False
        if self._marks_by_gap and step is FragmentStep.BELOW:
            return True
        return (self._marks_by_indent or self._marks_by_length) and self._full(one)

    def _full(self, item: Item) -> bool:
        """True for a line that reaches its column's right edge."""
        left, right = self._column(item)
        return item.place.bbox is not None and item.place.bbox[2] - left >= _FULL * (right - left)

    def _wide_gap(self, one: Item, two: Item) -> bool:
        return self._gap(one, two) > max(_WIDE_GAP * self._usual_gap, _WIDE_GAP_OF_LINE * self._line)

    def _gap(self, one: Item, two: Item) -> float:
        return two.place.bbox[1] - one.place.bbox[3] if one.place.bbox and two.place.bbox else 0.0

    def _zone(self, item: Item) -> int:
        """Column of a fragment, 1 or 2; 0 on single-column pages and across both columns."""
        return _zone(item.place.bbox) if item.place.page in self._two_columns and item.place.bbox else 0

    def _column(self, item: Item) -> _Column:
        return self._columns.get((item.place.page, self._zone(item)), _Column(0.0, 1.0))

    def _measured(self, placed: Iterable[Item]) -> dict[tuple[int, int], _Column]:
        sides: dict[tuple[int, int], list[Box]] = {}
        for item in placed:
            if item.place.bbox:
                sides.setdefault((item.place.page, self._zone(item)), []).append(item.place.bbox)
        return {
            key: _Column(_edge([box[0] for box in boxes]), -_edge([-box[2] for box in boxes]))
            for key, boxes in sides.items()
        }


def _often(marked: int, ended: Sequence[object]) -> bool:
    """True if a mark follows a good part of the lines that end a sentence."""
    return marked >= 2 and _OFTEN * marked >= len(ended)


def _is_one_line(item: Item) -> bool:
    """True if a fragment is estimated to be one line, from the room for its characters.

    n characters of size s fill a line of n·s, or as many lines as the box is high.
    """
    if not item.place.bbox:
        return False
    left, top, right, bottom = item.place.bbox
    size = sum(1.0 if ord(character) >= _WIDE_FROM else 0.5 for character in item.text[:_SAMPLED_CHARACTERS])
    return _PAGE_SHAPE * size * (bottom - top) / (right - left) < _ONE_LINE**2


def _height(box: Box | None) -> float:
    return box[3] - box[1] if box else 0.0


def _zone(box: Box) -> int:
    if box[0] >= _GUTTER[0]:
        return 2
    return 1 if box[2] <= _GUTTER[1] else 0


def _pages_of_two_columns(placed: Iterable[Item]) -> frozenset[int]:
    counts: dict[int, list[int]] = {}
    for item in placed:
        if item.place.bbox:
            counts.setdefault(item.place.page, [0, 0, 0])[_zone(item.place.bbox)] += 1
    least = _SHARE_OF_COLUMN
    return frozenset(
        page for page, zones in counts.items() if zones[2] >= 2 and min(zones[1], zones[2]) >= least * sum(zones)
    )


def _edge(sides: Sequence[float]) -> float:
    """The outermost side shared by several fragments; the outermost of all if none is.

    >>> _edge([0.05, 0.1, 0.101, 0.1, 0.13]), _edge([0.1, 0.3])
    (0.1, 0.1)
    """
    ordered = sorted(sides)
    least = max(2, len(ordered) // 10)
    for n, side in enumerate(ordered):
        if bisect_left(ordered, side + _NEAR) - n >= least:
            return side
    return ordered[0]
