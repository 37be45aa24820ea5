"""One configuration applied to one measured document: what a strategy cuts with."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Unit
from chunking.splitting.document_view import DocumentView
from chunking.splitting.measure.cut_places import Rank, as_sequence
from chunking.splitting.measure.prefix_costs import OnePrefix, free_units
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import Manner, Packed, Packer
from chunking.splitting.pins.pin_places import Spans
from chunking.splitting.pins.pinned_blocks import PinnedSpans, kept_with_pins, unit_parts

__all__ = ["SplitInputs"]

_ROWS = Manner((Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_INSIDE_UNIT = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_LETTERS_A_TOKEN_AT_MOST = 100
"""What "fits" in tokens and is longer than this is no text: one unknown token may be a million letters."""


class SplitInputs:
    """A document, its marks and counts, and a configuration.

    Attributes:
        rooms: (sections + 1,) most units of content of a chunk of each section, and of one that stands in none (-1):
            the same along
            a section, whether or not a chunk has the prefix.
        large: (k,) the tables of `Keeps` that stand alone because they are too large or too long.
        pins: what people decided about the boundaries; None where there is nothing to honour.
        table_prefixes: prefixes with a header row, by the table's index into `Keeps`; filled while cutting.
        notes: sentences for the user about what a strategy did; filled while cutting.
    """

    def __init__(self, view: DocumentView, config: ChunkConfig) -> None:
        measured = view.measured
        self.measured, self.document, self.pins, self.config = measured, view.document, view.pins, config
        self.marks, self.positions, self.survey = measured.marks, measured.positions, measured.survey(config.unit)
        self.prefixes = measured.prefixes(config.prefix).fit(config.unit, config.size)
        survey, marks = self.survey, self.marks
        self._slack = self.positions.slack if config.unit is Unit.TOKENS else 0
        self.rooms: list[int] = self._rooms_beside(self.prefixes.units).tolist()
        self.table_prefixes: dict[int, OnePrefix] = {}
        self.notes: list[str] = []
        fit = self._keeps_that_fit()
        self.large = self._large_tables(fit)
        units = marks.keeps.of(config.own_chunk) | self.large
        numbers = np.flatnonzero(units).astype(np.int32)
        parts = Spans(marks.keeps.first[units], marks.keeps.after[units])
        if self.pins is not None:
            numbers, parts = unit_parts(self.pins, numbers, parts, survey.table_bodies)
            units = np.isin(np.arange(len(units)), numbers)
        self._units: list[int] = numbers.tolist()
        self._unit_first: list[int] = parts.first.tolist()
        self._unit_after: list[int] = parts.after.tolist()
        self._packer = self._make_packer(marks.keeps.of(config.keep_whole) & fit & ~units)

    @cached_property
    def parents(self) -> list[int]:
        """(sections,) index of each section's parent, -1 at the top."""
        numbers = {section.section_id: number for number, section in enumerate(self.document.sections)}
        return [numbers.get(section.parent_id or "", -1) for section in self.document.sections] or [-1]

    @cached_property
    def region_starts(self) -> list[int]:
        """Places at which a heading of a splitting level starts, a heading with nothing under it before it included; 0
        first.
        """
        marks, sections = self.marks, self.document.sections
        levels = np.fromiter((section.level for section in sections), np.int32, len(sections))
        opener = np.arange(len(levels))
        for number in (np.flatnonzero(marks.bare) + 1).tolist():
            opener[number] = opener[number - 1]
        splits = np.isin(levels, self.config.heading_levels)
        return np.unique(np.concatenate(([0], marks.section_first[opener[splits]]))).tolist()  # type: ignore[no-any-return]

    @cached_property
    def splits(self) -> frozenset[int]:
        """Places that nothing reaches over because a pin or a pattern splits there."""
        return frozenset(() if self.pins is None else self.pins.splits.tolist())

    @cached_property
    def left_out(self) -> list[tuple[int, int]]:
        """Places between which no chunk may reach, in order."""
        if self.pins is None:
            return self.marks.left_out
        first, after = self.pins.left_out
        return list(zip(first.tolist(), after.tolist(), strict=True))

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
        """Places where a cut may stand: each that is inside of what stays whole, or stands alone, is moved behind it.

        Those at which a pin merges are left out.
        """
        merges = frozenset(() if self.pins is None else self.pins.merges.tolist())
        moved = (self.behind(place) for place in places if place not in merges)
        return [place for place in moved if place not in merges]

    def behind(self, place: int) -> int:
        """A place, or the end of what stays whole, or stands alone, around it."""
        packer, alone = self._packer, self._alone
        while (span := packer.keep[place]) >= 0 and (
            packer.whole[span] or span in alone
        ):  # behind a table's header is inside the table
            place = packer.keep_after[span]
        return place

    @cached_property
    def _alone(self) -> frozenset[int]:
        return frozenset(self._units)

    def cut(self, regions: Iterable[tuple[int, int]], manner: Manner) -> ChunkColumns:
        """Cut each region: what must stand alone by itself, the text between by packing."""
        pieces = ChunkColumns()
        text: list[tuple[int, int]] = []
        at = 0
        for low, high in regions:
            while at < len(self._units) and self._unit_first[at] < high:
                number, at = self._units[at], at + 1
                first, after = max(self._unit_first[at - 1], low), min(self._unit_after[at - 1], high)
                if first < after:
                    first = self._with_heading(number, low, first, after)
                    self._pack([*text, (low, first)], manner, pieces)
                    self._cut_unit(number, first, after, pieces)
                    text, low = [], after
            text.append((low, high))
        self._pack(text, manner, pieces)
        return pieces

    def _pack(
        self, stretches: Iterable[tuple[int, int]], manner: Manner, pieces: ChunkColumns, *, unit: int = -1
    ) -> None:
        packed = self._packer.pack(stretches, manner)
        pieces.extend(*packed, [self.survey.section[new] for new in packed.new], unit=unit)

    def _cut_unit(self, number: int, first: int, after: int, pieces: ChunkColumns) -> None:
        """A block that stands alone: whole where it fits, a table by its rows, anything else by its lines.

        Rows of a table that stand behind a pin have its header too.
        """
        section = self.survey.section[first]
        body = self.survey.table_body[number]
        headed = first < body or body < 0 or first == self.survey.keep_first[number]
        if headed and self._fits_exactly(first, after, self.rooms[section]):
            pieces.add(first, after, section, unit=number)
        elif self.survey.keep_first[number] < body < after:
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
        return self.prefixes.with_header(section, header, self.positions.tokens_between(start, body))

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
        return self.positions.tokens_between(first, after) <= room and characters <= room * _LETTERS_A_TOKEN_AT_MOST

    def _with_heading(self, number: int, low: int, first: int, after: int) -> int:
        """Where a block that stands alone begins: at the headings right above it, rather than leave these a chunk of
        their own.

        Not where it is to be whole, and would be so without them only.
        """
        head = max(self.survey.keep_head[number], low)
        if self.pins is not None:
            head = self.behind(head) if first == self.survey.keep_first[number] else first
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
        kept = self._with_table_heads(whole)
        if self.pins is not None:
            kept = kept_with_pins(
                self.pins, kept, Spans(self.marks.keeps.first, self.marks.keeps.after), self._fits_one
            )
        return Packer(
            starts=survey.starts,
            ends=survey.ends,
            section=survey.section,
            rooms=self.rooms,
            last=survey.last,
            overlap=self.config.overlap_amount,
            keep=kept.keep,
            keep_first=kept.first,
            keep_after=kept.after,
            whole=kept.whole,
            beyond_heading=survey.beyond_heading,
        )

    def _fits_one(self, first: int, after: int) -> bool:
        """Whether a span may be one chunk, wherever a cut could stand before it."""
        return self._fits_exactly(first, after, self.rooms[self.survey.section[first]])

    def _with_table_heads(self, whole: NDArray[np.bool_]) -> PinnedSpans:
        """The spans that no cut goes into; in a table that is cut its header with the first row, or alone, as far as
        they fit.
        """
        survey = self.survey
        first = self.marks.keeps.first
        rooms = np.array(self.rooms, np.int64)[self.marks.section[first]]
        after = np.where(survey.lead_units <= rooms, survey.table_leads, survey.table_bodies)
        fits = np.where(survey.lead_units <= rooms, survey.lead_units, survey.head_units) <= rooms
        heads = np.flatnonzero(~whole & (after > first + 1) & fits)
        if not len(heads):
            return PinnedSpans(survey.keep, survey.keep_first, survey.keep_after, whole.tolist())
        keep = np.array(survey.keep, np.int32)
        for span, number in enumerate(heads.tolist(), len(whole)):
            keep[first[number] + 1 : after[number]] = span
        firsts, afters = [*survey.keep_first, *first[heads].tolist()], [*survey.keep_after, *after[heads].tolist()]
        return PinnedSpans(as_sequence(keep), firsts, afters, [*whole.tolist(), *[True] * len(heads)])
