"""A measured document prepared for binary search in one unit: all that no other setting changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep, Unit
from chunking.model import Block, BlockType, Document
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import as_sequence, last_before, last_of_rank
from chunking.splitting.measure.token_positions import Ruler, TokenPositions

__all__ = ["Survey"]

Ints = NDArray[np.int32]

_TYPES = tuple(BlockType)
_NAMES = np.array([str(kind) for kind in _TYPES], dtype=object)
_OTHERWISE = _TYPES.index(BlockType.PARAGRAPH)


class TypeSums:
    """Running sums of the text that each type of block takes in a document."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._begin = np.array([block.start for block in blocks], np.int32)
        self._finish = np.array([block.end for block in blocks], np.int32)
        codes = {kind: code for code, kind in enumerate(_TYPES)}
        self._kind = np.array([codes[block.type] for block in blocks], np.int32)
        lengths = np.zeros((len(_TYPES), len(blocks) + 1), np.int32)
        lengths[self._kind, np.arange(1, len(blocks) + 1)] = self._finish - self._begin
        self._running = np.cumsum(lengths, axis=1, dtype=np.int32)

    def types(self, starts: Ints, ends: Ints) -> list[str]:
        """The type of block that fills most of each chunk; `paragraph` where there is none.

        Args:
            starts, ends: (n,) offsets.
        """
        if not len(self._kind):
            return [str(BlockType.PARAGRAPH)] * len(starts)
        filled = self._before(ends) - self._before(starts)
        best = filled.argmax(axis=0)
        best[filled.max(axis=0, initial=0) <= 0] = _OTHERWISE
        names: list[str] = _NAMES[best].tolist()
        return names

    def _before(self, offsets: Ints) -> Ints:
        """(types, n) characters of each type of block before each offset."""
        started = np.searchsorted(self._begin, offsets)  # blocks that start before it
        last = np.maximum(started - 1, 0)
        beyond = np.where(started > 0, np.maximum(self._finish[last] - offsets, 0), 0)
        before: Ints = self._running[:, started]
        before[self._kind[last], np.arange(len(offsets))] -= beyond
        return before


@dataclass(frozen=True, slots=True)
class Survey:
    """n places and k spans of `Keeps`; sequences are for reading one number at a time."""

    ruler: Ruler
    starts: Sequence[int]
    ends: Sequence[int]
    """(n,) of the ruler."""
    at: Sequence[int]
    stop: Sequence[int]
    """(n,) offsets in the text, see `CutPlaces`."""
    section: Sequence[int]
    """(n,) see `CutMarks.section`."""
    section_offset: Ints
    """(sections,) offset at which the text under each heading starts."""
    last: Sequence[Sequence[int]]
    """See `Packer.last`."""
    keep: Sequence[int]
    """(n,) number of the span that a cut at each place would part, -1 for none."""
    keep_first: list[int]
    keep_after: list[int]
    """(k,) places of each span."""
    keep_head: list[int]
    """(k,) place at which the run of nested headings right before each span begins; without any, the span's own."""
    keep_units: Ints
    keep_characters: Ints
    """(k,) exact units, and characters, of each span."""
    type_sums: TypeSums
    table_rows: Ints
    """(k,) number of rows of each table, 0 for other spans."""
    table_body: list[int]
    table_bodies: Ints
    """(k,) place at which a table's first row starts, as a list and an array; -1 where it has no header row."""
    head_units: Ints
    """(k,) exact units of a table's header, with the rule under it."""
    table_leads: Ints
    """(k,) place at which a table's second row starts, or its end if it has one; -1 where it has no header row."""
    lead_units: Ints
    """(k,) exact units of a table's header with its first row."""
    beyond_heading: Sequence[int]
    """(n,) see `Packer.beyond_heading`."""

    @classmethod
    def of(cls, document: Document, marks: CutMarks, measured: TokenPositions, unit: Unit) -> Survey:
        """Survey a measured document."""
        keeps, places = marks.keeps, marks.places
        lengths = Ruler(places.at, places.stop)
        ruler = measured.fit if unit is Unit.TOKENS else lengths
        characters = lengths.between(keeps.first, keeps.after)

        def units(first: Ints, after: Ints) -> Ints:
            exact = (
                lengths.between(first, after)
                if unit is Unit.CHARACTERS
                else measured.tokens(first, after) - np.int32(measured.slack)
            )
            return exact.astype(np.int32)

        bodies = np.array(_table_bodies(document, marks), np.int32)
        leads = _table_leads(document, marks, bodies)
        return cls(
            ruler=ruler,
            starts=as_sequence(ruler.starts),
            ends=as_sequence(ruler.ends),
            at=as_sequence(places.at),
            stop=as_sequence(places.stop),
            section=as_sequence(marks.section),
            section_offset=np.array([section.body_start for section in document.sections], np.int32),
            last=last_of_rank(marks.rank),
            keep=as_sequence(_inside(len(marks), keeps.first, keeps.after)),
            keep_first=keeps.first.tolist(),
            keep_after=keeps.after.tolist(),
            keep_head=_heads(document, marks),
            keep_units=units(keeps.first, keeps.after),
            keep_characters=characters,
            type_sums=TypeSums(document.blocks),
            table_rows=_table_rows(document, marks),
            table_body=bodies.tolist(),
            table_bodies=bodies,
            head_units=units(keeps.first, np.maximum(bodies, keeps.first)),
            table_leads=leads,
            lead_units=units(keeps.first, np.maximum(leads, keeps.first)),
            beyond_heading=as_sequence(_beyond_headings(document, marks)),
        )


