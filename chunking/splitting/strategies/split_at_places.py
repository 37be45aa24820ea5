"""A document cut at places that are given: what lies between two of them is a chunk, or several where it is too long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import Manner
from chunking.splitting.packing.split_inputs import SplitInputs

__all__ = ["BY_RANK", "joined", "split_at", "split_regions", "without_left_out"]

BY_RANK = Manner((Rank.SECTION, Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)


def split_at(inputs: SplitInputs, starts: Iterable[int], manner: Manner = BY_RANK) -> ChunkColumns:
    """Cut at places, moved behind the blocks that stay whole, and inside what is too long between two of them."""
    return split_regions(
        inputs,
        pairwise([*sorted({0, *inputs.outside(starts)} - {len(inputs.marks) - 1}), len(inputs.marks) - 1]),
        manner,
    )


def split_regions(inputs: SplitInputs, regions: Iterable[tuple[int, int]], manner: Manner = BY_RANK) -> ChunkColumns:
    """Cut regions of a document, in order, less what belongs to no chunk."""
    return inputs.cut(without_left_out(inputs, regions), manner)


def without_left_out(inputs: SplitInputs, regions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The regions as pins want them, less the spans that belong to no chunk.

    Args:
        regions: in order; together they are the document, without gaps.
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


def joined(inputs: SplitInputs, pieces: ChunkColumns) -> ChunkColumns:
    """Let each small chunk join the one before it under the same parent heading, where both fit; their section is the
    parent's.
    """
    gone = [False] * len(pieces)
    for number in inputs.small(pieces):
        before = number - 1
        while before >= 0 and gone[before]:
            before -= 1
        section = _shared_section(inputs, pieces, before, number) if before >= 0 else -1
        if section >= 0 and inputs.fits(pieces.first[before], pieces.after[number], section):
            pieces.after[before], pieces.section[before] = pieces.after[number], section
            gone[number] = True
    return pieces.without(gone) if any(gone) else pieces


def _shared_section(inputs: SplitInputs, pieces: ChunkColumns, before: int, small: int) -> int:
    """The section that a small chunk and the one before it would stand in together; -1 where they may not."""
    new = pieces.first[small] + pieces.shared[small]
    if pieces.after[before] < new or new in inputs.splits or pieces.unit[before] >= 0 or pieces.unit[small] >= 0:
        return -1
    one, other = pieces.section[before], pieces.section[small]
    if one == other:
        return one
    parent = inputs.parents[other]
    return parent if parent in (one, inputs.parents[one]) else -1
