"""Table of strategies, one row each, and the fallbacks of a strategy that fails.

The chunks of a custom splitter are made to keep the laws: text that it leaves out is added to the previous chunk, a
chunk that begins or ends before its predecessor does is skipped, one that is too long is cut further, and unbroken
blocks stay in one piece. If a strategy fails, a simpler one is run: no text is lost, and a warning says why.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import Strategy, Unit
from chunking.errors import Cancelled, ChunkscopeError
from chunking.model import Block, Location, Span
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.measured_document import MeasuredDocument
from chunking.splitting.packing.size_and_overlap import ChunkColumns, CutPreference
from chunking.splitting.packing.split_inputs import (
    SplitInputs,
    join_small_chunks,
    split_at,
    split_regions,
    without_left_out,
)
from chunking.splitting.strategies.custom_splitters import split_with
from chunking.splitting.strategies.foreign_splitters import FOREIGN
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths, located

__all__ = ["STRATEGIES", "WHOLE_DOCUMENT", "StrategyResult", "StrategyRow", "run_strategy"]

Ints = NDArray[np.int32]

WHOLE_DOCUMENT = "whole document"
"""Name of the last fallback: one chunk."""
_BLIND = CutPreference((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_SENTENCES = CutPreference((Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_WINDOW = CutPreference((Rank.INSIDE,), 0.0)
_MIDDLE = 0.25
"""Share of a stretch at each end that is not cut if a sentence starts between: no slivers."""
_COMPARED = 2
"""Sentences compared on each side of a place: one alone says too little."""
_DIGITS = 4
"""Digits of a distance: finer differences depend on the processor."""

_log = logging.getLogger(__name__)

# -- semantic: chunks end where the meaning of neighbouring sentences changes most


def semantic_chunks(inputs: SplitInputs) -> ChunkColumns:
    """Cut at headings, then where meaning changes; small chunks join the one before.

    A break is wherever the distance between the text before and after a sentence start is over a percentile of all such
    distances of the document (Greg Kamradt, "5 Levels of Text Splitting", 2024, level 4). Unlike there, a heading that
    splits always breaks, since the author announces a new subject, and stretches that are still too long are cut again
    at their largest distances.

    Raises:
        CannotSplitError: there is no model for the sentences.
    """
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


# -- custom splitters


def custom_chunks(inputs: SplitInputs) -> ChunkColumns:
    """Cut where the chunks of the configured splitter begin, with their overlap if it fits.

    Raises:
        CannotSplitError: it gave no chunk, or one that is not in the text.
    """
    results = _splitter_spans(inputs)
    if not results:
        raise CannotSplitError(f"the splitter '{inputs.config.splitter}' gave no chunk")
    spans = list(_ascending(results))
    starts, ends = ([getattr(span, edge) for span in spans] for edge in ("start", "end"))
    first, after = inputs.marks.places_of(starts).tolist(), inputs.marks.places_of(ends).tolist()
    new = [max(begin, end) for begin, end in zip(first, [0, *after], strict=False)]
    if len(spans) < len(results):
        inputs.notes.append(_skip_warning(inputs, len(results) - len(spans)))
    return _with_overlap(inputs, split_at(inputs, new), dict(zip(new, first, strict=True)))


def _splitter_spans(inputs: SplitInputs) -> list[Span]:
    """Return the chunks of the configured splitter; only a foreign one runs again for other lengths."""
    name, lengths, document = inputs.config.splitter, _lengths(inputs), inputs.measured.document
    key = (name, lengths.size, lengths.overlap) if name in FOREIGN else (name, 0, 0)
    return inputs.measured.memo.of(key, lambda: located(document.text, split_with(name, document, lengths)))


def _lengths(inputs: SplitInputs) -> Lengths:
    """Return lengths for which every section has room with its prefix."""
    size = max(min(inputs.rooms), 1)
    count = inputs.measured.counter.count if inputs.config.unit is Unit.TOKENS else len
    return Lengths(size, min(inputs.config.overlap_amount, size - 1), count)


def _skip_warning(inputs: SplitInputs, number: int) -> str:
    which = "1 chunk that goes" if number == 1 else f"{number:,} chunks that go"
    return (
        f"The splitter {inputs.config.splitter} gave {which} back in {inputs.document.source}; that text is in the "
        f"chunk before."
    )


def _ascending(spans: list[Span]) -> Iterator[Span]:
    """Yield the spans that begin and end after the previous one (law 3)."""
    before = Span(-1, -1)
    for span in spans:
        if span.start > before.start and span.end > before.end:
            yield span
            before = span


def _with_overlap(inputs: SplitInputs, pieces: ChunkColumns, firsts: dict[int, int]) -> ChunkColumns:
    """Let each chunk overlap the previous one as in the splitter's result, if it still fits."""
    for number in range(1, len(pieces)):
        new = pieces.first[number] + pieces.shared[number]
        first = firsts.get(new, new)
        may_overlap = (
            pieces.after[number - 1] == new not in inputs.splits
            and pieces.unit[number - 1] < 0
            and pieces.unit[number] < 0
        )
        section = pieces.section[number]
        if may_overlap and pieces.first[number - 1] < first < new and inputs.fits(first, pieces.after[number], section):
            first = max(inputs.after_block(first), pieces.first[number - 1] + 1)
            pieces.first[number], pieces.shared[number] = min(first, new), new - min(first, new)
    return pieces


