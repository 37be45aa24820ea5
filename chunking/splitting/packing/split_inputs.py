"""Inputs of a split: a view of a document with one configuration, and the cuts that strategies share.

`split_at` and `split_regions` cut it at places or in regions, and again where a stretch is too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Unit
from chunking.splitting.document_view import DocumentView
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.prefix_costs import OnePrefix, free_units
from chunking.splitting.measure.token_positions import as_sequence
from chunking.splitting.packing.size_and_overlap import ChunkColumns, CutPreference, Packed, Packer
from chunking.splitting.pins.pin_places import Spans
from chunking.splitting.pins.pinned_blocks import PinnedSpans, unit_parts, with_pinned_spans

__all__ = ["SplitInputs", "join_small_chunks", "split_at", "split_regions", "without_left_out"]

_ROWS = CutPreference((Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_INSIDE_UNIT = CutPreference((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_LETTERS_A_TOKEN_AT_MOST = 100
"""Maximum letters per token of a span that fits: one unknown token may be a million letters."""

BY_RANK = CutPreference((Rank.SECTION, Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)


class SplitInputs:
    """Allowed cuts, counts and rooms of a document for one configuration.

    A place is the number of an allowed cut, no offset; a region is the text between two of them.

    Attributes:
        rooms: (sections + 1,) maximum units of content of a chunk of each section, and outside any section (-1): equal
            along a section, whether or not a chunk has the prefix.
        large: (k,) tables of `Keeps` that are alone because they are too large or too long.
        pins: boundaries that people decided; None without any.
        table_prefixes: prefixes with a header row, by the table's index into `Keeps`; filled while cutting.
        notes: warnings of a strategy for the user; filled while cutting.
    """

    def __init__(self, view: DocumentView, config: ChunkConfig) -> None:
        measured = view.measured
        self.measured, self.document, self.pins, self.config = measured, view.document, view.pins, config
        self.marks, self.positions, self.survey = measured.marks, measured.positions, measured.survey(config.unit)
        self.prefixes = measured.prefixes(config.prefix).fit(config.unit, config.size)
        survey, marks = self.survey, self.marks
        self._slack = self.positions.slack if config.unit is Unit.TOKENS else 0
        self.rooms: list[int] = self._rooms_with(self.prefixes.units).tolist()
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
        """Numbers of the cuts at headings that split, or bare headings before them; 0 first."""
        marks, sections = self.marks, self.document.sections
        levels = np.fromiter((section.level for section in sections), np.int32, len(sections))
        opener = np.arange(len(levels))
        for number in (np.flatnonzero(marks.bare) + 1).tolist():
            opener[number] = opener[number - 1]
        splits = np.isin(levels, self.config.heading_levels)
        return np.unique(np.concatenate(([0], marks.section_first[opener[splits]]))).tolist()  # type: ignore[no-any-return]

    @cached_property
    def splits(self) -> frozenset[int]:
        """Numbers of the cuts at which a pin or a pattern splits."""
        return frozenset(() if self.pins is None else self.pins.splits.tolist())

    @cached_property
    def left_out(self) -> list[tuple[int, int]]:
        """Pairs of numbers of cuts between which there is no chunk, in order."""
        if self.pins is None:
            return self.marks.left_out
        first, after = self.pins.left_out
        return list(zip(first.tolist(), after.tolist(), strict=True))

    def shared_section(self, one: int, other: int) -> int:
        """Return the index of the innermost section that contains or is both sections; -1 for none."""
        while one != other:  # a parent comes before its sections
            if one > other:
                one = self.parents[one]
            else:
                other = self.parents[other]
        return one

    def depth(self, section: int) -> int:
        """Return the depth of a section in the outline, 1 at the top; 0 for -1."""
        return len(self.document.sections[section].title_path) if section >= 0 and self.document.sections else 0

    def small(self, pieces: ChunkColumns) -> list[int]:
        """Return the numbers of the pieces whose content is under the minimum size."""
        sizes = self.survey.ruler.between(np.array(pieces.first, np.int32), np.array(pieces.after, np.int32))
        small: list[int] = np.flatnonzero(sizes < self.config.min_amount).tolist()
        return small

    def fits(self, first: int, after: int, section: int) -> bool:
        """True if the text between two cuts, given by number, fits into a chunk of a section."""
        return self.survey.ends[after] - self.survey.starts[first] <= self.rooms[section]

    def outside_blocks(self, places: Iterable[int]) -> list[int]:
        """Return numbers of cuts, those inside an unbroken or lone block moved to its end.

        Cuts at which a pin merges are dropped.
        """
        merges = frozenset(() if self.pins is None else self.pins.merges.tolist())
        moved = (self.after_block(place) for place in places if place not in merges)
        return [place for place in moved if place not in merges]

    def after_block(self, place: int) -> int:
        """Return the number of a cut, moved to the end of the unbroken or lone block around it."""
        packer, alone = self._packer, self._alone
        # Repeated: the place after a table's header is still inside the table.
        while (span := packer.keep[place]) >= 0 and (packer.unbroken[span] or span in alone):
            place = packer.keep_after[span]
        return place

    @cached_property
    def _alone(self) -> frozenset[int]:
        return frozenset(self._units)

    def cut(self, regions: Iterable[tuple[int, int]], preference: CutPreference) -> ChunkColumns:
        """Cut each region: lone blocks one by one, the text between them by packing.

        Args:
            regions: (low, high) numbers of allowed cuts, in order.
        """
        pieces = ChunkColumns()
        text: list[tuple[int, int]] = []
        at = 0
        for low, high in regions:
            while at < len(self._units) and self._unit_first[at] < high:
                number, at = self._units[at], at + 1
                first, after = max(self._unit_first[at - 1], low), min(self._unit_after[at - 1], high)
                if first < after:
                    first = self._with_heading(number, low, first, after)
                    self._pack([*text, (low, first)], preference, pieces)
                    self._cut_unit(number, first, after, pieces)
                    text, low = [], after
            text.append((low, high))
        self._pack(text, preference, pieces)
        return pieces

    def _pack(
        self, stretches: Iterable[tuple[int, int]], preference: CutPreference, pieces: ChunkColumns, *, unit: int = -1
    ) -> None:
        packed = self._packer.pack(stretches, preference)
        pieces.extend(*packed, [self.survey.section[new] for new in packed.new], unit=unit)

    def _cut_unit(self, number: int, first: int, after: int, pieces: ChunkColumns) -> None:
        """Cut a lone block: not at all if it fits, a table by its rows, any other by its lines.

        Rows of a table after a pin have its header, too.
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
        """Return the prefix of a chunk that begins inside a table: the section's, with the header row."""
        start, body = self.survey.keep_first[number], self.survey.table_body[number]
        header = self.document.text[self.survey.at[start] : self.survey.stop[body]].strip()
        return self.prefixes.with_header(section, header, self.positions.tokens_between(start, body))

    def _rows(self, number: int, first: int, after: int, section: int, body: int) -> tuple[Packed, OnePrefix]:
        """Cut a table between its rows; also returns the prefix of all but the first part."""
        prefix = self.with_header(number, section)
        room = min(self.rooms[section], self.room_with(prefix))
        return self._packer.pack([(first, after)], _ROWS, room, start=body), prefix

    def room_with(self, prefix: OnePrefix) -> int:
        """Return the maximum units of content with a prefix."""
        return int(self._rooms_with(np.array([prefix.units], np.int32))[0])

    def _rooms_with(self, prefixes: NDArray[np.int32]) -> NDArray[np.int32]:
        free = free_units(self.config, prefixes, np.zeros_like(prefixes))
        rooms: NDArray[np.int32] = np.maximum(np.int32(self.config.size - self._slack) - prefixes - free, 1)
        return rooms

    def _fits_exactly(self, first: int, after: int, room: int) -> bool:
        characters = self.survey.stop[after] - self.survey.at[first]
        if self.config.unit is Unit.CHARACTERS:
            return characters <= room
        return self.positions.tokens_between(first, after) <= room and characters <= room * _LETTERS_A_TOKEN_AT_MOST

    def _with_heading(self, number: int, low: int, first: int, after: int) -> int:
        """Move the start of a lone block to the headings right above it.

        They would otherwise be a chunk of their own. Not if the block is to stay in one piece and fits only without
        them.
        """
        head = max(self.survey.keep_head[number], low)
        if self.pins is not None:
            head = self.after_block(head) if first == self.survey.keep_first[number] else first
        if head >= first:
            return first
        room = self.rooms[self.survey.section[first]]
        stays_whole = self.marks.keeps.kind[number] in self.config.keep_whole and self._fits_exactly(first, after, room)
        return head if not stays_whole or self._fits_exactly(head, after, room) else first

    def _large_tables(self, fit: NDArray[np.bool_]) -> NDArray[np.bool_]:
        tables = self.marks.keeps.of([Keep.TABLE])
        if Keep.TABLE not in self.config.keep_whole:
            return np.zeros_like(tables)
        return tables & (~fit | (self.survey.table_rows > self.config.table_rows_limit))

    def _keeps_that_fit(self) -> NDArray[np.bool_]:
        """Return (k,) True for spans of `Keeps` that fit into a chunk of their section."""
        rooms = np.array(self.rooms, np.int64)[self.marks.section[self.marks.keeps.first]]
        fit: NDArray[np.bool_] = self.survey.keep_units <= rooms
        if self.config.unit is Unit.TOKENS:
            fit &= self.survey.keep_characters <= rooms * _LETTERS_A_TOKEN_AT_MOST
        return fit

    def _make_packer(self, unbroken: NDArray[np.bool_]) -> Packer:
        survey = self.survey
        spans = self._with_table_heads(unbroken)
        if self.pins is not None:
            blocks = Spans(self.marks.keeps.first, self.marks.keeps.after)
            spans = with_pinned_spans(self.pins, spans, blocks, self._fits_one)
        return Packer(
            starts=survey.starts,
            ends=survey.ends,
            section=survey.section,
            rooms=self.rooms,
            last=survey.last,
            overlap=self.config.overlap_amount,
            keep=spans.keep,
            keep_first=spans.first,
            keep_after=spans.after,
            unbroken=spans.unbroken,
            beyond_heading=survey.beyond_heading,
        )

    def _fits_one(self, first: int, after: int) -> bool:
        """True if a span may be one chunk of the section in which it begins."""
        return self._fits_exactly(first, after, self.rooms[self.survey.section[first]])

    def _with_table_heads(self, unbroken: NDArray[np.bool_]) -> PinnedSpans:
        """Add the head of each table that is cut: its header with the first row, or alone, as far as they fit."""
        survey = self.survey
        first = self.marks.keeps.first
        rooms = np.array(self.rooms, np.int64)[self.marks.section[first]]
        after = np.where(survey.lead_units <= rooms, survey.table_leads, survey.table_bodies)
        fits = np.where(survey.lead_units <= rooms, survey.lead_units, survey.head_units) <= rooms
        heads = np.flatnonzero(~unbroken & (after > first + 1) & fits)
        if not len(heads):
            return PinnedSpans(survey.keep, survey.keep_first, survey.keep_after, unbroken.tolist())
        keep = np.array(survey.keep, np.int32)
        for span, number in enumerate(heads.tolist(), len(unbroken)):
            keep[first[number] + 1 : after[number]] = span
        firsts, afters = [*survey.keep_first, *first[heads].tolist()], [*survey.keep_after, *after[heads].tolist()]
        return PinnedSpans(as_sequence(keep), firsts, afters, [*unbroken.tolist(), *[True] * len(heads)])


