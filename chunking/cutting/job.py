"""One configuration applied to one measured document: what a strategy cuts with."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Unit
from chunking.cutting.marks import Marks
from chunking.cutting.measure import Measured
from chunking.cutting.pack import Manner, Packed, Packer
from chunking.cutting.pieces import Pieces
from chunking.cutting.places import Rank
from chunking.cutting.prefixing import FittedPrefixes, OnePrefix
from chunking.cutting.survey import Survey
from chunking.model import Document

__all__ = ["Job"]

_ROWS = Manner((Rank.LINE, Rank.WORD, Rank.INSIDE), 0.0)
_INSIDE_UNIT = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_LETTERS_A_TOKEN_AT_MOST = 100
"""What "fits" in tokens and is longer than this is no text: one unknown token may be a million letters."""


class Job:
    """A document, its marks and counts, and a configuration.

    Attributes:
        rooms: (sections,) most units of content of a chunk of each section.
        table_prefixes: prefixes with a header row, by the table's index into `Keeps`; filled while cutting.
    """

    def __init__(
        self, document: Document, marks: Marks, measured: Measured, survey: Survey, config: ChunkConfig, prefixes: FittedPrefixes
    ) -> None:
        self.document, self.marks, self.measured, self.survey = document, marks, measured, survey
        self.config, self.prefixes = config, prefixes
        self._slack = measured.slack if config.unit is Unit.TOKENS else 0
        self.rooms = [max(room - self._slack, 1) for room in prefixes.rooms()]
        self.table_prefixes: dict[int, OnePrefix] = {}
        fit = self._keeps_that_fit()
        units = self._keeps_that_stand_alone(fit)
        self._units: list[int] = np.flatnonzero(units).tolist()
        self._unit_first: list[int] = marks.keeps.first[units].tolist()
        self._packer = self._make_packer(marks.keeps.of(config.keep_whole) & fit & ~units)

    @cached_property
    def parents(self) -> list[int]:
        """(sections,) index of each section's parent, -1 at the top."""
        numbers = {section.section_id: number for number, section in enumerate(self.document.sections)}
        return [numbers.get(section.parent_id or "", -1) for section in self.document.sections] or [-1]

    def small(self, pieces: Pieces) -> list[int]:
        """Numbers of the pieces whose content is under the minimum size."""
        sizes = self.survey.ruler.between(np.array(pieces.first, np.int32), np.array(pieces.after, np.int32))
        small: list[int] = np.flatnonzero(sizes < self.config.min_amount).tolist()
        return small

    def fits(self, first: int, after: int, section: int) -> bool:
        """Whether a span may be one chunk of a section."""
        return self.survey.ends[after] - self.survey.starts[first] <= self.rooms[section]

    def cut(self, regions: Iterable[tuple[int, int]], manner: Manner) -> Pieces:
        """Cut each region: what must stand alone by itself, the text between by packing."""
        pieces = Pieces()
        text: list[tuple[int, int]] = []
        at = 0
        for low, high in regions:
            while at < len(self._units) and self._unit_first[at] < high:
                number, at = self._units[at], at + 1
                first = max(self.survey.keep_first[number], low)
                after = min(self.survey.keep_after[number], high)
                if first < after:
                    first = low if self._takes_heading(number, low, first, after) else first
                    self._pack([*text, (low, first)], manner, pieces)
                    self._cut_unit(number, first, after, pieces)
                    text, low = [], after
            text.append((low, high))
        self._pack(text, manner, pieces)
        return pieces

    def _pack(self, stretches: Iterable[tuple[int, int]], manner: Manner, pieces: Pieces, *, alone: bool = False) -> None:
        packed = self._packer.pack(stretches, manner)
        pieces.extend(*packed, [self.survey.section[new] for new in packed.new], alone=alone)

    def _cut_unit(self, number: int, first: int, after: int, pieces: Pieces) -> None:
        """A block that stands alone: whole where it fits, a table by its rows, anything else by its lines."""
        section = self.survey.section[first]
        body = self.survey.table_body[number]
        if self._fits_exactly(first, after, self.rooms[section]):
            pieces.add(first, after, section, alone=True)
        elif first < body < after:
            packed, prefix = self._rows(number, first, after, section, body)
            tables = [number if begin >= body else -1 for begin in packed.first]
            self.table_prefixes[number] = prefix
            pieces.extend(*packed, [section] * len(packed.first), tables=tables, alone=True)
        else:
            self._pack([(first, after)], _INSIDE_UNIT, pieces, alone=True)

    def _rows(self, number: int, first: int, after: int, section: int, body: int) -> tuple[Packed, OnePrefix]:
        """A table between its rows, and the prefix of all but the first part: the section's with the header row."""
        start = self.survey.keep_first[number]
        header = self.document.text[self.survey.at[start] : self.survey.stop[body]].strip()
        prefix = self.prefixes.with_header(section, header, self.measured.tokens_between(start, body))
        room = max(self.config.size - prefix.units - self._slack, 1)
        return self._packer.pack([(first, after)], _ROWS, min(self.rooms[section], room)), prefix

    def _fits_exactly(self, first: int, after: int, room: int) -> bool:
        characters = self.survey.stop[after] - self.survey.at[first]
        if self.config.unit is Unit.CHARACTERS:
            return characters <= room
        return self.measured.tokens_between(first, after) <= room and characters <= room * _LETTERS_A_TOKEN_AT_MOST

    def _takes_heading(self, number: int, low: int, first: int, after: int) -> bool:
        """Whether a table takes the heading right above it into its first chunk, rather than leave it a chunk of its own."""
        sections = self.document.sections
        if not low < first or not sections or self.marks.keeps.kind[number] in self.config.own_chunk:
            return False
        section = self.survey.section[low]
        if sections[section].level == 0 or self.survey.section_body[section] < first:
            return False
        room = self.rooms[section]
        return self._fits_exactly(low, after, room) or not self._fits_exactly(first, after, room)

    def _keeps_that_stand_alone(self, fit: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(k,) which spans of `Keeps` end the running chunk: those the setting names, and tables too large or too long."""
        keeps, config = self.marks.keeps, self.config
        own = keeps.of(config.own_chunk)
        if Keep.TABLE in config.keep_whole:
            own |= keeps.of([Keep.TABLE]) & (~fit | (self.survey.table_rows > config.table_rows_limit))
        return own

    def _keeps_that_fit(self) -> NDArray[np.bool_]:
        """(k,) which spans of `Keeps` fit into a chunk of their section."""
        rooms = np.array(self.rooms, np.int64)[self.marks.section[self.marks.keeps.first]]
        fit: NDArray[np.bool_] = self.survey.keep_units <= rooms
        if self.config.unit is Unit.TOKENS:
            fit &= self.survey.keep_characters <= rooms * _LETTERS_A_TOKEN_AT_MOST
        return fit

    def _make_packer(self, whole: NDArray[np.bool_]) -> Packer:
        survey = self.survey
        return Packer(
            starts=survey.starts,
            ends=survey.ends,
            section=survey.section,
            rooms=self.rooms,
            last=survey.last,
            overlap=self.config.overlap_amount,
            keep=survey.keep,
            keep_first=survey.keep_first,
            keep_after=survey.keep_after,
            whole=whole.tolist(),
        )
