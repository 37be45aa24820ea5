"""A document cut at chosen places; a stretch between two that is too long is cut again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import CutPreference
from chunking.splitting.packing.split_inputs import SplitInputs

__all__ = ["BY_RANK", "join_small_chunks", "split_at", "split_regions", "without_left_out"]

BY_RANK = CutPreference((Rank.SECTION, Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)


def split_at(inputs: SplitInputs, starts: Iterable[int], preference: CutPreference = BY_RANK) -> ChunkColumns:
    """Cut at places, moved after blocks that stay whole, and again inside stretches that are too long."""
    return split_regions(
        inputs,
        pairwise([*sorted({0, *inputs.outside_blocks(starts)} - {len(inputs.marks) - 1}), len(inputs.marks) - 1]),
        preference,
    )


def split_regions(
    inputs: SplitInputs, regions: Iterable[tuple[int, int]], preference: CutPreference = BY_RANK
) -> ChunkColumns:
    """Cut regions of a document, in order, without what belongs to no chunk."""
    return inputs.cut(without_left_out(inputs, regions), preference)


def without_left_out(inputs: SplitInputs, regions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The regions with the boundaries of pins, without the spans that belong to no chunk.

    Args:
        regions: in order, without gaps.
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
    """Join each small chunk to the one before it under the same parent heading, where both fit."""
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
    """The section of a small chunk joined to the one before it; -1 where they may not be joined."""
    new = pieces.first[small] + pieces.shared[small]
    if pieces.after[before] < new or new in inputs.splits or pieces.unit[before] >= 0 or pieces.unit[small] >= 0:
        return -1
    one, other = pieces.section[before], pieces.section[small]
    if one == other:
        return one
    parent = inputs.parents[other]
    return parent if parent in (one, inputs.parents[one]) else -1
