"""Apply edits to a draft: change blocks, and leave out or restore spans and boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chunking.model import Block, BlockType, Box, Location, Span
from chunking.parsing.edits.draft import DocumentDraft, DoesNotFit
from chunking.parsing.edits.edit_types import (
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
)
from chunking.parsing.headings.evidence import CONFIDENCE, EVIDENCE

__all__ = [
    "all_rows",
    "join_blocks",
    "leave_out",
    "leave_out_box",
    "part_block",
    "set_header_rows",
    "set_type",
    "spans_in_box",
    "swap_blocks",
    "take_back",
]

_LONGEST_HEADING = 2_000
"""Most characters of a heading."""
_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|?)+\s*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def set_type(draft: DocumentDraft, edit: SetType, span: Span) -> None:
    """Change the type of blocks; part of a block is split off, several blocks become one heading.

    With `edit.below`, the subheadings of a heading move by as many levels.

    Raises:
        DoesNotFit: the text is left out, too long for a heading, inside a table row, or of types that do not join.
    """
    if edit.type is BlockType.HEADING and span.end - span.start > _LONGEST_HEADING:
        raise DoesNotFit(f"has {span.end - span.start:,} characters; the limit for a heading is {_LONGEST_HEADING:,}")
    start, end = draft.whole_words(*span)
    draft.some_blocks(start, end)
    draft.cut(start)
    draft.cut(end)
    place = draft.some_blocks(start, end)
    blocks = draft.blocks[place]
    if edit.type is BlockType.HEADING:
        blocks = [_one(draft, blocks)]
    if edit.below and edit.level is not None and blocks[0].level is not None:
        draft.move_below(place, edit.level - blocks[0].level)
    draft.replace_blocks(place, [_typed(draft, block, edit) for block in blocks])


def _typed(draft: DocumentDraft, block: Block, edit: SetType) -> Block:
    if block.type is edit.type:
        return replace(
            block, level=edit.level, meta={key: value for key, value in block.meta.items() if key not in _GUESSED}
        )
    meta = {key: block.meta[key] for key in ("opens_section", "label", "joined_at") if key in block.meta}
    if edit.type is BlockType.TABLE:
        meta |= _table_meta(draft.text, block)
    if edit.type is BlockType.HEADING:
        meta.pop("opens_section", None)
    return replace(block, type=edit.type, level=edit.level, meta=meta)


_GUESSED = frozenset({EVIDENCE, CONFIDENCE})
"""Evidence of a guessed heading, which a person's edit supersedes."""


def _table_meta(text: str, block: Block) -> dict[str, Any]:
    """Rows and columns of lines that become a table: pipe rows, tab-separated fields, or one cell a line."""
    starts = list(_line_starts(text, block.start, block.end))
    lines = [text[start:end] for start, end in zip(starts, [*starts[1:], block.end], strict=True)]
    tabs = "\t" in lines[0] and "|" not in lines[0]
    bars = [line.count("\t") if tabs else line.strip().strip("|").count("|") for line in lines]
    meta: dict[str, Any] = {"columns": max(bars) + 1}
    if tabs:
        meta["delimiter"] = "\t"
    if len(lines) > 2 and _RULE.fullmatch(lines[1]) and "-" in lines[1]:
        meta["header_end"], starts = starts[2], starts[2:]
    return meta | {"row_starts": tuple(starts), "rows": len(starts)}


def _line_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Starts of non-empty lines."""
    for line in _LINE.finditer(text, start, end):
        if line[0].strip():
            yield line.start()


def join_blocks(draft: DocumentDraft, edit: JoinBlocks, span: Span) -> None:
    """Merge the blocks of a span into one of the first block's type.

    Raises:
        DoesNotFit: it is one block or none, contains left-out text, or has tables or headings among other types.
    """
    place = draft.some_blocks(*span)
    blocks = draft.blocks[place]
    if len(blocks) < 2:
        raise DoesNotFit("is already one block")
    draft.replace_blocks(place, [_one(draft, blocks)])


def _one(draft: DocumentDraft, blocks: list[Block]) -> Block:
    """Merge neighbouring blocks into one of the first one's type.

    Raises:
        DoesNotFit: their types have nothing in common, or something between them is left out.
    """
    if len(blocks) == 1:
        return blocks[0]
    first, last = blocks[0], blocks[-1]
    if any(first.start < out.start < last.end for out in draft.left_out):
        raise DoesNotFit("contains left-out text; restore it first")
    special = {block.type for block in blocks if block.type in (BlockType.TABLE, BlockType.HEADING)}
    if special and any(block.type is not first.type for block in blocks):
        raise DoesNotFit("is made of blocks of different types; give them the same type first")
    meta = dict(first.meta)
    if first.type is BlockType.TABLE:
        rows = (
            *first.meta.get("row_starts", ()),
            *(row for block in blocks[1:] for row in all_rows(draft.text, block)),
        )
        meta |= {"row_starts": rows, "rows": len(rows)}
    else:
        inside = (at for block in blocks for at in block.meta.get("joined_at", ()))
        meta["joined_at"] = tuple(sorted({*inside, *(block.start for block in blocks[1:])}))
    return draft.placed(replace(first, end=last.end, meta=meta))


def part_block(draft: DocumentDraft, edit: PartBlock, span: Span) -> None:
    """Split a block before the word at the anchor.

    Raises:
        DoesNotFit: it is at a block's edge, between blocks, or inside a table row.
    """
    at, _ = draft.whole_words(span.start, span.start)
    inside = draft.blocks_in(at, at + 1)
    block = draft.blocks[inside.start] if inside.start < inside.stop else None
    if block is None or not draft.text[block.start : at].strip():
        raise DoesNotFit("is already the start of a block" if block else "is already between two blocks")
    draft.cut(at)


def all_rows(text: str, block: Block) -> tuple[int, ...]:
    """Return the offsets of a table's rows, header rows included, without a Markdown rule."""
    body = tuple(block.meta.get("row_starts", ()))
    end = block.meta.get("header_end")
    if end is None:
        return body
    if block.meta.get("delimiter") is not None:
        return (block.start, *body)
    starts = list(_line_starts(text, block.start, int(end)))
    header = [
        at
        for at in starts
        if not _RULE.fullmatch(text[at:end].partition("\n")[0]) or "-" not in text[at:end].partition("\n")[0]
    ]
    return (*(header or [block.start]), *body)


