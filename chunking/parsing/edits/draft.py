"""A document being edited, as mutable lists of text, disjoint blocks and left-out spans."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import Any

from chunking.model import Block, BlockType, Document, LeftOut, Location
from chunking.parsing.builder.nested_files import shifted
from chunking.parsing.builder.reader_types import line_breaks, trimmed
from chunking.parsing.builder.text_builder import bounding_box
from chunking.text.characters import COMMA, WIDE_STOP, kind_of

__all__ = ["DocumentDraft", "DoesNotFit"]

_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_START, _END = attrgetter("start"), attrgetter("end")
_MOST_WALKED = 5_000_000
"""Budget of blocks visited by moving headings with their subsections."""


class DoesNotFit(ValueError):
    """Error for an edit that does not fit; its text continues a sentence that names the place."""


class DocumentDraft:
    """Mutable copy of a document's text, blocks and left-out spans, with the operations of edits.

    Attributes:
        text: the canonical text.
        blocks: in order and disjoint.
        left_out: in order and disjoint, also from the blocks. Every visible character is in one of the two.
        outline_changed: some section starts elsewhere or has another title.
    """

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.blocks: list[Block] = list(document.blocks)
        self.left_out: list[LeftOut] = list(document.left_out)
        self.locations: tuple[Location, ...] = document.locations
        self.outline_changed = False
        self._walked = 0
        self.moved: Callable[[int, int], tuple[int, int]] = lambda start, end: (start, end)
        """Maps a span to its place after the last change of the reading order."""

    def whole_words(self, start: int, end: int) -> tuple[int, int]:
        """Extend a span to whole words at both ends; an empty span in a word becomes the word."""
        while 0 < start < len(self.text) and self._inside_word(start):
            start -= 1
        while start < end < len(self.text) and self._inside_word(end):
            end += 1
        return start, end

    def _inside_word(self, at: int) -> bool:
        """True unless a word boundary is at an offset: white space, an ideograph, or a wide mark.

        Kana and Hangul are no boundaries: most tokenizers read a run of them as one word.
        """
        around_it = self.text[at - 1 : at + 1]
        parted = any(one.isspace() or kind_of(one) & (WIDE_STOP | COMMA) for one in around_it) or _IDEOGRAPH.search(
            around_it
        )
        return not parted

    def blocks_in(self, start: int, end: int) -> slice:
        """Return the slice of `blocks` with a character in [start, end), maybe empty."""
        first = bisect_right(self.blocks, start, key=_END)
        return slice(first, max(first, bisect_left(self.blocks, end, lo=first, key=_START)))

    def some_blocks(self, start: int, end: int) -> slice:
        """Return the slice of `blocks_in`, or raise if it is empty.

        Raises:
            DoesNotFit: no block has a character there: the text is left out.
        """
        place = self.blocks_in(start, end)
        if place.start == place.stop:
            raise DoesNotFit("is left out; restore it first")
        return place

    def replace_blocks(self, place: slice, blocks: Sequence[Block]) -> None:
        """Replace a slice of the blocks; set `outline_changed` if old or new ones open sections."""
        self.outline_changed |= any(map(_opens, self.blocks[place])) or any(map(_opens, blocks))
        self.blocks[place] = blocks

    def move_below(self, heading: slice, by: int) -> None:
        """Shift the levels of a heading's subheadings, within 1 to 6; the heading itself stays.

        Raises:
            DoesNotFit: such edits exceed the budget of visited blocks.
        """
        if self._walked >= _MOST_WALKED:
            raise DoesNotFit("cannot be moved: the edits of this document already move too many headings")
        level = self.blocks[heading.start].level or 0
        for number in range(heading.stop, len(self.blocks)) if by else ():
            block = self.blocks[number]
            if block.level is not None and block.level <= level:
                break
            if block.level is not None:
                self.blocks[number] = replace(block, level=min(max(block.level + by, 1), 6))
            self._walked += 1

    def cut(self, at: int) -> None:
        """Split the block around an offset, which moves back to the start of its word.

        Between blocks and at a block's edge, nothing changes.

        Raises:
            DoesNotFit: it is a table, and no row starts there.
        """
        at, _ = self.whole_words(at, at)
        place = self.blocks_in(at, at + 1)
        if place.start == place.stop:
            return
        block = self.blocks[place.start]
        if not self.text[block.start : at].strip() or not self.text[at : block.end].strip():
            return
        if block.type is BlockType.TABLE and at not in block.meta.get("row_starts", ()):
            raise DoesNotFit("is inside a table row; a table can be split only between rows")
        parts = (self.piece(block, block.start, at), self.piece(block, at, block.end))
        self.replace_blocks(slice(place.start, place.start + 1), [part for part in parts if part])

    def piece(self, block: Block, start: int, end: int) -> Block | None:
        """Return the part of a block in [start, end), trimmed, as a block; None if it is blank."""
        span = trimmed(self.text, max(start, block.start), min(end, block.end))
        if span is None:
            return None
        if span == (block.start, block.end):
            return block
        line = None if block.line is None else block.line + line_breaks(self.text, block.start, span[0])
        return self.placed(replace(block, start=span[0], end=span[1], line=line, meta=_part_of_meta(block, *span)))

    def placed(self, block: Block) -> Block:
        """Return a block with the page its text starts on, and the box around its text there.

        The block itself if the document has no page positions.
        """
        if not self.locations:
            return block
        first = bisect_right(self.locations, block.start, key=_END)
        inside = self.locations[first : bisect_left(self.locations, block.end, lo=first, key=_START)]
        page = inside[0].page if inside else None
        boxes = [one.bbox for one in inside if one.page == page and one.bbox is not None]
        return replace(block, page=page, bbox=bounding_box(boxes) if boxes else None)

    def leave_out(self, start: int, end: int, reason: str) -> None:
        """Move a span, extended to whole words, from the blocks to `left_out`, with a reason.

        Where no block is, nothing changes.

        Raises:
            DoesNotFit: nothing would be left of the document.
        """
        start, end = self.whole_words(start, end)
        place = self.blocks_in(start, end)
        if place.start == place.stop:
            return
        sides = [
            self.piece(self.blocks[place.start], 0, start),
            self.piece(self.blocks[place.stop - 1], end, len(self.text)),
        ]
        rest = [block for block in sides if block]
        if len(self.blocks) - (place.stop - place.start) + len(rest) == 0:
            raise DoesNotFit("is all that remains of the document; something must stay")
        out = trimmed(self.text, max(start, self.blocks[place.start].start), min(end, self.blocks[place.stop - 1].end))
        self.replace_blocks(place, rest)
        if out is not None:
            self._add_left_out(*out, reason)

    def _add_left_out(self, start: int, end: int, reason: str) -> None:
        """Leave out what is not yet left out of [start, end)."""
        place = self._left_out_in(start, end)
        spans: list[LeftOut] = []
        for earlier in self.left_out[place]:
            span = trimmed(self.text, start, earlier.start) if start < earlier.start else None
            spans += [LeftOut(*span, reason), earlier] if span else [earlier]
            start = max(start, earlier.end)
        span = trimmed(self.text, start, end) if start < end else None
        self.left_out[place] = [*spans, LeftOut(*span, reason)] if span else spans

    def _left_out_in(self, start: int, end: int) -> slice:
        """Slice of the left-out spans in [start, end)."""
        first = bisect_right(self.left_out, start, key=_END)
        return slice(first, max(first, bisect_left(self.left_out, end, lo=first, key=_START)))

    def take_back(self, start: int, end: int) -> bool:
        """Turn left-out text of a span into paragraphs again; False if none was left out.

        The span is extended to whole words.
        """
        start, end = self.whole_words(start, end)
        place = self._left_out_in(start, end)
        spans = self.left_out[place]
        if not spans:
            return False
        rest: list[LeftOut] = []
        for span in spans:
            sides = (
                trimmed(self.text, span.start, max(start, span.start)),
                trimmed(self.text, min(end, span.end), span.end),
            )
            rest += [LeftOut(*side, span.reason) for side in sides if side is not None]
            back = trimmed(self.text, max(start, span.start), min(end, span.end))
            if back is not None:
                at = bisect_left(self.blocks, back[0], key=_START)
                self.replace_blocks(
                    slice(at, at), [self.placed(Block(BlockType.PARAGRAPH, *back, line=self._line(at, back[0])))]
                )
        self.left_out[place] = rest
        return True

    def _line(self, at: int, offset: int) -> int | None:
        """Line number of an offset, before the block at an index; None if the format has no lines."""
        if not any(block.line is not None for block in self.blocks[:1]):
            return None
        before = self.blocks[at - 1] if at else None
        return (
            (before.line or 1) + line_breaks(self.text, before.start, offset)
            if before
            else 1 + line_breaks(self.text, 0, offset)
        )

    def swap(self, one: slice, other: slice) -> None:
        """Swap two runs of blocks in the text; blocks, left-out spans and locations move along.

        `moved` then maps a span before the swap to its new place.

        Args:
            one, other: slices of `blocks`; they do not overlap.
        """
        one, other = sorted((one, other), key=lambda place: place.start)
        first, after = self.blocks[one.start].start, self.blocks[one.stop - 1].end
        second, last = self.blocks[other.start].start, self.blocks[other.stop - 1].end
        text = self.text
        self.text = text[:first] + text[second:last] + text[after:second] + text[first:after] + text[last:]
        pieces = (
            (first, after, last - after),
            (after, second, last - second - after + first),
            (second, last, first - second),
        )

        def by(offset: int) -> int:
            return next((shift for low, high, shift in pieces if low <= offset < high), 0)

        def moved(start: int, end: int) -> tuple[int, int]:
            shift = by(start)
            return start + shift, max(end + (by(end - 1) if end > start else shift), start + shift)

        self.moved = moved
        self.blocks = sorted((_moved(block, by(block.start)) for block in self.blocks), key=_START)
        moved_out = (
            replace(out, start=out.start + by(out.start), end=out.end + by(out.start)) for out in self.left_out
        )
        self.left_out = sorted(moved_out, key=_START)
        self.locations = tuple(
            sorted(place for one in self.locations for place in _moved_location(one, (first, after, second, last), by))
        )
        self.outline_changed = True


def _opens(block: Block) -> bool:
    return block.type is BlockType.HEADING or "opens_section" in block.meta


def _moved(block: Block, by: int) -> Block:
    return replace(block, start=block.start + by, end=block.end + by, meta=shifted(block.meta, by)) if by else block


def _moved_location(place: Location, cuts: Sequence[int], by: Callable[[int], int]) -> Iterable[Location]:
    """Return a location's new places: two if its text came apart."""
    edges = [place.start, *(cut for cut in cuts if place.start < cut < place.end), place.end]
    for start, end in pairwise(edges):
        yield place._replace(start=start + by(start), end=end + by(start))


def _part_of_meta(block: Block, start: int, end: int) -> dict[str, Any]:
    """Return the meta of part of a block."""
    meta = dict(block.meta)
    if start > block.start:
        meta.pop("opens_section", None)
    if not start < meta.get("question_end", start + 1) < end:
        meta.pop("question_end", None)
    for key in ("joined_at", "statement_starts"):
        if key in meta:
            meta[key] = tuple(at for at in meta[key] if start < at < end)
    if block.type is BlockType.TABLE:
        rows = tuple(row for row in meta.get("row_starts", ()) if start <= row < end)
        if not start < meta.get("header_end", start) <= end or start > block.start:
            meta.pop("header_end", None)
            rows = rows if rows[:1] == (start,) else (start, *rows)
        meta |= {"row_starts": rows, "rows": len(rows)}
    return meta
