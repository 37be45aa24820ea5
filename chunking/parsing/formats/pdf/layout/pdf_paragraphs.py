"""Group lines into paragraphs, and join paragraphs over columns and pages."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import BlockType
from chunking.parsing.builder.line_joining import begins_item, ends_sentence, goes_on, introduces, runs_on
from chunking.parsing.formats.pdf.layout.block_parts import (
    BULLET,
    CAPTION,
    INDENT,
    SPACE,
    BlockPart,
    has_code,
    is_next_item,
    join_list_items,
    mark_code,
    same_size,
)
from chunking.parsing.formats.pdf.layout.line_measures import Measures, Placed

__all__ = ["group_lines", "join_over_breaks"]

_WIDER = 1.3
"""Minimum distance between blocks, in usual line distances."""
_DROP_CAP = 2.0
"""Minimum height of a line with a drop cap, in font sizes; the next lines are indented."""

_SMALL = 0.95
"""Minimum size of running text, relative to the body: smaller text is notes and captions."""
_FULL = 0.15
"""Maximum room at the end of a full line, in column widths."""
_FARTHEST = 2
"""Maximum page distance of a continuation: figures may fill the page between."""


def group_lines(placed: Sequence[Placed], measures: Measures) -> list[BlockPart]:
    """Group lines without headings into paragraphs (within a column), lists and code."""
    grouper = _Grouper(measures)
    parts: list[BlockPart] = []
    for one in placed:
        joint = grouper.joint(parts[-1], one) if parts else None
        if joint is None:
            parts.append(BlockPart(BlockType.PARAGRAPH, [one]))
        else:
            parts[-1].lines.append(one)
            parts[-1].joints.append(joint)
    return list(join_list_items(mark_code(parts, measures)))


class _Grouper:
    """Decisions whether a line continues a block."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._plain = not has_code(measures)

    def joint(self, part: BlockPart, after: Placed) -> str | None:
        """Separator before a line that continues the block; None if a new block starts."""
        before = part.lines[-1]
        one, two = before.line, after.line
        if (one.page, one.region) != (two.page, two.region) or one.angle != two.angle:
            return None
        if _drop_cap(before, after):
            return ""
        if not same_size(one, two) or (one.mono != two.mono and not self._plain):
            return None
        if after.middle - before.middle > _WIDER * self._measures.pitch(one) or CAPTION.match(two.text):
            return None
        if one.mono and not self._plain:
            return "\n"
        return self._by_words(part, before, after)

    def _by_words(self, part: BlockPart, before: Placed, after: Placed) -> str | None:
        one, two = before.line, after.line
        if before.contents or after.contents:
            return "\n" if before.contents and after.contents else None
        if len(one.gaps) > 1 or len(two.gaps) > 1:  # rows of a table without rules
            return "\n" if one.gaps and two.gaps else None
        short = self._short(before, after)
        bullet = bool(BULLET.match(two.text)) and two.text[0] not in one.text[1:]
        if begins_item(two.text) and (
            bullet or short or ends_sentence(one.text) or introduces(one.text) or begins_item(part.first.text)
        ):
            return None
        if one.bold != two.bold and short:
            return None
        if self._indented(part, before, after, short):
            return None
        if not short:
            return SPACE
        if ends_sentence(one.text):
            return None
        return SPACE if goes_on(one.text, two.text) else "\n"

    def _short(self, before: Placed, after: Placed) -> bool:
        """True if the next line's first word would have fitted, so that the break is intended."""
        text = after.line.text
        if before.line.hyphen or not text:
            return False
        wide = (after.right - after.left) / len(text)
        word = len(text.split(None, 1)[0]) if text.isascii() or " " in text[:24] else 2
        return before.edge - before.right > min(word + 1, 24) * wide + 0.5 * before.line.size

    def _indented(self, part: BlockPart, before: Placed, after: Placed, short: bool) -> bool:
        """True if the line's indent starts a paragraph."""
        step = INDENT * before.line.size
        shift = after.left - before.left
        if abs(shift) <= step or _centred(before, after):
            return False
        hanging = begins_item(part.first.text)
        if shift > step:
            if hanging and len(part.lines) == 1:
                return False
            return short or ends_sentence(before.line.text) or len(part.lines) > 1
        first = part.lines[0]
        if len(part.lines) == 1 or first.bottom - first.top > _DROP_CAP * first.line.size:
            return short or hanging
        return hanging or first.left < before.left - step


def _drop_cap(before: Placed, after: Placed) -> bool:
    """True if a paragraph starts with a drop cap."""
    letter = before.line.text
    return (
        len(letter) == 1 and letter.isupper() and before.line.size > 1.7 * after.line.size and after.left >= before.left
    )


def _centred(one: Placed, two: Placed) -> bool:
    return two.edge - two.right > two.line.size and abs((one.left + one.right) - (two.left + two.right)) < one.line.size


def join_over_breaks(parts: Sequence[BlockPart], measures: Measures) -> list[BlockPart]:
    """Join paragraphs and lists that go on after a column or page end, a note, caption or table.

    The first half is extended in place; what is between the halves follows it. A heading, code right below in the
    column, or more than one page in between ends a block.
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
    """True if a block is in the column in which another ends."""
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
