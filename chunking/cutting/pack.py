"""Places to chunks, by binary search only: neither the text nor the tokenizer is looked at.

Each chunk ends at the best-ranked place in the last part of what fits, never inside a span that is kept whole, and always
after the chunk before it (law 3). The next one starts there, or a little before where chunks overlap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from chunking.cutting.places import Rank

__all__ = ["Levels", "Manner", "Packer"]

Levels = dict[Rank, Sequence[int]]
"""For each rank, the places of that rank or a better one, ascending."""


@dataclass(frozen=True, slots=True)
class Manner:
    """Which places a strategy prefers."""

    ranks: tuple[Rank, ...]
    """Best first; where none is found the last place that fits is taken."""
    fill: float
    """Share of the room that must be filled before a better place counts more than a fuller chunk."""


@dataclass(slots=True)
class Packer:
    """A measured document and how much each chunk may hold; one for a configuration.

    Sequences that are searched are memoryviews of int32: faster under `bisect` than lists, and never copied.
    """

    starts: Sequence[int]
    """(n,) units before a chunk that begins at each place."""
    ends: Sequence[int]
    """(n,) units up to a chunk's end at each place."""
    section: Sequence[int]
    """(n,) section of a chunk that begins at each place."""
    rooms: Sequence[int]
    """(sections,) most units of content of a chunk of each section."""
    levels: Levels
    overlap: int
    """Most units shared with the chunk before."""
    whole_first: Sequence[int]
    whole_after: Sequence[int]
    """(k,) spans, in order and apart, that no cut goes into; each fits its room."""

    def pack(self, low: int, high: int, manner: Manner, room: int | None = None) -> list[tuple[int, int, int]]:
        """Pack the places from `low` to `high`.

        Args:
            room: most units of content; None: the section's.
        Returns:
            (first, after, new) places of each chunk: its span, and where the text begins that no chunk before it has. A
            chunk is over its room only where two neighbouring places are further apart.

        >>> at = [0, 4, 9, 12, 20]
        >>> packer = Packer(at, at, [0] * 5, [10], {}, 0, [], [])
        >>> packer.pack(0, 4, Manner((), 0.5))
        [(0, 2, 0), (2, 3, 2), (3, 4, 3)]
        """
        chunks = []
        begin = new = low
        while new < high:
            limit = self.rooms[self.section[new]] if room is None else room
            end = self._end(begin, new, high, limit, manner)
            if end <= new:  # nothing new fits beside the overlap: start without it
                begin = new
                end = max(self._end(begin, new, high, limit, manner), new + 1)
            chunks.append((begin, end, new))
            begin, new = (self._overlapped(begin, end) if self.overlap and end < high else end), end
        return chunks

    def _end(self, begin: int, new: int, high: int, limit: int, manner: Manner) -> int:
        """Where a chunk from `begin` ends; not after `new` where nothing new fits."""
        full = self.starts[begin] + limit
        far = bisect_right(self.ends, full, begin + 1, high + 1) - 1
        if far >= high:
            return high
        held = self._held(far)
        if held >= 0:
            if self.whole_first[held] > new:
                far = self.whole_first[held]
            elif self.whole_first[held] == new:  # it begins here, and fits alone
                return min(self.whole_after[held], high) if begin == new else new
        if far <= new:
            return far
        lowest = bisect_left(self.ends, full - limit + int(limit * manner.fill), new + 1, far + 1)
        return self._best(lowest, far, manner.ranks)

    def _best(self, lowest: int, far: int, ranks: tuple[Rank, ...]) -> int:
        """The last place of the best rank to be found from `lowest` to `far`."""
        for rank in ranks:
            level = self.levels[rank]
            at = bisect_right(level, far) - 1
            if at >= 0 and level[at] >= lowest:
                held = self._held(level[at])
                return level[at] if held < 0 else self.whole_after[held]
        return far

    def _held(self, place: int) -> int:
        """The whole span that a cut at a place would go through, else -1."""
        span = bisect_left(self.whole_first, place) - 1
        return span if span >= 0 and self.whole_after[span] > place else -1

    def _overlapped(self, begin: int, end: int) -> int:
        """Where the next chunk starts: at the first sentence within the overlap, else at a word, else at `end`."""
        lowest = bisect_left(self.starts, self.ends[end] - self.overlap, begin + 1, end)
        for rank in (Rank.SENTENCE, Rank.WORD, Rank.INSIDE):
            level = self.levels[rank]
            at = bisect_left(level, lowest)
            if at < len(level) and level[at] < end:
                held = self._held(level[at])
                return level[at] if held < 0 else min(self.whole_after[held], end)
        return end
