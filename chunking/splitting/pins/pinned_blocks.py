"""Effect of pins on code blocks, tables and question-answer pairs that are alone or stay in one piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.token_positions import as_sequence
from chunking.splitting.pins.pin_places import PinPlaces, Spans, cut_spans

__all__ = ["PinnedSpans", "unit_parts", "with_pinned_spans"]

Ints = NDArray[np.int32]


class PinnedSpans(NamedTuple):
    """Spans with a mark on those that no cut may part, as `Packer` reads them."""

    keep: Sequence[int]
    """(places,) number of the span that a cut at each place would part, -1 for none."""
    first: list[int]
    after: list[int]
    """(k,) places of each span."""
    unbroken: list[bool]
    """(k,) True for spans that no cut may part."""


def unit_parts(pins: PinPlaces, numbers: Ints, units: Spans, bodies: Ints) -> tuple[Ints, Spans]:
    """Return the parts of lone blocks that remain alone under pins.

    Splits and left-out text part a block. A table that a kept span reaches into loses those rows to it; any other
    block becomes text, as does one inside a kept span.

    Args:
        numbers: (u,) indices of the blocks into `Keeps`.
        bodies: (k,) number of the cut at the first row of each table of `Keeps`, -1 for other blocks.
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
    drop = (
        (out >= 0) & (pins.left_out.after[out] > parts.first)
        if len(pins.left_out.first)
        else np.zeros(len(of), np.bool_)
    )
    drop |= parts.after <= parts.first
    return numbers[of[~drop]], Spans(parts.first[~drop], parts.after[~drop])


def with_pinned_spans(
    pins: PinPlaces, spans: PinnedSpans, blocks: Spans, fits: Callable[[int, int], bool]
) -> PinnedSpans:
    """Add the spans that pins keep to the unbroken ones.

    An unbroken block stays so on each side of a split inside it. A kept span that begins or ends inside an unbroken
    block is joined with it, or breaks it where both would not fit. The head of a table, which only serves the rows
    that remain, yields to a kept span that begins or ends inside it.

    Args:
        spans: of blocks, in the order of `Keeps`, then of the heads of tables.
        fits: True if the text between two allowed cuts, given by number, may be one chunk.
    """
    builder = _SpanBuilder(np.array(spans.keep, np.int32), [*spans.first], [*spans.after], [*spans.unbroken])
    heads = range(len(blocks.first), len(spans.unbroken))
    unbroken = builder.part(pins.edges, heads)
    for first, after in _joined_with_blocks(
        pins.keeps, unbroken, builder, lambda number, *span: number not in heads and fits(*span)
    ):
        builder.add(first, after)
    return PinnedSpans(as_sequence(builder.keep), builder.first, builder.after, builder.unbroken)


@dataclass(slots=True)
class _SpanBuilder:
    """Builder of `PinnedSpans`; of two spans at a place the later one counts."""

    keep: Ints
    first: list[int]
    after: list[int]
    unbroken: list[bool]

    def add(self, first: int, after: int) -> int:
        """Keep a span and return its number."""
        number = len(self.unbroken)
        self.keep[first + 1 : after] = number
        self.first.append(first)
        self.after.append(after)
        self.unbroken.append(True)
        return number

    def part(self, edges: Ints, heads: range) -> list[int]:
        """Part unbroken spans at edges; returns the numbers of spans and parts still unbroken."""
        spans = Spans(np.array(self.first, np.int32), np.array(self.after, np.int32))
        of, parts = cut_spans(spans, edges)
        unbroken = np.array(self.unbroken, np.bool_)
        cut = (np.bincount(of, minlength=len(unbroken)) > 1) & unbroken
        numbers: list[int] = np.flatnonzero(unbroken & ~cut).tolist()
        for part in np.flatnonzero(cut[of]).tolist():
            number = int(of[part])
            self.unbroken[number] = False
            if number not in heads:
                numbers.append(self.add(int(parts.first[part]), int(parts.after[part])))
        return numbers


def _joined_with_blocks(
    keeps: Spans, numbers: list[int], builder: _SpanBuilder, fits: Callable[[int, int, int], bool]
) -> list[tuple[int, int]]:
    """Extend each kept span by the unbroken blocks that it reaches into.

    Args:
        fits: True if a block, by its number, may be joined to a kept span, by the first and last place of both.
    """
    spans = list(zip(keeps.first.tolist(), keeps.after.tolist(), strict=True))
    numbers = sorted(numbers, key=builder.first.__getitem__)
    firsts, afters = (
        np.array([edges[number] for number in numbers], np.int32) for edges in (builder.first, builder.after)
    )
    low, high = np.searchsorted(afters, keeps.first, side="right"), np.searchsorted(firsts, keeps.after)
    reached = {
        span: [numbers[at] for at in range(low[span], high[span])] for span in np.flatnonzero(high > low).tolist()
    }
    times = Counter(number for some in reached.values() for number in some)
    for span, some in reached.items():
        first, after = spans[span]
        if any(builder.first[number] <= first and after <= builder.after[number] for number in some):
            spans[span] = (first, first)  # inside an unbroken block
            continue
        for number in some:
            wider = min(spans[span][0], builder.first[number]), max(spans[span][1], builder.after[number])
            if wider == spans[span]:
                continue
            if times[number] == 1 and fits(number, *wider):
                spans[span] = wider
            else:
                builder.unbroken[number] = False
    return [span for span in spans if span[0] < span[1]]
