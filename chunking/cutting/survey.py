"""A measured document made ready for binary search in one unit: everything that no other setting changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep, Unit
from chunking.cutting.filling import Filling
from chunking.cutting.marks import Marks
from chunking.cutting.measure import Measured, Ruler
from chunking.cutting.pack import last_of_rank, view
from chunking.model import Document

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
    """(n,) see `Marks.section`."""
    section_body: Sequence[int]
    """(sections,) place at which the text under each heading starts."""
    section_offset: Ints
    """(sections,) where in the text that is."""
    last: Sequence[Sequence[int]]
    """See `Packer.last`."""
    keep: Sequence[int]
    """(n,) number of the span that a cut at each place goes through, -1 for none."""
    keep_first: list[int]
    keep_after: list[int]
    """(k,) places of each span."""
    keep_units: Ints
    """(k,) exact units of each span."""
    keep_characters: Ints
    """(k,)"""
    filling: Filling
    table_rows: Ints
    """(k,) rows of each table, 0 for other spans."""
    table_body: list[int]
    """(k,) place at which a table's first row starts; -1 where it has no header row."""

    @classmethod
    def of(cls, document: Document, marks: Marks, measured: Measured, unit: Unit) -> Survey:
        """Survey a document."""
        keeps, places = marks.keeps, marks.places
        lengths = Ruler(places.at, places.stop)
        ruler = measured.fit if unit is Unit.TOKENS else lengths
        characters = lengths.between(keeps.first, keeps.after)
        return cls(
            ruler=ruler,
            starts=view(ruler.starts),
            ends=view(ruler.ends),
            at=view(places.at),
            stop=view(places.stop),
            section=view(marks.section),
            section_body=[marks.place(section.body_start) for section in document.sections],
            section_offset=np.array([section.body_start for section in document.sections], np.int32),
            last=last_of_rank(marks.rank),
            keep=view(_inside(len(marks), keeps.first, keeps.after)),
            keep_first=keeps.first.tolist(),
            keep_after=keeps.after.tolist(),
            keep_units=measured.tokens(keeps.first, keeps.after) - np.int32(measured.slack) if unit is Unit.TOKENS else characters,
            keep_characters=characters,
            filling=Filling(document.blocks),
            table_rows=_table_rows(document, marks),
            table_body=_table_bodies(document, marks),
        )


def _inside(n: int, first: Ints, after: Ints) -> Ints:
    """(n,) number of the span each place is strictly inside of, -1 for none."""
    spans = np.searchsorted(first, np.arange(n, dtype=np.int32)) - 1
    if not len(first):
        return np.full(n, -1, np.int32)
    inside = (spans >= 0) & (after[spans] > np.arange(n))
    return np.where(inside, spans, -1).astype(np.int32)


def _table_rows(document: Document, marks: Marks) -> Ints:
    metas = [document.blocks[number].meta for number in marks.keeps.block.tolist()]
    return np.array([int(meta.get("rows", 0)) for meta in metas], np.int32)


def _table_bodies(document: Document, marks: Marks) -> list[int]:
    ends = [document.blocks[number].meta.get("header_end") for number in marks.keeps.block.tolist()]
    tables = zip(ends, marks.keeps.kind, strict=True)
    return [marks.place(int(end)) if end is not None and kind is Keep.TABLE else -1 for end, kind in tables]
