"""Places to chunks, by binary search only: neither the text nor the tokenizer is looked at.

Each chunk ends at the best-ranked place in the last part of what fits, never inside a span that is kept whole, and
always
after the chunk before it (law 3). The next one starts there, or a little before where chunks overlap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.splitting.measure.cut_places import Rank

__all__ = ["Manner", "Packed", "Packer"]


class Manner(NamedTuple):
    """Which places a strategy prefers."""

    ranks: tuple[Rank, ...]
    """Best first; where none is found the last place that fits is taken."""
    fill: float
    """Share of the room that must be filled before a better place counts more than a fuller chunk."""


class Packed(NamedTuple):
    """Chunks as places, a list each: three lists of ints are made far faster than a list of tuples."""

    first: list[int]
    after: list[int]
    new: list[int]
    """Where the text begins that no chunk before has; after `first` where chunks overlap."""


@dataclass(slots=True)
class Packer:
    """A measured document and how much each chunk may hold; one for a configuration.

    Sequences of n are memoryviews of int32: faster under `bisect` than lists, and never copied.
    """

    starts: Sequence[int]
    """(n,) units before a chunk that begins at each place, ascending."""
    ends: Sequence[int]
    """(n,) units up to a chunk's end at each place, ascending."""
    section: Sequence[int]
    """(n,) section of a chunk that begins at each place."""
    rooms: Sequence[int]
    """(sections,) most units of content of a chunk of each section."""
    last: Sequence[Sequence[int]]
    """For each rank (n,) the last place at or before each place that has this rank or a better one; -1 for none."""
    overlap: int
    """Most units shared with the chunk before."""
    keep: Sequence[int]
    """(n,) number of the span a cut would go through, -1 for none."""
    keep_first: Sequence[int]
    keep_after: Sequence[int]
    """(k,) places of each span."""
    whole: Sequence[bool]
    """(k,) spans that no cut goes into; each fits its room."""
    beyond_heading: Sequence[int]
    """(n,) the place at which a heading has ended, for each place inside of one; other places as they are."""

    def pack(
        self, stretches: Iterable[tuple[int, int]], manner: Manner, room: int | None = None, *, start: int = 0
    ) -> Packed:
        """Pack the places of each stretch, one after the other; no chunk reaches from one into the next.

        Args:
            stretches: (low, high) places, in order.
            room: most units of content of a chunk that begins at the place `start` or after it; None: the section's.
        Returns:
            Chunks in order. One is over its room only where two neighbouring places are further apart.

        >>> at = [0, 4, 9, 12, 20]
        >>> packer = Packer(at, at, [0] * 5, [10], [], 0, [-1] * 5, [], [], [], range(5))
        >>> packer.pack([(0, 4)], Manner((), 0.5)).after
        [2, 3, 4]
        """
        packed = Packed([], [], [])
        # Bound once: the loop below runs for every chunk at every move of a slider.
        starts, ends, section, rooms, overlap = self.starts, self.ends, self.section, self.rooms, self.overlap
        keep, whole, better = self.keep, self.whole, [self.last[rank] for rank in manner.ranks]
        for low, high in stretches:
            begin = new = low
            while new < high:
                limit = rooms[section[new]] if room is None or new < start else room
                base = starts[begin]
                end = bisect_right(ends, base + limit, begin + 1, high + 1) - 1
                if end < high:
                    if end <= new and begin == new:
                        end = new + 1  # larger than the room: there is no place inside
                    if end > new and (span := keep[end]) >= 0 and whole[span]:
                        end = self._beside(span, begin, new, end)
                    if end <= new:  # nothing new fits beside the overlap: start without it
                        begin = new
                        continue
                    least = base + int(limit * manner.fill)
                    for last in better:
                        if (place := last[end]) > new and ends[place] >= least:
                            end = place if (span := keep[place]) < 0 or not whole[span] else self.keep_after[span]
                            break
                packed.first.append(begin)
                packed.after.append(end)
                packed.new.append(new)
                begin = self._overlapped(begin, end) if overlap and end < high else end
                new = end
        return packed

    def _beside(self, span: int, begin: int, new: int, far: int) -> int:
        """Where to end instead of inside a span that is kept whole; not after `new` where nothing new fits."""
        first = self.keep_first[span]
        if first == new:  # it begins here: it fits alone, though not beside an overlap
            return self.keep_after[span] if begin == new else new
        return first if first > new else far

    def _overlapped(self, begin: int, end: int) -> int:
        """Where the next chunk starts: at the first sentence within the overlap, else at a word, else at `end`."""
        lowest = bisect_left(self.starts, self.ends[end] - self.overlap, begin + 1, end)
        lowest = self.beyond_heading[lowest]
        if lowest >= end:
            return end
        for rank in (Rank.SENTENCE, Rank.WORD, Rank.INSIDE):
            place = self._first(rank, lowest, end)
            if place < end:
                span = self.keep[place]
                return min(self.keep_after[span], end) if span >= 0 and self.whole[span] else place
        return end

    def _first(self, rank: Rank, lowest: int, end: int) -> int:
        """The first place of a rank from `lowest` on; `end` where there is none before it."""
        last = self.last[rank]
        return lowest if last[lowest] == lowest else bisect_right(last, last[lowest], lowest, end)
