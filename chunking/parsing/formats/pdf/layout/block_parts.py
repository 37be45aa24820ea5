"""Blocks under construction; items are joined into lists, monospaced lines into code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from chunking.model import BlockType
from chunking.parsing.builder.line_joining import begins_item
from chunking.parsing.formats.pdf.layout.line_measures import Measures, Placed
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.layout.ruled_tables import Table
from chunking.parsing.headings.evidence import Evidence

__all__ = [
    "BULLET",
    "CAPTION",
    "INDENT",
    "SPACE",
    "TABLE_CAPTION",
    "BlockPart",
    "has_code",
    "is_next_item",
    "join_list_items",
    "mark_code",
    "same_size",
]

SPACE = " "
"""Separator between lines of one paragraph, resolved by `line_joining.joint`."""
INDENT = 0.6
"""Minimum indentation relative to the previous line, in font sizes."""
CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|algorithm|exhibit|chart)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)[\w.]*\s*[:.|–—-]|[图表圖]\s?\d[\d.-]*[\s:：])",
    re.IGNORECASE,
)
TABLE_CAPTION = re.compile(
    r"(?:table|tab\.|exhibit|schedule|tableau|tabelle|tabla)\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[\[【]?\s?(?:表|표)\s?\d",
    re.IGNORECASE,
)
"""Start of a table caption next to a table."""
BULLET = re.compile(r"[-*•·●○▪■□◦‣–➢✓◆◇❖]\s*\S")
_OTHER_SIZE = 0.08

_MOSTLY = 0.9
"""Share of monospaced text beyond which code cannot be recognised in a document."""
_EMPTY_LINES = 3.5
"""Maximum gap within a listing, in usual line distances."""
_CODE_MARK = re.compile(r"[{}()\[\];=<>$#|\\]|^\s*(?:def|class|import|return|if|for|while|select)\b")


@dataclass(slots=True)
class BlockPart:
    """A block under construction: lines with their separators, or the parts of a table."""

    kind: BlockType
    lines: list[Placed]
    joints: list[str] = field(default_factory=list)
    """Separator before each line but the first: a line end, or `SPACE`."""
    level: int | None = None
    items: int = 0
    item_start: int = 0
    """Index of the last item's first line."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence for a heading."""
    tables: list[Table] = field(default_factory=list)
    """Parts of a table, which has no lines."""

    @property
    def first(self) -> PdfLine:
        return self.lines[0].line

    @property
    def last(self) -> PdfLine:
        return self.lines[-1].line


def same_size(one: PdfLine, two: PdfLine) -> bool:
    """True if the font sizes of two lines differ by at most 8 %."""
    return abs(one.size - two.size) <= _OTHER_SIZE * max(one.size, two.size)


def has_code(measures: Measures) -> bool:
    """True if at most 90 % of a document is monospaced, so that monospaced lines may be code."""
    return measures.mono_share <= _MOSTLY


def mark_code(parts: Iterable[BlockPart], measures: Measures) -> Iterator[BlockPart]:
    """Yield the blocks, consecutive monospaced ones of one font merged into code.

    The first of those merged is extended in place. A single monospaced line is code only if it has code punctuation. A
    listing continues after empty lines, in the next column and on the next page.
    """
    run: BlockPart | None = None
    for part in parts:
        mono = has_code(measures) and all(one.line.mono for one in part.lines)
        between = _between(run, part, measures) if run and mono else None
        if run and between:
            run.lines += part.lines
            run.joints += [between, *part.joints]
            continue
        if run:
            yield _as_code(run)
        run = part if mono else None
        if not mono:
            yield part
    if run:
        yield _as_code(run)


def _between(run: BlockPart, part: BlockPart, measures: Measures) -> str | None:
    """Separator of two parts of one listing; None if they belong to two."""
    one, two = run.lines[-1], part.lines[0]
    if one.line.font != two.line.font or not same_size(one.line, two.line):
        return None
    if (one.line.page, one.line.region) != (two.line.page, two.line.region):
        return "\n"
    return "\n\n" if two.middle - one.middle < _EMPTY_LINES * measures.pitch(one.line) else None


def _as_code(part: BlockPart) -> BlockPart:
    if len(part.lines) > 1 or _is_code(part.first.text):
        part.kind = BlockType.CODE
        part.joints = ["\n\n" if joint == "\n\n" else "\n" for joint in part.joints]
    return part


def _is_code(text: str) -> bool:
    return "@" not in text and len(_CODE_MARK.findall(text)) > 1


def join_list_items(parts: Iterable[BlockPart]) -> Iterator[BlockPart]:
    """Yield the blocks, consecutive items as lists; a lone numbered item stays a paragraph.

    The first item of a list is extended in place.
    """
    run: BlockPart | None = None
    for part in parts:
        item = part.kind is BlockType.PARAGRAPH and not part.lines[0].contents and begins_item(part.first.text)
        if run and item and is_next_item(run, part):
            run.item_start = len(run.lines)
            run.lines += part.lines
            run.joints += ["\n", *part.joints]
            run.items += 1
            continue
        if run:
            yield _listed(run)
        run = part if item else None
        if item:
            part.items = 1
        else:
            yield part
    if run:
        yield _listed(run)


def is_next_item(run: BlockPart, part: BlockPart) -> bool:
    """True if an item has the size and rotation of a list's last item, and a suitable mark.

    Both have bullets or both have none, unless the item is on another page or indented differently.
    """
    one, two = run.lines[run.item_start], part.lines[0]
    if not same_size(one.line, two.line) or one.line.angle != two.line.angle:
        return False
    same = bool(BULLET.match(one.line.text)) == bool(BULLET.match(two.line.text))
    return same or one.line.page != two.line.page or abs(one.left - two.left) > INDENT * one.line.size


def _listed(run: BlockPart) -> BlockPart:
    if run.items > 1 or BULLET.match(run.first.text):
        run.kind = BlockType.LIST
    return run
