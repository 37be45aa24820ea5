"""Ranking of a document's cuts by its blocks and sections, and the spans to keep whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep
from chunking.model import Block, BlockType, Document, Section
from chunking.splitting.measure.cut_places import CutPlaces, Rank, find_places, last_before
from chunking.splitting.measure.token_counter import TokenCounter

__all__ = ["KEEPABLE", "CutMarks", "Keeps", "mark"]

Ints = NDArray[np.int32]

KEEPABLE: dict[BlockType, Keep] = {BlockType.CODE: Keep.CODE, BlockType.TABLE: Keep.TABLE, BlockType.QA: Keep.QA}
"""Block types that settings keep whole or isolate."""
_CODES = {kind: code for code, kind in enumerate(Keep)}
_NUMBERS = {kind: number for number, kind in enumerate(BlockType)}


@dataclass(frozen=True, slots=True)
class Keeps:
    """Code blocks, tables and question-answer pairs as k spans between allowed cuts, in order.

    A place is the number of an allowed cut in `CutPlaces`, no offset.
    """

    block: Ints
    """(k,) index into `document.blocks`."""
    first: Ints
    """(k,) place at which each begins, or the one before if it begins inside a word."""
    after: Ints
    """(k,) place at which each has ended."""
    kind: list[Keep]
    code: NDArray[np.int8]
    """(k,) kind as a number."""

    def of(self, kinds: Iterable[Keep]) -> NDArray[np.bool_]:
        """Return (k,) True for spans whose kind is one of `kinds`."""
        return np.isin(self.code, [_CODES[kind] for kind in kinds])


@dataclass(frozen=True, slots=True)
class CutMarks:
    """Rank and section at each of n allowed cuts, and spans to keep; the last cut is the end.

    A place is the number of an allowed cut, no offset.
    """

    places: CutPlaces
    rank: NDArray[np.int8]
    """(n,) ranks, see Rank."""
    section: Ints
    """(n,) index of the section of a chunk that begins here; 0 if there are no sections.

    A bare heading belongs to the first section below it that has text.
    """
    section_first: Ints
    """(sections,) place at which each section starts."""
    bare: NDArray[np.bool_]
    """(sections,) True for a bare heading, which has only other headings under it."""
    keeps: Keeps
    left_out: list[tuple[int, int]]
    """Pairs of places that belong to no chunk."""

    def __len__(self) -> int:
        return len(self.rank)

    def place(self, offset: int) -> int:
        """Return the number of the first allowed cut whose text starts at or after an offset."""
        return int(np.searchsorted(self.places.first, np.int32(offset)))

    def places_of(self, offsets: list[int]) -> Ints:
        """Return (k,) the number of the allowed cut for each offset, as `place` does."""
        return _places_of(self.places, offsets)


def mark(document: Document, counter: TokenCounter, places: CutPlaces | None = None) -> CutMarks:
    """Find and rank the places where a document may be cut, by its characters, then by its blocks.

    Args:
        places: of the same text, from marks under other blocks; None: found in the text.
    """
    places = places or find_places(document.text, counter)
    rank = places.rank.copy()
    first, after = _spans(places, document.blocks)
    places = _started(places, document.blocks, first)
    _rank_blocks(rank, places, document, first, after)
    section_first = _places_of(places, [section.start for section in document.sections])
    headed = np.fromiter((section.level > 0 for section in document.sections), np.bool_, len(document.sections))
    rank[section_first[headed]] = Rank.SECTION
    bare = _bare(places, document.sections, section_first)
    return CutMarks(
        places=places,
        rank=rank,
        section=_owners(len(rank), section_first, bare),
        section_first=section_first,
        bare=bare,
        keeps=_keeps(places, document.blocks, first, after),
        left_out=_left_out(places, document),
    )


def _left_out(places: CutPlaces, document: Document) -> list[tuple[int, int]]:
    """Return the spans that belong to no chunk, joined if they touch: a paged text has hundreds of them."""
    starts, ends = ([getattr(span, edge) for span in document.left_out] for edge in ("start", "end"))
    joined: list[tuple[int, int]] = []
    for first, after in zip(_places_of(places, starts).tolist(), _places_of(places, ends).tolist(), strict=True):
        if joined and first <= joined[-1][1]:
            first, after = joined[-1][0], max(joined.pop()[1], after)
        joined.append((first, after))
    return joined


def _second_line(text: str, block: Block) -> list[int]:
    """Return the start of the second line of a table's header: the rule of a Markdown table."""
    line_end = text.find("\n", block.start, int(block.meta.get("header_end", block.start)) - 1)
    return [line_end + 1] if line_end >= 0 else []


def _places_of(places: CutPlaces, offsets: list[int]) -> Ints:
    return np.searchsorted(places.first, np.array(offsets, np.int32)).astype(np.int32)


def _spans(places: CutPlaces, blocks: tuple[Block, ...]) -> tuple[Ints, Ints]:
    return _places_of(places, [block.start for block in blocks]), _places_of(places, [block.end for block in blocks])


def _started(places: CutPlaces, blocks: tuple[Block, ...], first: Ints) -> CutPlaces:
    """Move each place at a block's start to that start.

    The block's reader decided which indent belongs to it.
    """
    at = places.at.copy()
    at[first] = np.clip(np.array([block.start for block in blocks], np.int32), at[first], places.first[first])
    return replace(places, at=at)


