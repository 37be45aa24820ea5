"""A document's blocks as elements of `unstructured`: types, spans, depths and parent titles.

Nothing of that library is imported: its splitters get these elements (`splitting/strategies/foreign_splitters.py`),
and the export writes them as its JSON (`export/element_exports.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from chunking.model import Block, BlockType, Document, Span

__all__ = ["DocumentElement", "document_elements"]

_TITLE, _LIST_ITEM = "Title", "ListItem"
_CATEGORIES: dict[BlockType, str] = {
    BlockType.HEADING: _TITLE,
    BlockType.PARAGRAPH: "NarrativeText",
    BlockType.LIST: _LIST_ITEM,
    BlockType.TABLE: "Table",
    BlockType.CODE: "CodeSnippet",
    BlockType.QUOTE: "NarrativeText",
    BlockType.IMAGE: "Image",
    BlockType.EQUATION: "Formula",
    BlockType.HTML: "UncategorizedText",
    BlockType.QA: "NarrativeText",
    BlockType.METADATA: "UncategorizedText",
}
_LINE = re.compile(r"[^\r\n]+")
_MARKER = re.compile(r"([ \t>]*)((?:[-*+•◦▪–]|\(?[0-9A-Za-z]{1,3}[.)])[ \t]+)?")
"""Indent of a list line, and its bullet or number."""


class DocumentElement(NamedTuple):
    """A block of a document, or an item of its lists, in `unstructured`'s terms, with its spans."""

    category: str
    """Type in `unstructured`'s terms."""
    span: Span
    """Full span: a heading with its markup, a list item with its bullet."""
    words: Span
    """Span without bullet or number."""
    block: Block
    """The document's block: a block is one element, a list has one per item."""
    depth: int
    """Nesting depth of titles and list items, from 0; 0 for anything else."""
    title: int
    """Index of the title it belongs to; -1 if none."""


def document_elements(document: Document) -> list[DocumentElement]:
    """Return the blocks of a document as elements in text order, a list as one element per item."""
    elements: list[DocumentElement] = []
    titles: list[tuple[int, int]] = []  # (level, number) of the titles that are open
    for block in document.blocks:
        category = _CATEGORIES[block.type]
        level = (block.level or 1) if category == _TITLE else 0
        while level and titles and titles[-1][0] >= level:
            titles.pop()
        title = titles[-1][1] if titles else -1
        if level:
            titles.append((level, len(elements)))
        if category == _LIST_ITEM:
            elements += (
                DocumentElement(category, span, words, block, depth, title)
                for span, words, depth in _items(document.text, block)
            )
        else:
            span = Span(block.start, block.end)
            elements.append(DocumentElement(category, span, span, block, max(level - 1, 0), title))
    return elements


def _items(text: str, block: Block) -> Iterator[tuple[Span, Span, int]]:
    """Yield the items of a list with words and depths: by bullet or number if any, else by line."""
    lines = [line.span() for line in _LINE.finditer(text, block.start, block.end) if line[0].strip()]
    marks = [_marked(text, *line) for line in lines]
    some_are_marked = any(after > before for before, after in marks)
    first = [
        number for number, (before, after) in enumerate(marks) if not number or after > before or not some_are_marked
    ]
    indents: list[int] = []
    for number, following in zip(first, [*first[1:], len(lines)], strict=True):
        start, (before, after), end = lines[number][0], marks[number], lines[following - 1][1]
        depth = _depth(indents, before - text.rfind("\n", 0, before) - 1)
        yield Span(start, end), Span(after if text[after:end].strip() else start, end), depth


def _marked(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of a line's bullet or number; both are the start of its words if it has none."""
    marker = _MARKER.match(text, start, end)
    assert marker is not None  # it matches nothing at all too
    return marker.end(1), marker.end()


def _depth(indents: list[int], indent: int) -> int:
    """Nesting depth of an item; `indents` are those of its ancestors."""
    while indents and indents[-1] >= indent:
        indents.pop()
    indents.append(indent)
    return len(indents) - 1
