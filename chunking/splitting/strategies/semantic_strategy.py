"""Semantic strategy: chunks end where the meaning of neighbouring sentences changes most.

A break is wherever the distance between the text before and after a sentence start is over a percentile of all such
distances of the document (Greg Kamradt, "5 Levels of Text Splitting", 2024, level 4). Unlike there, a heading that
splits always breaks, since the author announces a new subject, and stretches that are still too long are cut again at
their largest distances.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.measured_document import MeasuredDocument
from chunking.splitting.packing.size_and_overlap import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs, join_small_chunks, split_at
from chunking.splitting.strategies.splitter_contract import CannotSplitError

__all__ = ["semantic_chunks"]

Ints = NDArray[np.int32]

_MIDDLE = 0.25
"""Share of a stretch at each end that is not cut if a sentence starts between: no slivers."""
_COMPARED = 2
"""Sentences compared on each side of a place: one alone says too little."""
_DIGITS = 4
"""Digits of a distance: finer differences depend on the processor."""


def semantic_chunks(inputs: SplitInputs) -> ChunkColumns:
    """Cut at headings, then where meaning changes; small chunks join the one before."""
    at, distances = inputs.measured.memo.of("distances of sentences", lambda: _distances(inputs.measured))
    regions = np.array(inputs.region_starts, np.int32)
    inside = ~np.isin(at, regions)
    inside[:1] = False
    least = np.percentile(distances[inside], inputs.config.semantic_share) if inside.any() else np.inf
    breaks = np.union1d(regions, at[inside & (distances > least)])
    edges = [*breaks.tolist(), len(inputs.marks) - 1]
    further = [place for low, high in pairwise(edges) for place in _further_cuts(inputs, low, high, at, distances)]
    return join_small_chunks(inputs, split_at(inputs, [*edges[:-1], *further]))


def _further_cuts(inputs: SplitInputs, low: int, high: int, at: Ints, distances: NDArray[np.float32]) -> list[int]:
    """Cut a stretch that is too long at the largest distance in its middle, then its parts."""
    cuts: list[int] = []
    waiting = [(low, high)]
    while waiting:
        low, high = waiting.pop()
        section = inputs.survey.section[low]
        first, after = np.searchsorted(at, np.array([low + 1, high], np.int32)).tolist()
        if first == after or inputs.fits(low, high, section):
            continue
        before = inputs.survey.ruler.ends[at[first:after]] - inputs.survey.starts[low]
        share = before / (inputs.survey.ends[high] - inputs.survey.starts[low])
        middle = (share >= _MIDDLE) & (share <= 1 - _MIDDLE)
        best = int(at[first + np.argmax(np.where(middle | ~middle.any(), distances[first:after], -1))])
        cuts.append(best)
        waiting += [(low, best), (best, high)]
    return cuts


def _distances(measured: MeasuredDocument) -> tuple[Ints, NDArray[np.float32]]:
    """Return the places at which sentences start, and the distance between the text before and after each.

    Distance is 1 less the cosine of two sentences on each side, as blocks are compared in TextTiling (Hearst 1997);
    0 for the first. Sentences joined with both their neighbours, as in Kamradt's notebook, share most of their text,
    and breaks came a sentence too early.

    Raises:
        CannotSplitError: there is no model.
    """
    if measured.sentences is None:
        raise CannotSplitError("no model is available for its sentences")
    at = _sentence_places(measured.marks)
    starts, ends = measured.marks.places.at[at], _sentence_ends(measured.marks, at)
    n = len(starts)
    distances = np.zeros(n, np.float32)
    if n > 1:
        number = np.arange(1, n)
        first = np.concatenate((np.maximum(number - _COMPARED, 0), number))
        last = np.concatenate((number - 1, np.minimum(number + _COMPARED - 1, n - 1)))
        before, after = np.split(measured.sentences(measured.document, starts[first], ends[last]), 2)
        distances[1:] = 1 - np.einsum("ij,ij->i", before, after)
    return at, np.round(distances, _DIGITS)


def _sentence_places(marks: CutMarks) -> Ints:
    """Return the first place, and those at which a sentence starts outside of headings and left-out spans."""
    sentence = marks.rank[:-1] >= Rank.SENTENCE
    sentence[:1] = True
    at: Ints = np.flatnonzero(sentence).astype(np.int32)
    for first, after in marks.left_out:
        at = at[(at < first) | (at >= after)]
    return at


def _sentence_ends(marks: CutMarks, at: Ints) -> Ints:
    """Return the end of each sentence: at the next one, or before a left-out span."""
    after = np.append(at[1:], len(marks) - 1).astype(np.int32)
    for first, _ in marks.left_out:
        after = np.where((at < first) & (after > first), np.int32(first), after)
    return marks.places.stop[after]
