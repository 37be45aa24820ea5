"""What pins do to code blocks, tables and question-answer pairs: to those that stand alone, and to those that stay
whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.cut_places import as_sequence
from chunking.splitting.pins.pin_places import PinPlaces, Spans, cut_spans

__all__ = ["PinnedSpans", "kept_with_pins", "unit_parts"]

Ints = NDArray[np.int32]


class PinnedSpans(NamedTuple):
    """The spans that no cut goes into, as `Packer` reads them."""

    keep: Sequence[int]
    """(places,) number of the span that a cut at each place goes through, -1 for none."""
    first: list[int]
    after: list[int]
    """(k,) places of each span."""
    whole: list[bool]
    """(k,) those that no cut goes into."""


def unit_parts(pins: PinPlaces, numbers: Ints, units: Spans, bodies: Ints) -> tuple[Ints, Spans]:
    """The parts of blocks that still stand alone.

    A block is parted by splits and by what is left out of it. A table that a kept span reaches into gives up those
    rows; any
    other block is text then, as is one that is part of a kept span.

    Args:
        numbers: (u,) of the blocks, in `Keeps`.
        bodies: (k,) place of the first row of each table of `Keeps`, -1 for other blocks.
    Returns:
        The number of the block that each part belongs to, and the parts, in order.
    """
    keeps, edges = pins.keeps, pins.edges
    low = np.searchsorted(keeps.after, units.first, side="right")
    high = np.searchsorted(keeps.first, units.after)
    touched = high > low
    if touched.any():
        at, last = np.minimum(low, len(keeps.first) - 1), np.maximum(high - 1, 0)
        over_start, over_end = touched & (keeps.first[at] < units.first), touched & (keeps.after[last] > units.after)
        swallowed = (over_start & (keeps.after[at] >= units.after)) | (over_end & (keeps.first[last] <= units.first))
        stays = ~swallowed & (~(over_start | over_end) | (bodies[numbers] >= 0))
        first, after = (
            np.where(over_start, keeps.after[at], units.first),
            np.where(over_end, keeps.first[last], units.after),
        )
        numbers, units = numbers[stays], Spans(first[stays].astype(np.int32), after[stays].astype(np.int32))
    of, parts = cut_spans(units, edges)
    out = np.searchsorted(pins.left_out.first, parts.first, side="right") - 1
    lost = (
        (out >= 0) & (pins.left_out.after[out] > parts.first)
        if len(pins.left_out.first)
        else np.zeros(len(of), np.bool_)
    )
    lost |= parts.after <= parts.first
    return numbers[of[~lost]], Spans(parts.first[~lost], parts.after[~lost])


def kept_with_pins(pins: PinPlaces, kept: PinnedSpans, blocks: Spans, fits: Callable[[int, int], bool]) -> PinnedSpans:
    """What no cut goes into, with what pins keep.

    A block that stays whole does so on each side of a split inside it. Where a kept span begins or ends inside a block
    that stays
    whole, both are one span, or the block is not kept where that would not fit. The head of a table, which is there for
    what
    remains of its rows, yields to a kept span that begins or ends inside it.

    Args:
        kept: of blocks, in the order of `Keeps`, then of the heads of tables.
        fits: whether a span of places may be one chunk.
    """
    made = _Making(np.array(kept.keep, np.int32), [*kept.first], [*kept.after], [*kept.whole])
    heads = range(len(blocks.first), len(kept.whole))
    stay_whole = made.parted(pins.edges, heads)
    for first, after in _with_blocks(
        pins.keeps, stay_whole, made, lambda number, *span: number not in heads and fits(*span)
    ):
        made.add(first, after)
    return PinnedSpans(as_sequence(made.keep), made.first, made.after, made.whole)


@dataclass(slots=True)
class _Making:
    """`PinnedSpans` while spans are added; of two at a place the later one counts."""

    keep: Ints
    first: list[int]
    after: list[int]
    whole: list[bool]

    def add(self, first: int, after: int) -> int:
        """Keep a span; its number."""
        number = len(self.whole)
        self.keep[first + 1 : after] = number
        self.first.append(first)
        self.after.append(after)
        self.whole.append(True)
        return number

    def parted(self, edges: Ints, heads: range) -> list[int]:
        """Let no whole span reach over an edge: of blocks, not of heads, each part is whole. The numbers of what stays
        whole.
        """
        spans = Spans(np.array(self.first, np.int32), np.array(self.after, np.int32))
        of, parts = cut_spans(spans, edges)
        whole = np.array(self.whole, np.bool_)
        cut = (np.bincount(of, minlength=len(whole)) > 1) & whole
        numbers: list[int] = np.flatnonzero(whole & ~cut).tolist()
        for part in np.flatnonzero(cut[of]).tolist():
            number = int(of[part])
            self.whole[number] = False
            if number not in heads:
                numbers.append(self.add(int(parts.first[part]), int(parts.after[part])))
        return numbers


def _with_blocks(
    keeps: Spans, numbers: list[int], made: _Making, fits: Callable[[int, int, int], bool]
) -> list[tuple[int, int]]:
    """The kept spans, with the blocks that stay whole into which they reach.

    Args:
        fits: whether a block, by its number, may be one with a kept span, by the first and last place of both.
    """
    spans = list(zip(keeps.first.tolist(), keeps.after.tolist(), strict=True))
    numbers = sorted(numbers, key=made.first.__getitem__)
    firsts, afters = (np.array([edges[number] for number in numbers], np.int32) for edges in (made.first, made.after))
    low, high = np.searchsorted(afters, keeps.first, side="right"), np.searchsorted(firsts, keeps.after)
    reached = {
        span: [numbers[at] for at in range(low[span], high[span])] for span in np.flatnonzero(high > low).tolist()
    }
    times = Counter(number for some in reached.values() for number in some)
    for span, some in reached.items():
        first, after = spans[span]
        if any(made.first[number] <= first and after <= made.after[number] for number in some):
            spans[span] = (first, first)  # the block around it is whole
            continue
        for number in some:
            wider = min(spans[span][0], made.first[number]), max(spans[span][1], made.after[number])
            if wider == spans[span]:
                continue
            if times[number] == 1 and fits(number, *wider):
                spans[span] = wider
            else:
                made.whole[number] = False
    return [span for span in spans if span[0] < span[1]]
