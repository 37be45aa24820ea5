"""Whole neighbouring chunks put together: the parents of a section, and the chunks of a larger size.

Every chunk is in exactly one group. Groups of a stretch are as even as its chunks allow, rather than full ones and a
rest:
breaks are chosen by dynamic programming over squared deviations, as lines are broken in a paragraph (Knuth and Plass
1981),
and better places (a heading, a block) count for something. A table or a code block that was cut but fits a group is
whole
again in it, with the text around it; a longer one is parted like text. Nothing is counted anew (law 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

import numpy as np

from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.prefix_costs import OnePrefix
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs

__all__ = ["group", "grouped"]

_FINE = 16
"""Chunks in a group, on average, up to which each is a place where a group may begin."""
_EVENNESS = 0.25
"""What a group of twice the target, or an empty one, costs; one of half the target a quarter of it."""
_HEADING, _HEADINGS = 0.03, 0.1
"""What a break at a heading costs for each level that both sides have in common, and at most."""
_BREAKS = {Rank.SECTION: 0.1, Rank.BLOCK: 0.12, Rank.LINE: 0.14, Rank.SENTENCE: 0.16}
"""What a break inside a section costs, by the rank of its place."""
_ANY_BREAK = 0.25
_RANKED = np.array([_BREAKS.get(rank, _ANY_BREAK) for rank in Rank])
"""The same by the number of the rank."""
_IN_A_BLOCK = 1.0
"""A break in a block that is kept whole and fits a group: it is whole there, unless nothing else is possible."""


def group(inputs: SplitInputs, pieces: ChunkColumns, *, across: bool) -> list[range]:
    """Which chunks go together.

    Args:
        inputs: the document, with the configuration whose size is the groups'.
        pieces: the n chunks.
        across: groups may reach over headings that split, as those of a larger size do; parents do not.
    Returns:
        Numbers of the chunks of each group, in order, none empty. One is over the size only where a single chunk is.
    """
    grouping = _Grouping(inputs, pieces)
    firsts = [first for low, high in grouping.stretches(across) for first in grouping.balanced(low, high)]
    return [range(first, after) for first, after in pairwise([*firsts, len(pieces)])]


def grouped(inputs: SplitInputs, pieces: ChunkColumns, groups: Sequence[range]) -> ChunkColumns:
    """The groups as pieces, with the section and the table header that the prefix of each has."""
    grouping = _Grouping(inputs, pieces)
    whole = ChunkColumns()
    for number, some in enumerate(groups):
        first, last = some[0], some[-1]
        section = grouping.shared_section(some)
        whole.add(pieces.first[first], pieces.after[last], section)
        whole.shared[-1] = pieces.shared[first]
        if pieces.table[first] >= 0:  # it begins inside a table: header and section may differ from group to group
            whole.table[-1] = number
            inputs.table_prefixes[number] = grouping.headed(first, section)
    return whole


class _Grouping:
    def __init__(self, inputs: SplitInputs, pieces: ChunkColumns) -> None:
        self.inputs, self.pieces, self.sections = inputs, pieces, pieces.section
        first, after = np.array(pieces.first, np.int32), np.array(pieces.after, np.int32)
        self.new = first + np.array(pieces.shared, np.int32)
        self.after = after
        self.starts: list[int] = inputs.survey.ruler.starts[first].tolist()
        self.ends: list[int] = inputs.survey.ruler.ends[after].tolist()
        self._headed: dict[tuple[int, int], OnePrefix] = {}
        self._rooms: dict[tuple[int, int], int] = {}

    def shared_section(self, some: range) -> int:
        """Index of the innermost section that holds the sections of all these chunks; -1 where there is none."""
        section = self.sections[some[0]]
        for number in some[1:]:
            section = self.inputs.shared(section, self.sections[number])
        return section

    def headed(self, first: int, section: int) -> OnePrefix:
        """The prefix of a group that begins with a chunk whose prefix has a table's header."""
        key = self.pieces.table[first], section
        if key not in self._headed:
            self._headed[key] = self.inputs.with_header(*key)
        return self._headed[key]

    def stretches(self, across: bool) -> Iterator[tuple[int, int]]:
        """(low, high) chunks among which groups are made: broken at what is left out, at pins, and at headings that
        split.
        """
        breaks = np.zeros(len(self.pieces), np.bool_)
        breaks[:1] = True
        breaks[1:] |= self.new[1:] > self.after[:-1]
        if self.inputs.pins is not None:
            breaks[1:] |= np.isin(self.new[1:], self.inputs.pins.splits)
        if not across:
            regions = np.searchsorted(np.array(self.inputs.region_starts, np.int32), self.new, side="right")
            breaks[1:] |= regions[1:] != regions[:-1]
        return pairwise([*np.flatnonzero(breaks).tolist(), len(self.pieces)])

    def balanced(self, low: int, high: int) -> list[int]:
        """The first chunk of each group of a stretch."""
        total = self.ends[high - 1] - self.starts[low]
        if high - low < 2 or total <= self._room(low, self.shared_section(range(low, high))):
            return [low]
        mean = sum(self.inputs.rooms[section] for section in self.sections[low:high]) / (high - low)
        target = total / max(-(-total // mean), 1)
        return self._fewest_deviations(self._candidates(low, high, target), target)

    def _candidates(self, low: int, high: int, target: float) -> list[int]:
        """Chunks at which a group may begin, and `high` at last: all, or of many small ones the best in each small
        share of a group.

        Two that follow each other always fit a group together, but where a single chunk does not.
        """
        share = target / _FINE
        if (high - low) * share <= self.ends[high - 1] - self.starts[low]:
            return list(range(low, high + 1))
        found, at = [low], low + 1
        while at < high:
            after = at + 1
            while after < high and self.ends[after] - self.starts[at] <= share:
                after += 1
            found.append(min(range(at, after), key=self._penalties.__getitem__))
            at = after
            if self.ends[at - 1] - self.starts[at - 1] > share and at < high:  # a large chunk: a break behind it too
                found.append(at)
                at += 1
        return [*found, high]

    def _fewest_deviations(self, places: list[int], target: float) -> list[int]:
        """Which of the places to begin groups at: the cheapest way from the first to the last."""
        # Bound once: the inner loop runs for every group that could be, at every move of a slider.
        size, rooms, nearest, table = self.inputs.config.size, self.inputs.rooms, self.inputs.shared, self.pieces.table
        begins, tables = ([some[place] for place in places[:-1]] for some in (self.starts, table))
        penalties = [0.0, *(self._penalties[place] for place in places[1:-1])]
        shared = [self.shared_section(range(low, high)) for low, high in pairwise(places)]
        best, chosen = [0.0], [0]
        for last in range(len(shared)):
            least, begin, section = inf, last, shared[last]
            end = self.ends[places[last + 1] - 1]
            for first in range(last, -1, -1):
                units = end - begins[first]
                if section != shared[first]:
                    section = nearest(section, shared[first])
                if first < last:
                    if units > size:
                        break
                    if units > (rooms[section] if tables[first] < 0 else self._room(places[first], section)):
                        continue
                cost = best[first] + _EVENNESS * ((units - target) / target) ** 2 + penalties[first]
                if cost < least:
                    least, begin = cost, first
            best.append(least)
            chosen.append(begin)
        return [places[number] for number in _traced(chosen)]

    def _room(self, first: int, section: int) -> int:
        """Units of content of a group that begins with a chunk, in a section."""
        table = self.pieces.table[first]
        if table < 0:
            return self.inputs.rooms[section]
        if (table, section) not in self._rooms:
            self._rooms[table, section] = self.inputs.room_beside(self.headed(first, section))
        return self._rooms[table, section]

    @cached_property
    def _penalties(self) -> list[float]:
        """(n,) what a break before each chunk costs."""
        inputs, survey = self.inputs, self.inputs.survey
        costs = _RANKED[inputs.marks.rank[self.new]]
        sections, blocks = np.array(self.sections, np.int32), np.asarray(survey.keep)[self.new]
        for number in (np.flatnonzero(sections[1:] != sections[:-1]) + 1).tolist():
            costs[number] = min(
                _HEADING * inputs.depth(inputs.shared(self.sections[number], self.sections[number - 1])), _HEADINGS
            )
        held = np.flatnonzero(blocks >= 0)
        costs[held[survey.keep_units[blocks[held]] <= np.array(inputs.rooms)[sections[held]]]] = _IN_A_BLOCK
        return costs.tolist()  # type: ignore[no-any-return]


def _traced(chosen: list[int]) -> list[int]:
    """From the last group back to the first: `chosen[j]` begins the best group that ends before the place j."""
    firsts: list[int] = []
    at = len(chosen) - 1
    while at > 0:
        at = chosen[at]
        firsts.append(at)
    return firsts[::-1]
