"""A place of a document that somebody chose, and the edits that make sense there."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice, takewhile
from operator import attrgetter
from typing import TypeVar

from chunking.model import Block, BlockType, Document, LeftOut
from chunking.parsing.edits import (
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
)
from chunking.text.anchors import Anchor

__all__ = ["TYPES", "ChosenPlace", "choose", "type_name"]

_START = attrgetter("start")
_Held = TypeVar("_Held", Block, LeftOut)

_NAMES = {BlockType.QA: "Question and answer", BlockType.HTML: "HTML", BlockType.METADATA: "Front matter"}
TYPES: dict[str, tuple[BlockType, int | None]] = {
    f"Heading {level}": (BlockType.HEADING, level) for level in range(1, 7)
} | {_NAMES.get(kind, kind.value.capitalize()): (kind, None) for kind in BlockType if kind is not BlockType.HEADING}
"""What a block can be, by what it is called."""


def type_name(kind: BlockType, level: int | None) -> str:
    """What a type is called.

    >>> type_name(BlockType.HEADING, 2), type_name(BlockType.QA, None)
    ('Heading 2', 'Question and answer')
    """
    return f"Heading {level or 1}" if kind is BlockType.HEADING else _NAMES.get(kind, kind.value.capitalize())


@dataclass(frozen=True, slots=True)
class ChosenPlace:
    """A block, a part of the text, or something that is left out."""

    document: Document
    start: int
    end: int
    block: Block | None
    """The block that it is, or begins in; None where it is left out."""
    out: LeftOut | None = None
    selected: bool = False
    """Text was selected; else a whole block was picked."""

    @property
    def anchor(self) -> Anchor:
        return Anchor.of(self.document.text, self.start, self.end)

    @property
    def words(self) -> str:
        """The beginning of its text, on one line."""
        return " ".join(self.document.text[self.start : min(self.end, self.start + 160)].split())

    @property
    def name(self) -> str:
        """What it is."""
        if self.out is not None:
            return f"Left out ({self.out.reason})"
        if self.selected:
            return "Selected text"
        return type_name(self.block.type, self.block.level) if self.block else "Text"

    @property
    def level(self) -> int | None:
        """Of a whole heading."""
        return self.block.level if self.block and not self.selected else None

    def set_type(self, name: str) -> Edit:
        """The edit that makes it another type, by its name in `TYPES`."""
        kind, level = TYPES[name]
        return SetType(anchor=self.anchor, type=kind, level=level)

    @property
    def below(self) -> list[int]:
        """Of a heading: the levels of all headings under it."""
        level = self.level
        if level is None or self.block is None:
            return []
        after = islice(self.document.blocks, bisect_right(self.document.blocks, self.block.start, key=_START), None)
        levels = (block.level for block in after if block.level is not None)
        return list(takewhile(lambda one: one > level, levels))

    def moved(self, by: int) -> Edit | None:
        """Of a heading: the edit that promotes (-1) or demotes (1) it with all headings under it; None where one of
        them cannot be.
        """
        if self.level is None or not 1 <= self.level + by <= 6 or max(self.below, default=1) + by > 6:
            return None
        return SetType(anchor=self.anchor, type=BlockType.HEADING, level=self.level + by, below=True)

    def leave_out(self) -> Edit | None:
        return None if self.out else LeaveOut(anchor=self.anchor)

    def take_back(self) -> Edit | None:
        return TakeBack(anchor=self.anchor) if self.out else None

    def part(self) -> Edit | None:
        """Of selected text that begins inside a block: the edit that lets another block begin there."""
        if not self.selected or self.block is None or not self.document.text[self.block.start : self.start].strip():
            return None
        return PartBlock(anchor=Anchor.of(self.document.text, self.start, self.start))

    def join(self) -> Edit | None:
        """The edit that joins a block with the next one, or all blocks of which a part is selected."""
        last = self._neighbour(0 if self.selected and self.block and self.end > self.block.end else 1)
        if self.block is None or last is None:
            return None
        end = max(last.end, self.end if self.selected else 0)
        return JoinBlocks(anchor=Anchor.of(self.document.text, self.block.start, end))

    def swap(self, by: int) -> Edit | None:
        """The edit that lets a block change places with the one before (-1) or behind it (1)."""
        other = self._neighbour(by)
        if self.selected or self.block is None or other is None:
            return None
        return SwapBlocks(anchor=self.anchor, other=Anchor.of(self.document.text, other.start, other.end))

    @property
    def header_rows(self) -> tuple[int, int] | None:
        """Of a table: (rows of its header now, most that it can have)."""
        if self.block is None or self.block.type is not BlockType.TABLE or self.selected:
            return None
        from chunking.parsing.edits.draft_edits import all_rows

        rows = len(all_rows(self.document.text, self.block))
        return rows - len(self.block.meta.get("row_starts", ())), min(rows - 1, 9)

    def set_header_rows(self, rows: int) -> Edit:
        return HeaderRows(anchor=self.anchor, rows=rows)

    def _neighbour(self, by: int) -> Block | None:
        if self.block is None:
            return None
        place = bisect_right(self.document.blocks, self.block.start, key=_START) - 1 + by
        return self.document.blocks[place] if 0 <= place < len(self.document.blocks) else None


def choose(document: Document, at: int | None, selected: tuple[int, int] | None) -> ChosenPlace | None:
    """What somebody chose: selected text, else the block or left-out span that holds a character; None for nothing."""
    start = selected[0] if selected else at
    if start is None or start >= len(document.text):
        return None
    block = _holding(document.blocks, start)
    if selected is not None:
        return ChosenPlace(document, *selected, block, selected=True)
    if block is not None:
        return ChosenPlace(document, block.start, block.end, block)
    out = _holding(document.left_out, start)
    return ChosenPlace(document, out.start, out.end, None, out) if out is not None else None


def _holding(spans: tuple[_Held, ...], offset: int) -> _Held | None:
    place = bisect_right(spans, offset, key=_START) - 1
    return spans[place] if place >= 0 and offset < spans[place].end else None
