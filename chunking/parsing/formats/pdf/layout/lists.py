"""Join consecutive items into lists, and monospaced lines into code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chunking.model import BlockType
from chunking.parsing.builder.line_joining import begins_item
from chunking.parsing.formats.pdf.layout.block_parts import BULLET, INDENT, BlockPart, same_size
from chunking.parsing.formats.pdf.layout.line_measures import Measures

__all__ = ["has_code", "is_next_item", "join_list_items", "mark_code"]

_MOSTLY = 0.9
"""Documents with a larger monospaced share have no recognisable code."""
_EMPTY_LINES = 3.5
"""Maximum gap within a listing, in usual line distances."""
_CODE_MARK = re.compile(r"[{}()\[\];=<>$#|\\]|^\s*(?:def|class|import|return|if|for|while|select)\b")


def has_code(measures: Measures) -> bool:
    """True if monospaced fonts mean code in this document."""
    return measures.mono_share <= _MOSTLY


def mark_code(parts: Iterable[BlockPart], measures: Measures) -> Iterator[BlockPart]:
    """Turn monospaced blocks with several lines, or with code punctuation, into code.

    A listing continues after empty lines, in the next column and on the next page.
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
    """Separator of two parts of one listing; None if they are two."""
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
    """Join consecutive items into lists; a single numbered item stays a paragraph."""
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
    """True if an item continues a list: same style, and the same kind of mark unless directly below."""
    one, two = run.lines[run.item_start], part.lines[0]
    if not same_size(one.line, two.line) or one.line.angle != two.line.angle:
        return False
    same = bool(BULLET.match(one.line.text)) == bool(BULLET.match(two.line.text))
    return same or one.line.page != two.line.page or abs(one.left - two.left) > INDENT * one.line.size


def _listed(run: BlockPart) -> BlockPart:
    if run.items > 1 or BULLET.match(run.first.text):
        run.kind = BlockType.LIST
    return run
