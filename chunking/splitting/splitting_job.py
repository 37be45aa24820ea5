"""One configuration applied to one measured document: what a strategy cuts with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Unit
from chunking.model import Document
from chunking.splitting.chunks.generated_prefix import free_units
from chunking.splitting.measure.cut_marks import Marks
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.prefix_costs import FittedPrefixes, OnePrefix
from chunking.splitting.measure.token_positions import Measured
from chunking.splitting.measure.unit_survey import Survey
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import Manner, Packed, Packer, view
from chunking.splitting.strategies.strategy_inputs import Answers

__all__ = ["Job"]

_ROWS = Manner((Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_INSIDE_UNIT = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_LETTERS_A_TOKEN_AT_MOST = 100
"""What "fits" in tokens and is longer than this is no text: one unknown token may be a million letters."""


class Job:
    """A document, its marks and counts, and a configuration.

    Attributes:
        rooms: (sections + 1,) most units of content of a chunk of each section, and of one that stands in none (-1): the same along
            a section, whether or not a chunk has the prefix.
        large: (k,) the tables of `Keeps` that stand alone because they are too large or too long.
        table_prefixes: prefixes with a header row, by the table's index into `Keeps`; filled while cutting.
        notes: sentences for the user about what a strategy did; filled while cutting.
    """

    def __init__(
        self,
        document: Document,
        marks: Marks,
        measured: Measured,
        survey: Survey,
        config: ChunkConfig,
        prefixes: FittedPrefixes,
        answers: Answers,
    ) -> None:
        self.document, self.marks, self.measured, self.survey, self.answers = document, marks, measured, survey, answers
        self.config, self.prefixes = config, prefixes
        self._slack = measured.slack if config.unit is Unit.TOKENS else 0
        self.rooms: list[int] = self._rooms_beside(prefixes.units).tolist()
        self.table_prefixes: dict[int, OnePrefix] = {}
        self.notes: list[str] = []
        fit = self._keeps_that_fit()
        self.large = self._large_tables(fit)
        units = marks.keeps.of(config.own_chunk) | self.large
        self._units: list[int] = np.flatnonzero(units).tolist()
        self._unit_first: list[int] = marks.keeps.first[units].tolist()
        self._packer = self._make_packer(marks.keeps.of(config.keep_whole) & fit & ~units)

    @cached_property
    def parents(self) -> list[int]:
        """(sections,) index of each section's parent, -1 at the top."""
        numbers = {section.section_id: number for number, section in enumerate(self.document.sections)}
        return [numbers.get(section.parent_id or "", -1) for section in self.document.sections] or [-1]

    @cached_property
    def region_starts(self) -> list[int]:
        """Places at which a heading of a splitting level starts, a heading with nothing under it before it included; 0 first."""
        marks, sections = self.marks, self.document.sections
        levels = np.fromiter((section.level for section in sections), np.int32, len(sections))
        opener = np.arange(len(levels))
        for number in (np.flatnonzero(marks.bare) + 1).tolist():
            opener[number] = opener[number - 1]
        splits = np.isin(levels, self.config.heading_levels)
        return np.unique(np.concatenate(([0], marks.section_first[opener[splits]]))).tolist()  # type: ignore[no-any-return]

    def shared(self, one: int, other: int) -> int:
        """Index of the innermost section that both sections are or stand in; -1 where there is none."""
        while one != other:  # a section stands behind its parent
            if one > other:
                one = self.parents[one]
            else:
                other = self.parents[other]
        return one

    def depth(self, section: int) -> int:
        """How many sections a section stands in, itself included; 0 for -1."""
        return len(self.document.sections[section].title_path) if section >= 0 and self.document.sections else 0

    def small(self, pieces: ChunkColumns) -> list[int]:
        """Numbers of the pieces whose content is under the minimum size."""
        sizes = self.survey.ruler.between(np.array(pieces.first, np.int32), np.array(pieces.after, np.int32))
        small: list[int] = np.flatnonzero(sizes < self.config.min_amount).tolist()
        return small

    def fits(self, first: int, after: int, section: int) -> bool:
        """Whether a span may be one chunk of a section."""
        return self.survey.ends[after] - self.survey.starts[first] <= self.rooms[section]

    def outside(self, places: Iterable[int]) -> list[int]:
        """Places where a cut may stand: each that is inside of what stays whole, or stands alone, is moved behind it."""
        keep, whole, after = self._packer.keep, self._packer.whole, self._packer.keep_after
        alone = set(self._units)
        moved = []
        for place in places:
            while (span := keep[place]) >= 0 and (whole[span] or span in alone):  # behind a table's header is inside the table
                place = after[span]
            moved.append(place)
        return moved

    def cut(self, regions: Iterable[tuple[int, int]], manner: Manner) -> ChunkColumns:
        """Cut each region: what must stand alone by itself, the text between by packing."""
        pieces = ChunkColumns()
        text: list[tuple[int, int]] = []
        at = 0
        for low, high in regions:
            while at < len(self._units) and self._unit_first[at] < high:
                number, at = self._units[at], at + 1
                first = max(self.survey.keep_first[number], low)
                after = min(self.survey.keep_after[number], high)
                if first < after:
                    first = self._with_heading(number, low, first, after)
                    self._pack([*text, (low, first)], manner, pieces)
                    self._cut_unit(number, first, after, pieces)
                    text, low = [], after
            text.append((low, high))
        self._pack(text, manner, pieces)
        return pieces

    def _pack(self, stretches: Iterable[tuple[int, int]], manner: Manner, pieces: ChunkColumns, *, unit: int = -1) -> None:
        packed = self._packer.pack(stretches, manner)
        pieces.extend(*packed, [self.survey.section[new] for new in packed.new], unit=unit)

    def _cut_unit(self, number: int, first: int, after: int, pieces: ChunkColumns) -> None:
        """A block that stands alone: whole where it fits, a table by its rows, anything else by its lines."""
        section = self.survey.section[first]
        body = self.survey.table_body[number]
        if self._fits_exactly(first, after, self.rooms[section]):
            pieces.add(first, after, section, unit=number)
        elif first < body < after:
            packed, prefix = self._rows(number, first, after, section, body)
            tables = [number if begin >= body else -1 for begin in packed.first]
            self.table_prefixes[number] = prefix
            pieces.extend(*packed, [section] * len(packed.first), tables=tables, unit=number)
        else:
            self._pack([(first, after)], _INSIDE_UNIT, pieces, unit=number)

    def with_header(self, number: int, section: int) -> OnePrefix:
        """The prefix of what begins inside a table: the section's with the table's header row."""
        start, body = self.survey.keep_first[number], self.survey.table_body[number]
        header = self.document.text[self.survey.at[start] : self.survey.stop[body]].strip()
        return self.prefixes.with_header(section, header, self.measured.tokens_between(start, body))

    def _rows(self, number: int, first: int, after: int, section: int, body: int) -> tuple[Packed, OnePrefix]:
        """A table between its rows, and the prefix of all but the first part."""
        prefix = self.with_header(number, section)
        room = min(self.rooms[section], self.room_beside(prefix))
        return self._packer.pack([(first, after)], _ROWS, room, start=body), prefix

    def room_beside(self, prefix: OnePrefix) -> int:
        """Units of content beside a prefix."""
        return int(self._rooms_beside(np.array([prefix.units], np.int32))[0])

    def _rooms_beside(self, prefixes: NDArray[np.int32]) -> NDArray[np.int32]:
        free = free_units(self.config, prefixes, np.zeros_like(prefixes))
        rooms: NDArray[np.int32] = np.maximum(np.int32(self.config.size - self._slack) - prefixes - free, 1)
        return rooms

    def _fits_exactly(self, first: int, after: int, room: int) -> bool:
        characters = self.survey.stop[after] - self.survey.at[first]
        if self.config.unit is Unit.CHARACTERS:
            return characters <= room
        return self.measured.tokens_between(first, after) <= room and characters <= room * _LETTERS_A_TOKEN_AT_MOST

    def _with_heading(self, number: int, low: int, first: int, after: int) -> int:
        """Where a block that stands alone begins: at the headings right above it, rather than leave these a chunk of their own.

        Not where it is to be whole, and would be so without them only.
        """
        head = max(self.survey.keep_head[number], low)
        if head >= first:
            return first
        room = self.rooms[self.survey.section[first]]
        whole = self.marks.keeps.kind[number] in self.config.keep_whole and self._fits_exactly(first, after, room)
        return head if not whole or self._fits_exactly(head, after, room) else first

    def _large_tables(self, fit: NDArray[np.bool_]) -> NDArray[np.bool_]:
        tables = self.marks.keeps.of([Keep.TABLE])
        if Keep.TABLE not in self.config.keep_whole:
            return np.zeros_like(tables)
        return tables & (~fit | (self.survey.table_rows > self.config.table_rows_limit))

    def _keeps_that_fit(self) -> NDArray[np.bool_]:
        """(k,) which spans of `Keeps` fit into a chunk of their section."""
        rooms = np.array(self.rooms, np.int64)[self.marks.section[self.marks.keeps.first]]
        fit: NDArray[np.bool_] = self.survey.keep_units <= rooms
        if self.config.unit is Unit.TOKENS:
            fit &= self.survey.keep_characters <= rooms * _LETTERS_A_TOKEN_AT_MOST
        return fit

    def _make_packer(self, whole: NDArray[np.bool_]) -> Packer:
        survey = self.survey
        keep, first, after = self._with_table_heads(whole)
        return Packer(
            starts=survey.starts,
            ends=survey.ends,
            section=survey.section,
            rooms=self.rooms,
            last=survey.last,
            overlap=self.config.overlap_amount,
            keep=keep,
            keep_first=first,
            keep_after=after,
            whole=[*whole.tolist(), *[True] * (len(first) - len(whole))],
            beyond_heading=survey.beyond_heading,
        )

    def _with_table_heads(self, whole: NDArray[np.bool_]) -> tuple[Sequence[int], list[int], list[int]]:
        """The spans that no cut goes into: in a table that is cut its header with the first row, or alone, as far as they fit."""
        survey = self.survey
        first = self.marks.keeps.first
        rooms = np.array(self.rooms, np.int64)[self.marks.section[first]]
        after = np.where(survey.lead_units <= rooms, survey.table_leads, survey.table_bodies)
        fits = np.where(survey.lead_units <= rooms, survey.lead_units, survey.head_units) <= rooms
        heads = np.flatnonzero(~whole & (after > first + 1) & fits)
        if not len(heads):
            return survey.keep, survey.keep_first, survey.keep_after
        keep = np.array(survey.keep, np.int32)
        for span, number in enumerate(heads.tolist(), len(whole)):
            keep[first[number] + 1 : after[number]] = span
        return view(keep), [*survey.keep_first, *first[heads].tolist()], [*survey.keep_after, *after[heads].tolist()]
