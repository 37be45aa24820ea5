"""The table of strategies: each a row, and a function from a measured document to the places of its chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking.config import Strategy
from chunking.cutting.job import Job, Piece
from chunking.cutting.pack import Manner
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
    cut: Callable[[Job], list[Piece]]
    simpler: Strategy | None
    """What is tried when it fails; None: the document becomes one chunk."""


def _structure(job: Job) -> list[Piece]:
    """By sections; what is too long for a chunk by blocks, sentences, words; what is too short joins its neighbour."""
    starts = _region_starts(job)
    pieces: list[Piece] = []
    for low, high in _without(job.marks.left_out, pairwise([*starts, len(job.marks) - 1])):
        if job.fits(low, high):
            pieces.append(Piece(low, high, job.section[low]))
        else:
            pieces += job.cut(low, high, _BY_RANK)
    return _joined(job, pieces)


def _region_starts(job: Job) -> list[int]:
    """Places at which a heading of a splitting level starts, a heading with nothing under it before it included."""
    marks = job.marks
    levels = np.fromiter((section.level for section in job.document.sections), np.int32, len(job.document.sections))
    opener = np.arange(len(levels))
    for number in (np.flatnonzero(marks.bare) + 1).tolist():
        opener[number] = opener[number - 1]
    splits = np.isin(levels, job.config.heading_levels)
    return np.unique(np.concatenate(([0], marks.section_first[opener[splits]]))).tolist()  # type: ignore[no-any-return]


def _joined(job: Job, pieces: list[Piece]) -> list[Piece]:
    """Let each small chunk join the one before it under the same parent heading, where both fit; their section is the parent's."""
    if not job.config.min_amount:
        return pieces
    joined: list[Piece] = []
    for piece in pieces:
        section = _shared_section(job, joined[-1], piece) if joined and job.is_small(piece) else None
        if section is not None and job.fits(joined[-1].first, piece.after, section):
            joined[-1] = Piece(joined[-1].first, piece.after, section, joined[-1].overlap)
        else:
            joined.append(piece)
    return joined


def _shared_section(job: Job, before: Piece, piece: Piece) -> int | None:
    """The section that a small chunk and the one before it would stand in together, if they may."""
    if before.alone or piece.alone or before.after < piece.new:
        return None
    if before.section == piece.section:
        return before.section
    parent = job.parents[piece.section]
    return parent if parent >= 0 and parent in (before.section, job.parents[before.section]) else None


def _flat(manner: Manner) -> Callable[[Job], list[Piece]]:
    """A strategy that is blind to headings."""

    def cut(job: Job) -> list[Piece]:
        return [piece for low, high in _without(job.marks.left_out, [(0, len(job.marks) - 1)]) for piece in job.cut(low, high, manner)]

    return cut


def whole_document(job: Job) -> list[Piece]:
    """The last step of the fallback: one chunk."""
    return [Piece(low, high, job.section[low]) for low, high in _without(job.marks.left_out, [(0, len(job.marks) - 1)])]


def _without(left_out: list[tuple[int, int]], regions: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
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