def _inside(n: int, first: Ints, after: Ints) -> Ints:
    """(n,) number of the span that each place is strictly inside, -1 for none."""
    if not len(first):
        return np.full(n, -1, np.int32)
    spans = last_before(n, first + 1)
    inside = (spans >= 0) & (after[spans] > np.arange(n))
    return np.where(inside, spans, -1).astype(np.int32)


def _table_rows(document: Document, marks: CutMarks) -> Ints:
    metas = [document.blocks[number].meta for number in marks.keeps.block.tolist()]
    return np.array([int(meta.get("rows", 0)) for meta in metas], np.int32)


def _table_bodies(document: Document, marks: CutMarks) -> list[int]:
    ends = [document.blocks[number].meta.get("header_end") for number in marks.keeps.block.tolist()]
    tables = zip(ends, marks.keeps.kind, strict=True)
    return [marks.place(int(end)) if end is not None and kind is Keep.TABLE else -1 for end, kind in tables]


def _table_leads(document: Document, marks: CutMarks, bodies: Ints) -> Ints:
    rows = [document.blocks[number].meta.get("row_starts", ()) for number in marks.keeps.block.tolist()]
    second = marks.places_of([int(starts[1]) if len(starts) > 1 else 0 for starts in rows])
    several = np.fromiter((len(starts) > 1 for starts in rows), np.bool_, len(rows))
    return np.where(bodies < 0, -1, np.where(several, second, marks.keeps.after)).astype(np.int32)


def _heads(document: Document, marks: CutMarks) -> list[int]:
    blocks = document.blocks
    heads: list[int] = marks.keeps.first.tolist()
    for span, number in enumerate(marks.keeps.block.tolist()):
        top, level = number, 7
        while top and blocks[top - 1].type is BlockType.HEADING and (blocks[top - 1].level or 0) < level:
            top -= 1
            level = blocks[top].level or 0
        if top < number:
            heads[span] = marks.place(blocks[top].start)
    return heads


def _beyond_headings(document: Document, marks: CutMarks) -> Ints:
    beyond = np.arange(len(marks), dtype=np.int32)
    headings = [block for block in document.blocks if block.type is BlockType.HEADING]
    starts, ends = ([getattr(block, edge) for block in headings] for edge in ("start", "end"))
    for first, after in zip(marks.places_of(starts).tolist(), marks.places_of(ends).tolist(), strict=True):
        beyond[first + 1 : after] = after
    return beyond
