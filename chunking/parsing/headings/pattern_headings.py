"""Add headings found by patterns to a document: the same text with other blocks, sections and outline.

A heading starts at the first visible character of a line, so a cross-reference in a sentence ("see Article 12") is
none. It is what the pattern matches; the rest of the line is the text below it. The reader's own headings stay; one on
such a line gets the pattern's level. Code and tables have no headings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from chunking.config.pattern_settings import HeadingPattern
from chunking.config.safe_patterns import Matches
from chunking.model import Block, BlockType, Document
from chunking.parsing.builder.reader_types import line_breaks, trimmed
from chunking.parsing.outline import build_sections, toc

__all__ = ["FoundHeadings", "find_headings", "with_headings"]

_INDENT = 100
"""Characters searched before a match for the start of its line."""
_CONTENTS_END = re.compile(r"[\s.·…]*\d*\s*\Z")
"""End of a line in a table of contents, after the heading it names."""
_FEWEST = 3
"""Minimum lines of a table of contents."""
_WITHOUT_PROSE = frozenset(
    {BlockType.CODE, BlockType.TABLE, BlockType.IMAGE, BlockType.EQUATION, BlockType.METADATA, BlockType.HTML}
)
"""Blocks without lines of prose."""
_START = attrgetter("start")


@dataclass(frozen=True, slots=True)
class _Head:
    """A heading found by a pattern."""

    start: int
    end: int
    level: int
    block: int
    """Index of the block."""


@dataclass(frozen=True, slots=True)
class FoundHeadings:
    """Headings that patterns found in a document, with counts and faults per pattern."""

    heads: tuple[_Head, ...]
    """Headings in order, disjoint."""
    counts: tuple[int, ...]
    """Number of headings per pattern."""
    elsewhere: tuple[int, ...]
    """Number of matches per pattern that are no headings.

    Inside a line, in code or a table, on a line that has one already, or in a table of contents.
    """
    faults: tuple[str, ...]
    """Reason for giving up per pattern, see `Matches.fault`; else empty."""


def find_headings(document: Document, patterns: Sequence[HeadingPattern], matches: Sequence[Matches]) -> FoundHeadings:
    """Choose the headings among pattern matches: those at the start of a line of prose.

    Matches in a table of contents are none. The document stays as it is; see `with_headings`.

    Args:
        matches: of each pattern in the document's text; the first pattern that matches on a line wins.
    """
    starts = [block.start for block in document.blocks]
    by_start: dict[int, tuple[_Head, int]] = {}
    for number, (pattern, pattern_matches) in enumerate(zip(patterns, matches, strict=True)):
        for start, end in pattern_matches:
            place = bisect_right(starts, start) - 1
            if start not in by_start and place >= 0 and _may_head(document, document.blocks[place], start):
                end = min(end, document.blocks[place].end)
                by_start[start] = _Head(start, end, pattern.level, place), number
    rows = [by_start[start] for start in sorted(by_start)]
    contents = _contents(document.text, [head for head, _ in rows])
    rows = [row for row, listed in zip(rows, contents, strict=True) if not listed]
    counts = Counter(number for _, number in rows)
    return FoundHeadings(
        heads=tuple(head for head, _ in rows),
        counts=tuple(counts[number] for number in range(len(patterns))),
        elsewhere=tuple(len(pattern_matches) - counts[number] for number, pattern_matches in enumerate(matches)),
        faults=tuple(pattern_matches.fault for pattern_matches in matches),
    )


def with_headings(document: Document, headings: FoundHeadings) -> Document:
    """Return a document with these headings as blocks, and with new sections and outline.

    The document itself if there are none. Blocks are split at the headings; a heading of the reader takes the pattern's
    level.
    """
    if not headings.heads:
        return document
    by_block: dict[int, list[_Head]] = {}
    for head in headings.heads:
        by_block.setdefault(head.block, []).append(head)
    blocks = tuple(_blocks(document, by_block))
    sections = build_sections(document.doc_id, document.text, blocks)
    return replace(document, blocks=blocks, sections=sections, doc_toc=toc(sections))


def _may_head(document: Document, block: Block, start: int) -> bool:
    if block.type in _WITHOUT_PROSE or start >= block.end:
        return False
    before = document.text[max(start - _INDENT, 0) : start]
    return not before[max(before.rfind("\n"), before.rfind("\r")) + 1 :].strip()


def _contents(text: str, heads: Sequence[_Head]) -> list[bool]:
    """Mark headings in a table of contents: several in a row without text below, all repeated later."""
    labels = ["".join(_CONTENTS_END.sub("", text[head.start : head.end]).split()) for head in heads]
    last = {label: number for number, label in enumerate(labels)}
    listed = [False] * len(heads)
    first = 0
    while first < len(heads):
        after = first
        while after < len(heads) and last[labels[after]] > after:
            after += 1
            if not _empty_after(text, heads, after - 1):
                break
        if after - first >= _FEWEST:
            listed[first:after] = [True] * (after - first)
        first = max(after, first + 1)
    return listed


def _empty_after(text: str, heads: Sequence[_Head], number: int) -> bool:
    """True if only white space, dots and a page number come before the next heading."""
    end = heads[number + 1].start if number + 1 < len(heads) else len(text)
    return end - heads[number].end < 200 and not _CONTENTS_END.sub("", text[heads[number].end : end]).strip(
        " \t\r\n-*>#"
    )


def _blocks(document: Document, by_block: Mapping[int, Sequence[_Head]]) -> Iterator[Block]:
    for number, block in enumerate(document.blocks):
        heads = by_block.get(number)
        if heads is None:
            yield block
        elif block.type is BlockType.HEADING:
            yield replace(block, level=heads[0].level)
        else:
            yield from _parted(document, block, heads)


def _parted(document: Document, block: Block, heads: Sequence[_Head]) -> Iterator[Block]:
    """Split a block at its headings."""
    at = block.start
    for head in heads:
        yield from _piece(document, block, at, head.start)
        yield from _piece(document, block, head.start, head.end, level=head.level)
        at = head.end
    yield from _piece(document, block, at, block.end)


def _piece(document: Document, block: Block, start: int, end: int, level: int | None = None) -> Iterator[Block]:
    span = trimmed(document.text, start, end)
    if span is None:
        return
    start, end = span
    line = None if block.line is None else block.line + line_breaks(document.text, block.start, start)
    piece = replace(block, start=start, end=end, line=line)
    if start > block.start and "opens_section" in piece.meta:  # its first piece opens it
        piece = replace(piece, meta={name: value for name, value in piece.meta.items() if name != "opens_section"})
    if document.locations and (start, end) != (block.start, block.end):
        places = document.locations_in(start, end)
        page = places[0].page if places else None
        boxes = [place.bbox for place in places if place.page == page and place.bbox is not None]
        bbox = (
            (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
            if boxes
            else None
        )
        piece = replace(piece, page=page, bbox=bbox)
    if level is not None:
        piece = replace(piece, type=BlockType.HEADING, level=level, meta={})
    elif block.type is BlockType.QA:
        piece = replace(
            piece, type=BlockType.PARAGRAPH, meta={}
        )  # its question is a heading now, or it has lost its answer
    yield piece
