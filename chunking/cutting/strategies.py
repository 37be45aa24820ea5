"""The table of strategies: each a row, and a function from a measured document to the places of its chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking.config import Strategy
from chunking.cutting.job import Job
from chunking.cutting.pack import Manner
from chunking.cutting.pieces import Pieces
from chunking.cutting.places import Rank

__all__ = ["STRATEGIES", "StrategyRow", "whole_document"]

_BY_RANK = Manner((Rank.SECTION, Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_BLIND = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_SENTENCES = Manner((Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_WINDOW = Manner((Rank.INSIDE,), 0.0)


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A way to cut a document."""

    name: Strategy
    description: str
    cut: Callable[[Job], Pieces]
    simpler: Strategy | None
    """What is tried when it fails; None: the document becomes one chunk."""


def _structure(job: Job) -> Pieces:
    """By sections; what is too long for a chunk by blocks, sentences, words; what is too short joins its neighbour."""
    starts = _region_starts(job)
    regions = pairwise([*starts, len(job.marks) - 1])
    return _joined(job, job.cut(_without(job.marks.left_out, regions), _BY_RANK))


def _region_starts(job: Job) -> list[int]:
    """Places at which a heading of a splitting level starts, a heading with nothing under it before it included."""
    marks = job.marks
    levels = np.fromiter((section.level for section in job.document.sections), np.int32, len(job.document.sections))
    opener = np.arange(len(levels))
    for number in (np.flatnonzero(marks.bare) + 1).tolist():
        opener[number] = opener[number - 1]
    splits = np.isin(levels, job.config.heading_levels)
    return np.unique(np.concatenate(([0], marks.section_first[opener[splits]]))).tolist()  # type: ignore[no-any-return]


def _joined(job: Job, pieces: Pieces) -> Pieces:
    """Let each small chunk join the one before it under the same parent heading, where both fit; their section is the parent's."""
    gone = [False] * len(pieces)
    for number in job.small(pieces):
        before = number - 1
        while before >= 0 and gone[before]:
            before -= 1
        section = _shared_section(job, pieces, before, number) if before >= 0 else -1
        if section >= 0 and job.fits(pieces.first[before], pieces.after[number], section):
            pieces.after[before], pieces.section[before] = pieces.after[number], section
            gone[number] = True
    return pieces.without(gone) if any(gone) else pieces


def _shared_section(job: Job, pieces: Pieces, before: int, small: int) -> int:
    """The section that a small chunk and the one before it would stand in together; -1 where they may not."""
    apart = pieces.after[before] < pieces.first[small] + pieces.shared[small]
    if apart or pieces.alone[before] or pieces.alone[small]:
        return -1
    one, other = pieces.section[before], pieces.section[small]
    if one == other:
        return one
    parent = job.parents[other]
    return parent if parent in (one, job.parents[one]) else -1


def _flat(manner: Manner) -> Callable[[Job], Pieces]:
    """A strategy that is blind to headings."""

    def cut(job: Job) -> Pieces:
        return job.cut(_without(job.marks.left_out, [(0, len(job.marks) - 1)]), manner)

    return cut


def whole_document(job: Job) -> Pieces:
    """The last step of the fallback: one chunk."""
    pieces = Pieces()
    for low, high in _without(job.marks.left_out, [(0, len(job.marks) - 1)]):
        pieces.add(low, high, job.survey.section[low])
    return pieces


def _without(left_out: list[tuple[int, int]], regions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The regions less the spans that belong to no chunk."""
    for low, high in regions:
        for first, after in left_out:
            if first < high and after > low:
                if low < first:
                    yield low, first
                low = after
        if low < high:
            yield low, high


STRATEGIES: dict[Strategy, StrategyRow] = {
    row.name: row
    for row in (
        StrategyRow(
            Strategy.STRUCTURE,
            "By sections, then blocks, sentences and words; a small section joins the one before under the same heading.",
            _structure,
            Strategy.RECURSIVE,
        ),
        StrategyRow(
            Strategy.RECURSIVE, "By blank lines, then lines, sentences and words, blind to headings.", _flat(_BLIND), Strategy.FIXED
        ),
        StrategyRow(Strategy.SENTENCE, "Whole sentences, as many as fit.", _flat(_SENTENCES), Strategy.FIXED),
        StrategyRow(Strategy.FIXED, "A window of the full size, wherever it ends.", _flat(_WINDOW), None),
    )
}