def set_header_rows(draft: DocumentDraft, edit: HeaderRows, span: Span) -> None:
    """Set how many rows of the one table in a span are header rows.

    Raises:
        DoesNotFit: the span has no table or several, or the table has no row below so many.
    """
    place = draft.some_blocks(*span)
    tables = [number for number in range(place.start, place.stop) if draft.blocks[number].type is BlockType.TABLE]
    if len(tables) != 1:
        raise DoesNotFit("is not a table" if not tables else "is more than one table")
    block = draft.blocks[tables[0]]
    rows = all_rows(draft.text, block)
    if edit.rows >= len(rows):
        raise DoesNotFit(f"has {len(rows)} rows; at least one of them is not its header")
    meta = {key: value for key, value in block.meta.items() if key != "header_end"}
    if edit.rows:
        meta["header_end"] = rows[edit.rows]
    meta |= {"row_starts": rows[edit.rows :], "rows": len(rows) - edit.rows}
    draft.replace_blocks(slice(tables[0], tables[0] + 1), [replace(block, meta=meta)])


def swap_blocks(draft: DocumentDraft, edit: SwapBlocks, span: Span, other: Span) -> None:
    """Swap the blocks of two spans in the text; raise DoesNotFit if they share a block."""
    one, two = draft.some_blocks(*span), draft.some_blocks(*other)
    if one.start < two.stop and two.start < one.stop:
        raise DoesNotFit("is the same block as the other one")
    draft.swap(one, two)


def leave_out(draft: DocumentDraft, edit: LeaveOut, span: Span) -> None:
    """Leave a span out of all chunks; raise DoesNotFit if it is left out or nothing would stay."""
    draft.some_blocks(*span)
    draft.leave_out(*span, edit.reason)


def leave_out_box(draft: DocumentDraft, edit: LeaveOutBox, span: Span) -> None:
    """Leave out the lines in a rectangle of a page; raise DoesNotFit if the anchor is not in it."""
    spans = spans_in_box(draft.locations, edit.page, edit.box)
    if not any(one.start <= span.start < one.end for one in spans):
        raise DoesNotFit(f"is outside the rectangle drawn around it on page {edit.page}")
    filled = [one for one in spans if draft.blocks_in(*one) != slice(0, 0) and draft.text[one.start : one.end].strip()]
    for one in filled:
        draft.leave_out(*one, edit.reason)


def spans_in_box(locations: tuple[Location, ...], page: int, box: Box) -> list[Span]:
    """Return spans of the lines whose middle is in a rectangle of a page, neighbours joined."""
    spans: list[Span] = []
    for place, follows in _in_box(locations, page, box):
        if spans and follows:
            spans[-1] = Span(spans[-1].start, place.end)
        else:
            spans.append(Span(place.start, place.end))
    return spans


def _in_box(locations: tuple[Location, ...], page: int, box: Box) -> Iterator[tuple[Location, bool]]:
    """Yield (line, whether the previous line is inside too) for the lines in a rectangle."""
    left, top, right, bottom = box
    before = -2
    for number, place in enumerate(locations):
        if place.page != page or place.bbox is None:
            continue
        x, y = (place.bbox[0] + place.bbox[2]) / 2, (place.bbox[1] + place.bbox[3]) / 2
        if left <= x <= right and top <= y <= bottom:
            yield place, number == before + 1
            before = number


def take_back(draft: DocumentDraft, edit: TakeBack, span: Span) -> None:
    """Make left-out text of a span paragraphs again; raise DoesNotFit if none is left out."""
    if not draft.take_back(*span):
        raise DoesNotFit("is not left out")