def _rank_blocks(rank: NDArray[np.int8], places: CutPlaces, document: Document, first: Ints, after: Ints) -> None:
    """Raise the rank of the starts of blocks; lower it inside blocks that are better not cut."""
    blocks = document.blocks
    rank[first] = np.maximum(rank[first], Rank.BLOCK)
    rank[after] = np.maximum(rank[after], Rank.BLOCK)
    types = np.array([_NUMBERS[block.type] for block in blocks], np.int8)
    prose = np.isin(types, [_NUMBERS[kind] for kind in _PROSE])
    rank[places.wrapped & _strictly_within(len(rank), first[prose], after[prose])] = Rank.WORD
    adorned = [
        number
        for number in np.flatnonzero(types == _NUMBERS[BlockType.HEADING]).tolist()
        if _has_lines(document.text, blocks[number])
    ]
    kinds = [(np.flatnonzero(types == _NUMBERS[kind]), inside) for kind, inside in _INSIDE]
    for numbers, inside in [*kinds, (np.array(adorned, np.int64), _IN_HEADING)]:
        if len(numbers):
            inside_block = _strictly_within(len(rank), first[numbers], after[numbers])
            rank[inside_block] = inside[rank[inside_block]]
    parted = np.array(["statement_starts" in block.meta for block in blocks], np.bool_)
    if parted.any():  # a line that begins a statement is a better place than one that continues it
        inside_block = _strictly_within(len(rank), first[parted], after[parted])
        rank[inside_block & (rank == Rank.LINE)] = Rank.SENTENCE
        rank[_places_of(places, [start for block in blocks for start in block.meta.get("statement_starts", ())])] = (
            Rank.LINE
        )
    tables = [block for block in blocks if block.type is BlockType.TABLE]
    rank[_places_of(places, [start for block in tables for start in _second_line(document.text, block)])] = (
        Rank.SENTENCE
    )
    rank[_places_of(places, [start for block in tables for start in block.meta.get("row_starts", ())])] = Rank.LINE
    for block in blocks:
        if (
            "joined_at" in block.meta and block.type is not BlockType.TABLE
        ):  # two blocks of the source that read on as one
            joints = _places_of(places, list(block.meta["joined_at"]))
            rank[joints] = np.minimum(rank[joints], Rank.SENTENCE)
    headings = after[types == _NUMBERS[BlockType.HEADING]]
    rank[headings[headings < len(rank) - 1]] = Rank.WORD  # a heading stays with what it heads


def _limit(*highest: tuple[Rank, Rank]) -> NDArray[np.int8]:
    """Return a table from rank to rank that changes only some."""
    table = np.arange(len(Rank), dtype=np.int8)
    for old, new in highest:
        table[old] = new
    return table


_INSIDE: tuple[tuple[BlockType, NDArray[np.int8]], ...] = (
    (BlockType.CODE, _limit((Rank.BLOCK, Rank.LINE), (Rank.SENTENCE, Rank.WORD))),
    (BlockType.QA, _limit((Rank.BLOCK, Rank.LINE))),
    (BlockType.TABLE, _limit((Rank.BLOCK, Rank.WORD), (Rank.LINE, Rank.WORD), (Rank.SENTENCE, Rank.WORD))),
)
"""Ranks inside a block. In a table only the starts of rows are lines; they are set afterwards."""


_IN_HEADING = _limit((Rank.BLOCK, Rank.WORD), (Rank.LINE, Rank.WORD), (Rank.SENTENCE, Rank.WORD))
"""Ranks inside a heading of several lines, which stays with the rule under its words."""


def _has_lines(text: str, block: Block) -> bool:
    return text.find("\n", block.start, block.end) >= 0 or text.find("\r", block.start, block.end) >= 0


_PROSE = [BlockType.PARAGRAPH, BlockType.LIST, BlockType.QUOTE, BlockType.QA]
"""Blocks whose lines may be wrapped in the middle of a sentence."""


def _strictly_within(n: int, first: Ints, after: Ints) -> NDArray[np.bool_]:
    """Return (n,) True at places strictly inside a span."""
    edge = np.zeros(n + 1, np.int32)
    some = after - first > 1
    np.add.at(edge, first[some] + 1, 1)
    np.add.at(edge, after[some], -1)
    return np.cumsum(edge[:-1]) > 0


def _bare(places: CutPlaces, sections: tuple[Section, ...], first: Ints) -> NDArray[np.bool_]:
    """Return (sections,) True for headings directly followed by the heading of a subsection."""
    bodies = _places_of(places, [section.body_start for section in sections])
    bare = np.zeros(len(sections), np.bool_)
    for number, (section, below) in enumerate(pairwise(sections)):
        bare[number] = 0 < section.level < below.level and bodies[number] >= first[number + 1]
    return bare


def _owners(n: int, first: Ints, bare: NDArray[np.bool_]) -> Ints:
    if not len(first):
        return np.zeros(n, np.int32)
    owner = np.arange(len(first), dtype=np.int32)
    for number in np.flatnonzero(bare)[::-1].tolist():
        owner[number] = owner[number + 1]
    return owner[np.maximum(last_before(n, first), 0)]


def _keeps(places: CutPlaces, blocks: tuple[Block, ...], first: Ints, after: Ints) -> Keeps:
    keepable = np.fromiter((block.type in KEEPABLE for block in blocks), np.bool_, len(blocks))
    keepable &= after > first
    number = np.flatnonzero(keepable).astype(np.int32)
    starts = np.array([blocks[n].start for n in number.tolist()], np.int32)
    first = first[number]
    inside_word = (first > 0) & (places.stop[first] > starts)
    kinds = [KEEPABLE[blocks[n].type] for n in number.tolist()]
    codes = np.array([_CODES[kind] for kind in kinds], np.int8)
    return Keeps(number, first - inside_word.astype(np.int32), after[number], kinds, codes)