# -- the table


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A splitting strategy: its function, its fallback, its settings and texts about it."""

    name: Strategy
    description: str
    cut: Callable[[SplitInputs], ChunkColumns]
    simpler: Strategy | None
    """Fallback strategy; None: the document becomes one chunk."""
    good_for: str
    """Suitable texts, as the end of a sentence."""
    cost: str = "none"
    """Cost that a user notices: time, space, requests."""
    settings: tuple[str, ...] = ()
    """Names of settings that only this strategy reads."""
    sized: bool = True
    """True if the size decides where chunks end."""
    at_headings: bool = False
    """True if a heading that splits ends a chunk."""


def _structure(inputs: SplitInputs) -> ChunkColumns:
    """Cut by sections, then blocks, sentences and words; small chunks join their neighbour."""
    return join_small_chunks(inputs, split_regions(inputs, pairwise([*inputs.region_starts, len(inputs.marks) - 1])))


def _flat(preference: CutPreference) -> Callable[[SplitInputs], ChunkColumns]:
    """Return a strategy that ignores headings."""

    def cut(inputs: SplitInputs) -> ChunkColumns:
        return split_regions(inputs, [(0, len(inputs.marks) - 1)], preference)

    return cut


def _pages(inputs: SplitInputs) -> ChunkColumns:
    """Make one chunk per page, slide or sheet, cut further if too long; a block belongs to its first page."""
    places = inputs.document.locations
    if not places:
        raise CannotSplitError("it has no pages")
    return split_at(
        inputs,
        _places(inputs, [one for number, one in enumerate(places) if number and one.page != places[number - 1].page]),
    )


def _elements(inputs: SplitInputs) -> ChunkColumns:
    """Make one chunk per box on a page, else per block; cut further if too long."""
    boxed = [place for place in inputs.document.locations if place.bbox is not None]
    return split_at(inputs, _places(inputs, boxed or inputs.document.blocks))


def _places(inputs: SplitInputs, spans: Sequence[Location | Block]) -> list[int]:
    places: list[int] = inputs.marks.places_of([span.start for span in spans]).tolist()
    return places


STRATEGIES: dict[Strategy, StrategyRow] = {
    row.name: row
    for row in (
        StrategyRow(
            Strategy.STRUCTURE,
            (
                "By sections, then blocks, sentences and words; a small section joins the previous one under "
                "the same heading."
            ),
            _structure,
            Strategy.RECURSIVE,
            good_for="texts with headings, lists, tables or code",
            at_headings=True,
        ),
        StrategyRow(
            Strategy.RECURSIVE,
            "By blank lines, then lines, sentences and words, ignoring headings.",
            _flat(_BLIND),
            Strategy.FIXED,
            good_for="plain text; the usual default elsewhere, as a baseline",
        ),
        StrategyRow(
            Strategy.SENTENCE,
            "Whole sentences, as many as fit.",
            _flat(_SENTENCES),
            Strategy.FIXED,
            good_for="running prose",
        ),
        StrategyRow(
            Strategy.FIXED,
            "Windows of the full size, regardless of sentence boundaries.",
            _flat(_WINDOW),
            None,
            good_for="comparisons only: it splits inside sentences",
        ),
        StrategyRow(
            Strategy.SEMANTIC,
            "By sections, then where the meaning of neighbouring sentences changes most.",
            semantic_chunks,
            Strategy.STRUCTURE,
            good_for="long prose without headings",
            cost="every document passes through the model once, on this page too",
            settings=("semantic_share",),
            at_headings=True,
        ),
        StrategyRow(
            Strategy.PAGE,
            "One per page, slide or sheet.",
            _pages,
            Strategy.STRUCTURE,
            good_for="slides and scans, where each page is self-contained",
            sized=False,
        ),
        StrategyRow(
            Strategy.ELEMENTS,
            "Every element as parsed.",
            _elements,
            Strategy.STRUCTURE,
            good_for="seeing the parse, element by element",
            cost="many small chunks",
            sized=False,
        ),
        StrategyRow(
            Strategy.CUSTOM,
            "By your own splitter.",
            custom_chunks,
            Strategy.STRUCTURE,
            good_for="rules only you know, or another package's splitter as a baseline",
            cost="depends on that splitter",
            settings=("splitter",),
        ),
    )
}


class StrategyResult(NamedTuple):
    """Chunks by numbers of allowed cuts, the strategy that made them, and warnings."""

    pieces: ChunkColumns
    strategy: str
    """Value of the strategy that made them, or `WHOLE_DOCUMENT`."""
    warnings: tuple[str, ...]


def run_strategy(inputs: SplitInputs) -> StrategyResult:
    """Cut a document with the configured strategy, falling back to simpler ones and at last to one chunk."""
    warnings: list[str] = []
    strategy: Strategy | None = inputs.config.strategy
    while strategy is not None:
        row = STRATEGIES[strategy]
        try:
            return StrategyResult(row.cut(inputs), strategy.value, (*warnings, *inputs.notes))
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a strategy raises, the document is not lost (C8)
            inputs.notes.clear()
            source = inputs.document.source
            if not isinstance(error, ChunkscopeError):
                _log.exception("The strategy %s failed on %s", strategy.value, source)
            substitute = row.simpler.value if row.simpler else "one chunk"
            warnings.append(
                f"The strategy {strategy.value} failed on {source} ({_cause(error)}); {substitute} was used instead."
            )
            strategy = row.simpler
    return StrategyResult(_one_chunk(inputs), WHOLE_DOCUMENT, tuple(warnings))


def _cause(error: Exception) -> str:
    if isinstance(error, ChunkscopeError):
        return str(error).rstrip(".")
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _one_chunk(inputs: SplitInputs) -> ChunkColumns:
    pieces = ChunkColumns()
    for low, high in without_left_out(inputs, [(0, len(inputs.marks) - 1)]):
        pieces.add(low, high, inputs.survey.section[low])
    return pieces
