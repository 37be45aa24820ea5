"""Grouping of neighbouring chunks into parents of a section, or into chunks of a larger size.

Every chunk is in exactly one group. Groups of a stretch are as even as its chunks allow, not full ones and a rest:
dynamic programming over squared deviations chooses the breaks, as lines are broken in a paragraph (Knuth and Plass
1981), and better places (a heading, a block) cost less. A table or code block that was cut but fits a group is in one
piece again, with its surrounding text; a longer one is parted like text. Nothing is counted again (law 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

import numpy as np

from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.prefix_costs import OnePrefix
from chunking.splitting.packing.size_and_overlap import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs

__all__ = ["group", "merge_groups"]

_FINE = 16
"""Mean number of chunks in a group up to which a group may begin at each of them."""
_EVENNESS = 0.25
"""Cost of a group of twice the target, or of an empty one; one of half the target costs a quarter."""
_HEADING, _HEADINGS = 0.03, 0.1
"""Cost of a break at a heading for each level that both sides share, and its maximum."""
_BREAKS = {Rank.SECTION: 0.1, Rank.BLOCK: 0.12, Rank.LINE: 0.14, Rank.SENTENCE: 0.16}
"""Cost of a break inside a section, by the rank of its place."""
_ANY_BREAK = 0.25
_RANKED = np.array([_BREAKS.get(rank, _ANY_BREAK) for rank in Rank])
"""`_BREAKS` as an array by rank."""
_IN_A_BLOCK = 1.0
"""Cost of a break inside a block that fits a group.

The block stays in one piece unless nothing else is possible.
"""


def group(inputs: SplitInputs, pieces: ChunkColumns, *, across: bool) -> list[range]:
    """Group neighbouring chunks into groups as even as possible, each up to the size of `inputs`.

    Args:
        inputs: of the document, with the size of the groups.
        pieces: the n chunks.
        across: True if groups may cross headings that split, as larger sizes do; parents do not.
    Returns:
        Numbers of the chunks of each group, in order, none empty. A group is over the size only if a single chunk is.
    """
    grouping = _Grouping(inputs, pieces)
    firsts = [first for low, high in grouping.stretches(across) for first in grouping.balanced(low, high)]
    return [range(first, after) for first, after in pairwise([*firsts, len(pieces)])]


def merge_groups(inputs: SplitInputs, pieces: ChunkColumns, groups: Sequence[range]) -> ChunkColumns:
    """Join each group into one piece, in the innermost section that contains its chunks.

    A group that begins inside a table gets a prefix with the table's header in `inputs.table_prefixes`.
    """
    grouping = _Grouping(inputs, pieces)
    pieces_of_groups = ChunkColumns()
    for number, some in enumerate(groups):
        first, last = some[0], some[-1]
        section = grouping.shared_section(some)
        pieces_of_groups.add(pieces.first[first], pieces.after[last], section)
        pieces_of_groups.shared[-1] = pieces.shared[first]
        if (
            pieces.table[first] >= 0
        ):  # begins inside a table: its header and section may differ from those of other groups
            pieces_of_groups.table[-1] = number
            inputs.table_prefixes[number] = grouping.headed(first, section)
    return pieces_of_groups


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
        """Return the index of the innermost section that contains all these chunks; -1 for none."""
        section = self.sections[some[0]]
        for number in some[1:]:
            section = self.inputs.shared_section(section, self.sections[number])
        return section

    def headed(self, first: int, section: int) -> OnePrefix:
        """Return the prefix of a group whose first chunk begins inside a table."""
        key = self.pieces.table[first], section
        if key not in self._headed:
            self._headed[key] = self.inputs.with_header(*key)
        return self._headed[key]

    def stretches(self, across: bool) -> Iterator[tuple[int, int]]:
        """Yield (low, high) ranges of chunks to group, broken at pins, left-out text and headings that split."""
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
        """Return the first chunk of each group in a stretch."""
        total = self.ends[high - 1] - self.starts[low]
        if high - low < 2 or total <= self._room(low, self.shared_section(range(low, high))):
            return [low]
        mean = sum(self.inputs.rooms[section] for section in self.sections[low:high]) / (high - low)
        target = total / max(-(-total // mean), 1)
        return self._fewest_deviations(self._candidates(low, high, target), target)

    def _candidates(self, low: int, high: int, target: float) -> list[int]:
        """Return chunks at which a group may begin, then `high`: all, or the best in each share of a group.

        Two successive candidates always fit one group, unless a single chunk does not.
        """
        share = target / _FINE
        if (high - low) * share <= self.ends[high - 1] - self.starts[low]:
            return list(range(low, high + 1))
        places, at = [low], low + 1
        while at < high:
            after = at + 1
            while after < high and self.ends[after] - self.starts[at] <= share:
                after += 1
            places.append(min(range(at, after), key=self._penalties.__getitem__))
            at = after
            if self.ends[at - 1] - self.starts[at - 1] > share and at < high:  # a large chunk: a break after it, too
                places.append(at)
                at += 1
        return [*places, high]

    def _fewest_deviations(self, places: list[int], target: float) -> list[int]:
        """Return the places at which groups begin: the cheapest path from the first to the last."""
        # Bound once: the inner loop runs for every possible group, at every move of a slider.
        size, rooms, nearest, table = (
            self.inputs.config.size,
            self.inputs.rooms,
            self.inputs.shared_section,
            self.pieces.table,
        )
        begins, tables = ([some[place] for place in places[:-1]] for some in (self.starts, table))
        penalties = [0.0, *(self._penalties[place] for place in places[1:-1])]
        shared = [self.shared_section(range(low, high)) for low, high in pairwise(places)]
        best, begins_of = [0.0], [0]
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
            begins_of.append(begin)
        return [places[number] for number in _traced(begins_of)]

    def _room(self, first: int, section: int) -> int:
        """Return the maximum units of content of a group that begins with a chunk, in a section."""
        table = self.pieces.table[first]
        if table < 0:
            return self.inputs.rooms[section]
        if (table, section) not in self._rooms:
            self._rooms[table, section] = self.inputs.room_with(self.headed(first, section))
        return self._rooms[table, section]

    @cached_property
    def _penalties(self) -> list[float]:
        """(n,) cost of a break before each chunk."""
        inputs, survey = self.inputs, self.inputs.survey
        costs = _RANKED[inputs.marks.rank[self.new]]
        sections, blocks = np.array(self.sections, np.int32), np.asarray(survey.keep)[self.new]
        for number in (np.flatnonzero(sections[1:] != sections[:-1]) + 1).tolist():
            costs[number] = min(
                _HEADING * inputs.depth(inputs.shared_section(self.sections[number], self.sections[number - 1])),
                _HEADINGS,
            )
        inside = np.flatnonzero(blocks >= 0)
        costs[inside[survey.keep_units[blocks[inside]] <= np.array(inputs.rooms)[sections[inside]]]] = _IN_A_BLOCK
        return costs.tolist()  # type: ignore[no-any-return]


def _traced(begins: list[int]) -> list[int]:
    """Trace the groups back from the last: `begins[j]` begins the best group that ends before j."""
    firsts: list[int] = []
    at = len(begins) - 1
    while at > 0:
        at = begins[at]
        firsts.append(at)
    return firsts[::-1]
