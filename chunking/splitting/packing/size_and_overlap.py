"""Packing of places into chunks by binary search, without reading text or tokenizer.

Each chunk ends at the best-ranked place in the last part of its room, never inside a span that is kept whole, and
always after the chunk before it (law 3). The next one starts there, or a little before if chunks overlap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

from chunking.splitting.measure.cut_places import Rank

__all__ = ["ChunkColumns", "CutPreference", "Packed", "Packer"]


class CutPreference(NamedTuple):
    """Ranks of cuts that a strategy prefers, and the share of a chunk to fill before they count."""

    ranks: tuple[Rank, ...]
    """Ranks, best first; if empty, the last place that fits."""
    fill: float
    """Share of the room to fill before a better place counts more than a fuller chunk."""


class Packed(NamedTuple):
    """Chunks as three columns of numbers of allowed cuts, made far faster than a list of tuples."""

    first: list[int]
    after: list[int]
    new: list[int]
    """Places where the text begins that the previous chunk does not have; after `first` if chunks overlap."""


@dataclass(slots=True)
class Packer:
    """Packing of the text between a document's allowed cuts into chunks, for one configuration.

    A place is the number of an allowed cut, no offset.

    Sequences of n are memoryviews of int32: faster under `bisect` than lists, and never copied.
    """

    starts: Sequence[int]
    """(n,) ascending; units before a chunk that begins at each place."""
    ends: Sequence[int]
    """(n,) ascending; units up to the end of a chunk at each place."""
    section: Sequence[int]
    """(n,) section of a chunk that begins at each place."""
    rooms: Sequence[int]
    """(sections,) maximum units of content of a chunk of each section."""
    last: Sequence[Sequence[int]]
    """Last place of each rank or better at or before each place, (n,) per rank; -1 for none."""
    overlap: int
    """Maximum units shared with the previous chunk."""
    keep: Sequence[int]
    """(n,) number of the span that a cut would part, -1 for none."""
    keep_first: Sequence[int]
    keep_after: Sequence[int]
    """(k,) places of each span."""
    unbroken: Sequence[bool]
    """(k,) True for spans that no cut may part; each fits its room."""
    beyond_heading: Sequence[int]
    """(n,) end of the heading that each place is inside; other places as they are."""

    def pack(
        self,
        stretches: Iterable[tuple[int, int]],
        preference: CutPreference,
        room: int | None = None,
        *,
        start: int = 0,
    ) -> Packed:
        """Pack the text of each stretch into chunks; none crosses from one into the next.

        Args:
            stretches: (low, high) places, that is numbers of allowed cuts, in order.
            room: maximum units of content of a chunk that begins at the place `start` or after it; None: the section's.
        Returns:
            Chunks in order. A chunk is over its room only if two neighbouring places are further apart.

        >>> at = [0, 4, 9, 12, 20]
        >>> packer = Packer(at, at, [0] * 5, [10], [], 0, [-1] * 5, [], [], [], range(5))
        >>> packer.pack([(0, 4)], CutPreference((), 0.5)).after
        [2, 3, 4]
        """
        packed = Packed([], [], [])
        # Bound once: the loop below runs for every chunk at every move of a slider.
        starts, ends, section, rooms, overlap = self.starts, self.ends, self.section, self.rooms, self.overlap
        keep, unbroken, better = self.keep, self.unbroken, [self.last[rank] for rank in preference.ranks]
        for low, high in stretches:
            begin = new = low
            while new < high:
                limit = rooms[section[new]] if room is None or new < start else room
                base = starts[begin]
                end = bisect_right(ends, base + limit, begin + 1, high + 1) - 1
                if end < high:
                    if end <= new and begin == new:
                        end = new + 1  # larger than the room: there is no place inside
                    if end > new and (span := keep[end]) >= 0 and unbroken[span]:
                        end = self._end_before(span, begin, new, end)
                    if end <= new:  # nothing new fits after the overlap: start without it
                        begin = new
                        continue
                    least = base + int(limit * preference.fill)
                    for last in better:
                        if (place := last[end]) > new and ends[place] >= least:
                            end = place if (span := keep[place]) < 0 or not unbroken[span] else self.keep_after[span]
                            break
                packed.first.append(begin)
                packed.after.append(end)
                packed.new.append(new)
                begin = self._overlapped(begin, end) if overlap and end < high else end
                new = end
        return packed

    def _end_before(self, span: int, begin: int, new: int, far: int) -> int:
        """Return where to end instead of inside an unbroken span; not after `new` if nothing new fits."""
        first = self.keep_first[span]
        if first == new:  # it fits alone, but not after an overlap
            return self.keep_after[span] if begin == new else new
        return first if first > new else far

    def _overlapped(self, begin: int, end: int) -> int:
        """Return the start of the next chunk: the first sentence in the overlap, else a word, else `end`."""
        lowest = bisect_left(self.starts, self.ends[end] - self.overlap, begin + 1, end)
        lowest = self.beyond_heading[lowest]
        if lowest >= end:
            return end
        for rank in (Rank.SENTENCE, Rank.WORD, Rank.INSIDE):
            place = self._first(rank, lowest, end)
            if place < end:
                span = self.keep[place]
                return min(self.keep_after[span], end) if span >= 0 and self.unbroken[span] else place
        return end

    def _first(self, rank: Rank, lowest: int, end: int) -> int:
        """Return the first place of a rank from `lowest` on; `end` if none comes before it."""
        last = self.last[rank]
        return lowest if last[lowest] == lowest else bisect_right(last, last[lowest], lowest, end)


@dataclass(slots=True)
class ChunkColumns:
    """The n chunks of a split as columns of ints: a move of a slider makes tens of thousands.

    A place is the number of an allowed cut, no offset.
    """

    first: list[int] = field(default_factory=list)
    """Place at which each chunk begins."""
    after: list[int] = field(default_factory=list)
    """Place at which each chunk has ended."""
    section: list[int] = field(default_factory=list)
    """Section of each chunk's prefix."""
    shared: list[int] = field(default_factory=list)
    """Places of overlap with the previous chunk."""
    table: list[int] = field(default_factory=list)
    """Index into `Keeps` of the table whose header row is in the prefix; -1 for none."""
    unit: list[int] = field(default_factory=list)
    """Index into `Keeps` of the lone block that the chunk is, or is part of; -1 for text.

    Nothing may join it.
    """

    def __len__(self) -> int:
        return len(self.first)

    def add(self, first: int, after: int, section: int, *, unit: int = -1) -> None:
        """Add a chunk without overlap, between two allowed cuts, given by number."""
        self.first.append(first)
        self.after.append(after)
        self.section.append(section)
        self.shared.append(0)
        self.table.append(-1)
        self.unit.append(unit)

    def extend(
        self,
        first: list[int],
        after: list[int],
        new: list[int],
        section: Sequence[int],
        *,
        tables: list[int] | None = None,
        unit: int = -1,
    ) -> None:
        """Append chunks with their overlap.

        Args:
            first, after: numbers of the allowed cuts at which each begins and has ended.
            new: number of the cut at which the text of each begins that the previous chunk does not have.
            tables, unit: as the attributes `table` and `unit`; None and -1 for text.
        """
        self.first += first
        self.after += after
        self.section += section
        self.shared += map(int.__sub__, new, first)
        self.table += tables or [-1] * len(first)
        self.unit += [unit] * len(first)

    def where(self, mask: Sequence[bool]) -> ChunkColumns:
        """Return the chunks whose mask is true."""
        columns = (self.first, self.after, self.section, self.shared, self.table, self.unit)
        return ChunkColumns(*(list(compress(column, mask)) for column in columns))
