"""Merge fragments into paragraphs, list items and headings, each fragment with its own place.

A paragraph ends with a sentence, unless the layout continues it; before an indented or set-apart line; at a heading,
list item or table. It does not end at a page or column end inside a sentence: furniture there is left out, and a
picture or table between the halves follows them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunking.model import BlockType
from chunking.parsing.builder.line_joining import begins_item, ends_sentence, introduces, joint, runs_on
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.mineru.items import Item, ItemKind, PageBox
from chunking.parsing.formats.mineru.layout import FragmentLayout, FragmentStep

__all__ = ["Paragraphs"]

_LABEL = 12
"""A shorter text between two pictures is a label, not half of a paragraph."""
_TAIL = 200


@dataclass(slots=True)
class _OpenParagraph:
    """A paragraph or list item that may continue."""

    last: Item
    """Its last fragment."""
    pieces: list[Piece]
    tail: str
    """Its last characters."""
    length: int
    item: bool
    """It is a list item."""
    depth: int = 0
    waiting: list[Callable[[], None]] = field(default_factory=list)
    """Blocks to write after it."""


class Paragraphs:
    """Takes fragments in reading order and writes joined blocks; call `finish` before writing anything else.

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
        """Add a fragment of running text."""
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
        """Write a picture or table now, or after the paragraph that may continue behind it."""
        if self._open and self._open.last.kind is ItemKind.TEXT and self._may_go_on(self._open):
            self._open.waiting.append(write)
        else:
            self.finish()
            write()

    def finish(self) -> None:
        """Write everything open."""
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
        """A short line before a capital: two entries, no sentence. Chinese has no capitals."""
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
