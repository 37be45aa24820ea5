"""A measured document made ready for binary search in one unit: everything that no other setting changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep, Unit
from chunking.model import BlockType, Document
from chunking.splitting.measure.block_types import Filling
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import as_sequence, last_before, last_of_rank
from chunking.splitting.measure.token_positions import Ruler, TokenPositions

__all__ = ["Survey"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Survey:
    """n places, k spans of `Keeps`; sequences are for reading one number at a time."""

    ruler: Ruler
    starts: Sequence[int]
    ends: Sequence[int]
    """(n,) the ruler's."""
    at: Sequence[int]
    stop: Sequence[int]
    """(n,) offsets in the text, see `Places`."""
    section: Sequence[int]
    """(n,) see `CutMarks.section`."""
    section_offset: Ints
    """(sections,) where in the text that under each heading starts."""
    last: Sequence[Sequence[int]]
    """See `Packer.last`."""
    keep: Sequence[int]
    """(n,) number of the span that a cut at each place goes through, -1 for none."""
    keep_first: list[int]
    keep_after: list[int]
    """(k,) places of each span."""
    keep_head: list[int]
    """(k,) place at which the headings right above each span begin, each of them above the next in the tree; else the
    span's own.
    """
    keep_units: Ints
    """(k,) exact units of each span."""
    keep_characters: Ints
    """(k,)"""
    filling: Filling
    table_rows: Ints
    """(k,) rows of each table, 0 for other spans."""
    table_body: list[int]
    """(k,) place at which a table's first row starts; -1 where it has no header row."""
    table_bodies: Ints
    """(k,) the same as an array."""
    head_units: Ints
    """(k,) exact units of a table's header, the rule under it included."""
    table_leads: Ints
    """(k,) place at which a table's second row starts, or its end where it has but one; -1 where it has no header row.
    """
    lead_units: Ints
    """(k,) exact units of a table's header with its first row."""
    beyond_heading: Sequence[int]
    """(n,) see `Packer.beyond_heading`."""

    @classmethod
    def of(cls, document: Document, marks: CutMarks, measured: TokenPositions, unit: Unit) -> Survey:
        """Survey a document."""
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
            filling=Filling(document.blocks),
            table_rows=_table_rows(document, marks),
            table_body=bodies.tolist(),
            table_bodies=bodies,
            head_units=units(keeps.first, np.maximum(bodies, keeps.first)),
            table_leads=leads,
            lead_units=units(keeps.first, np.maximum(leads, keeps.first)),
            beyond_heading=as_sequence(_beyond_headings(document, marks)),
        )


def _inside(n: int, first: Ints, after: Ints) -> Ints:
    """(n,) number of the span each place is strictly inside of, -1 for none."""
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
