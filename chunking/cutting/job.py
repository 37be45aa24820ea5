"""One configuration applied to one measured document: what a strategy cuts with."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Unit
from chunking.cutting.marks import Marks
from chunking.cutting.measure import Measured, Ruler
from chunking.cutting.pack import Levels, Manner, Packer
from chunking.cutting.places import Rank
from chunking.cutting.prefixing import FittedPrefixes, OnePrefix
from chunking.model import Document

__all__ = ["Job", "Piece", "Survey"]

_ROWS = Manner((Rank.LINE, Rank.WORD, Rank.INSIDE), 0.0)
_INSIDE_UNIT = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_LETTERS_A_TOKEN_AT_MOST = 100
"""What "fits" in tokens and is longer than this is no text: one unknown token may be a million letters."""


class Piece(NamedTuple):
    """A chunk, as places."""

    first: int
    after: int
    section: int
    overlap: int = 0
    """Places it shares with the piece before."""
    table: int = -1
    """The table (index into `Keeps`) whose header row stands in its prefix; -1 for none."""
    alone: bool = False
    """A unit of its own, or a part of one: nothing may join it."""

    @property
    def new(self) -> int:
        """Where the text begins that the piece before does not have."""
        return self.first + self.overlap


@dataclass(frozen=True, slots=True)
class Survey:
    """A measured document in one unit, ready for binary search; made once a unit."""

    ruler: Ruler
    starts: Sequence[int]
    ends: Sequence[int]
    section: Sequence[int]
    levels: Levels
    keep_units: NDArray[np.int32]
    """(k,) exact units of each span of `Keeps`."""
    keep_characters: NDArray[np.int32]

    @classmethod
    def of(cls, marks: Marks, measured: Measured, unit: Unit) -> Survey:
        """Everything about a document and a unit that no setting changes."""
        lengths = Ruler(marks.places.at, marks.places.stop)
        ruler = measured.fit if unit is Unit.TOKENS else lengths
        first, after = marks.keeps.first, marks.keeps.after
        characters = lengths.between(first, after)
        return cls(
            ruler=ruler,
            starts=_view(ruler.starts),
            ends=_view(ruler.ends),
            section=_view(marks.section),
            levels={rank: _view(np.flatnonzero(marks.rank >= rank)) for rank in Rank},
            keep_units=measured.tokens(first, after) if unit is Unit.TOKENS else characters,
            keep_characters=characters,
        )


def _view(numbers: NDArray[np.integer]) -> Sequence[int]:
    return memoryview(np.ascontiguousarray(numbers, dtype=np.int32))  # type: ignore[arg-type]


class Job:
    """A document, its marks and counts, and a configuration.

    Attributes:
        section: (n,) section of each place.
        parents: (sections,) index of each section's parent, -1 at the top.
    """

    def __init__(
        self, document: Document, marks: Marks, measured: Measured, survey: Survey, config: ChunkConfig, prefixes: FittedPrefixes
    ) -> None:
        self.document, self.marks, self.measured, self.config, self.prefixes = document, marks, measured, config, prefixes
        self._survey = survey
        self.section = survey.section
        slack = measured.slack if config.unit is Unit.TOKENS else 0
        self.rooms = [max(room - slack, 1) for room in prefixes.rooms()]
        self.table_prefixes: dict[int, OnePrefix] = {}
        self._units = self._find_units()
        self._unit_first: list[int] = marks.keeps.first[self._units].tolist()
        self._packer = self._make_packer()

    @cached_property
    def parents(self) -> list[int]:
        numbers = {section.section_id: number for number, section in enumerate(self.document.sections)}
        return [numbers.get(section.parent_id or "", -1) for section in self.document.sections] or [-1]

    def fits(self, first: int, after: int, section: int | None = None) -> bool:
        """Whether a span fits into one chunk of its section, and holds nothing that must stand alone."""
        room = self.rooms[self.section[first] if section is None else section]
        units = self._survey.ends[after] - self._survey.starts[first]
        if units > room:
            return False
        at = bisect_left(self._unit_first, first)
        return at >= len(self._unit_first) or self._unit_first[at] >= after

    def is_small(self, piece: Piece) -> bool:
        """Whether a chunk's content is under the minimum size."""
        return self._survey.ends[piece.after] - self._survey.starts[piece.first] < self.config.min_amount

    def cut(self, low: int, high: int, manner: Manner) -> list[Piece]:
        """Cut a stretch: what must stand alone by itself, the text between by packing."""
        pieces: list[Piece] = []
        for number in self._units[bisect_left(self._unit_first, low) : bisect_left(self._unit_first, high)].tolist():
            first = max(int(self.marks.keeps.first[number]), low)
            after = min(int(self.marks.keeps.after[number]), high)
            first = low if self._takes_heading(number, low, first, after) else first
            pieces += self._pack(low, first, manner)
            pieces += self._cut_unit(number, first, after)
            low = after
        return pieces + self._pack(low, high, manner)

    def _pack(self, low: int, high: int, manner: Manner) -> list[Piece]:
        packed = self._packer.pack(low, high, manner)
        return [Piece(first, after, self.section[new], new - first) for first, after, new in packed]

    def _cut_unit(self, number: int, first: int, after: int) -> list[Piece]:
        """A block that stands alone: whole where it fits, a table by its rows, anything else by its lines."""
        section = self.section[first]
        if self.fits_exactly(first, after, self.rooms[section]):
            return [Piece(first, after, section, alone=True)]
        body = self._table_body(number)
        if not first < body < after:
            return [piece._replace(alone=True) for piece in self._pack(first, after, _INSIDE_UNIT)]
        prefix = self._header_prefix(number, section, body)
        slack = self.measured.slack if self.config.unit is Unit.TOKENS else 0
        rows = self._packer.pack(first, after, _ROWS, min(self.rooms[section], max(self.config.size - prefix.units - slack, 1)))
        return [Piece(begin, end, section, new - begin, number if begin >= body else -1, True) for begin, end, new in rows]

    def fits_exactly(self, first: int, after: int, room: int) -> bool:
        """Whether a span fits a room by its exact count."""
        characters = int(self.marks.places.stop[after] - self.marks.places.at[first])
        if self.config.unit is Unit.CHARACTERS:
            return characters <= room
        tokens = int(self.measured.tokens(np.array([first]), np.array([after]))[0]) - self.measured.slack
        return tokens <= room and characters <= room * _LETTERS_A_TOKEN_AT_MOST

    def _takes_heading(self, number: int, low: int, first: int, after: int) -> bool:
        """Whether a table takes the heading right above it into its first chunk, rather than leave it a chunk of its own."""
        sections = self.document.sections
        if not low < first or not sections or self.marks.keeps.kind[number] in self.config.own_chunk:
            return False
        section = self.section[low]
        only_heading = sections[section].level > 0 and self.marks.place(sections[section].body_start) >= first
        room = self.rooms[section]
        return only_heading and (self.fits_exactly(low, after, room) or not self.fits_exactly(first, after, room))

    def _table_body(self, number: int) -> int:
        """Place at which a table's first row starts; 0 where it has no header row."""
        block = self.document.blocks[int(self.marks.keeps.block[number])]
        end = block.meta.get("header_end")
        return self.marks.place(int(end)) if end is not None and self.marks.keeps.kind[number] is Keep.TABLE else 0

    def _header_prefix(self, number: int, section: int, body: int) -> OnePrefix:
        first = int(self.marks.keeps.first[number])
        header = self.document.text[int(self.marks.places.at[first]) : int(self.marks.places.stop[body])].strip()
        tokens = int(self.measured.tokens(np.array([first]), np.array([body]))[0])
        self.table_prefixes[number] = prefix = self.prefixes.with_header(section, header, tokens)
        return prefix

    def _find_units(self) -> NDArray[np.intp]:
        """The code blocks, tables and pairs (indices into `Keeps`) that end the running chunk and stand alone."""
        keeps, config = self.marks.keeps, self.config
        own = keeps.of(config.own_chunk)
        if Keep.TABLE in config.keep_whole:
            own |= keeps.of([Keep.TABLE]) & (~self._fit() | (self._rows() > config.table_rows_limit))
        return np.flatnonzero(own)

    def _rows(self) -> NDArray[np.int64]:
        blocks = self.document.blocks
        return np.array([blocks[number].meta.get("rows", 0) for number in self.marks.keeps.block.tolist()], np.int64)

    def _fit(self) -> NDArray[np.bool_]:
        """(k,) which spans of `Keeps` fit into a chunk of their section."""
        rooms = np.array(self.rooms, np.int64)[self.marks.section[self.marks.keeps.first]]
        fit: NDArray[np.bool_] = self._survey.keep_units <= rooms
        if self.config.unit is Unit.TOKENS:
            fit &= self._survey.keep_characters <= rooms * _LETTERS_A_TOKEN_AT_MOST
        return fit

    def _make_packer(self) -> Packer:
        keeps = self.marks.keeps
        whole = keeps.of(self.config.keep_whole) & self._fit()
        whole[self._units] = False
        survey = self._survey
        return Packer(
            starts=survey.starts,
            ends=survey.ends,
            section=survey.section,
            rooms=self.rooms,
            levels=survey.levels,
            overlap=self.config.overlap_amount,
            whole_first=keeps.first[whole].tolist(),
            whole_after=keeps.after[whole].tolist(),
        )