def split_at(inputs: SplitInputs, starts: Iterable[int], preference: CutPreference = BY_RANK) -> ChunkColumns:
    """Cut a document at the allowed cuts numbered `starts`, and again where a stretch is too long.

    Cuts inside blocks that stay in one piece are moved after them.
    """
    return split_regions(
        inputs,
        pairwise([*sorted({0, *inputs.outside_blocks(starts)} - {len(inputs.marks) - 1}), len(inputs.marks) - 1]),
        preference,
    )


def split_regions(
    inputs: SplitInputs, regions: Iterable[tuple[int, int]], preference: CutPreference = BY_RANK
) -> ChunkColumns:
    """Cut regions of a document, omitting spans that belong to no chunk.

    Args:
        regions: (low, high) numbers of allowed cuts, in order, without gaps.
    """
    return inputs.cut(without_left_out(inputs, regions), preference)


def without_left_out(inputs: SplitInputs, regions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the regions with the boundaries of pins, without the spans that belong to no chunk.

    Args:
        regions: (low, high) numbers of allowed cuts, in order, without gaps.
    """
    spans, at = inputs.left_out, 0
    for low, high in regions if inputs.pins is None else inputs.pins.regions(regions):
        while at < len(spans) and spans[at][1] <= low:
            at += 1
        number = at
        while number < len(spans) and spans[number][0] < high:
            first, after = spans[number]
            if low < first:
                yield low, first
            low, number = max(low, after), number + 1
        if low < high:
            yield low, high


def join_small_chunks(inputs: SplitInputs, pieces: ChunkColumns) -> ChunkColumns:
    """Join each small chunk to the previous one under the same parent heading, if both fit.

    Never across a pin or left-out text, nor with a lone block. Changes `pieces`; use only the result.
    """
    stays = [True] * len(pieces)
    for number in inputs.small(pieces):
        before = number - 1
        while before >= 0 and not stays[before]:
            before -= 1
        section = _shared_section(inputs, pieces, before, number) if before >= 0 else -1
        if section >= 0 and inputs.fits(pieces.first[before], pieces.after[number], section):
            pieces.after[before], pieces.section[before] = pieces.after[number], section
            stays[number] = False
    return pieces if all(stays) else pieces.where(stays)


def _shared_section(inputs: SplitInputs, pieces: ChunkColumns, before: int, small: int) -> int:
    """Return the section of a small chunk joined to the previous one; -1 if they may not be joined."""
    new = pieces.first[small] + pieces.shared[small]
    if pieces.after[before] < new or new in inputs.splits or pieces.unit[before] >= 0 or pieces.unit[small] >= 0:
        return -1
    one, other = pieces.section[before], pieces.section[small]
    if one == other:
        return one
    parent = inputs.parents[other]
    return parent if parent in (one, inputs.parents[one]) else -1
