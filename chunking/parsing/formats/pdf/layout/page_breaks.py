"""Join blocks that continue in the next column or on the next page."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import BlockType
from chunking.parsing.builder.line_joining import ends_sentence, runs_on
from chunking.parsing.formats.pdf.layout.block_parts import CAPTION, INDENT, SPACE, BlockPart, same_size
from chunking.parsing.formats.pdf.layout.line_measures import Measures
from chunking.parsing.formats.pdf.layout.lists import is_next_item

__all__ = ["join_over_breaks"]

_SMALL = 0.95
"""Minimum size of running text, relative to the body: smaller are notes and captions."""
_FULL = 0.15
"""Maximum room at the end of a full line, in column widths."""
_FARTHEST = 2
"""Maximum page distance of a continuation: figures may fill the page between."""


def join_over_breaks(parts: Sequence[BlockPart], measures: Measures) -> list[BlockPart]:
    """Join blocks that continue in the next column or on the next page.

    What is between the halves (notes, captions, tables) follows the joined block; code inside a sentence stays there.
    """
    joined: list[BlockPart] = []
    open_part: BlockPart | None = None
    for part in parts:
        if open_part is not None and _goes_on(open_part, part, measures, parted=joined[-1] is not open_part):
            open_part.joints += [SPACE, *part.joints]
            open_part.lines += part.lines
            continue
        if open_part is not None and joined[-1] is open_part and _is_rest_of_list(open_part, part):
            open_part.item_start = len(open_part.lines)
            open_part.joints += ["\n", *part.joints]
            open_part.lines += part.lines
            open_part.items += part.items
            continue
        joined.append(part)
        if part.kind in (BlockType.PARAGRAPH, BlockType.LIST) and not _aside(part, measures):
            open_part = part
        elif part.level is not None or (
            open_part is not None and part.kind is BlockType.CODE and _is_below(part, open_part)
        ):
            open_part = None
    return joined


def _aside(part: BlockPart, measures: Measures) -> bool:
    """True for a note, caption, page number and the like, which may interrupt a paragraph."""
    if len(part.lines) == 1 and measures.is_at_edge(part.first):
        return True
    return (
        part.first.size < _SMALL * measures.body_size or part.first.angle != 0 or bool(CAPTION.match(part.first.text))
    )


def _is_below(part: BlockPart, before: BlockPart) -> bool:
    """True if a block is in the column where another ends."""
    return (part.first.page, part.first.region) == (before.last.page, before.last.region)


def _is_rest_of_list(before: BlockPart, after: BlockPart) -> bool:
    """True if items follow the last item of a list broken at a page end."""
    return before.kind is BlockType.LIST and after.kind is BlockType.LIST and is_next_item(before, after)


def _goes_on(before: BlockPart, after: BlockPart, measures: Measures, *, parted: bool) -> bool:
    """True if a block continues one in an earlier column, or in its own after an interruption (`parted`)."""
    if after.kind is not BlockType.PARAGRAPH:
        return False
    one, two = before.lines[-1], after.lines[0]
    place, next_place = (one.line.page, one.line.region), (two.line.page, two.line.region)
    if next_place < place or two.line.page > one.line.page + _FARTHEST or (place == next_place and not parted):
        return False
    if _aside(after, measures) or not same_size(one.line, two.line) or one.line.mono != two.line.mono:
        return False
    column = measures.column(one.line)
    full = one.line.hyphen or column.right - one.right < _FULL * (column.right - column.left)
    words = runs_on(one.line.text, two.line.text)
    if words is not None or place == next_place:
        return bool(words) and (full or not ends_sentence(one.line.text))
    indented = two.left - measures.column(two.line).left > INDENT * two.line.size
    if not full or indented:
        return False
    return not ends_sentence(one.line.text) or measures.indents
