"""The table of strategies, a row each, with the function that cuts a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunking.config import Strategy
from chunking.model import Block, Location
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import CutPreference
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.custom_strategy import custom_chunks
from chunking.splitting.strategies.semantic_strategy import semantic_chunks
from chunking.splitting.strategies.split_at_places import join_small_chunks, split_at, split_regions
from chunking.splitting.strategies.splitter_contract import CannotSplitError

__all__ = ["STRATEGIES", "StrategyRow"]

_BLIND = CutPreference((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_SENTENCES = CutPreference((Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_WINDOW = CutPreference((Rank.INSIDE,), 0.0)


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A way to cut a document."""

    name: Strategy
    description: str
    cut: Callable[[SplitInputs], ChunkColumns]
    simpler: Strategy | None
    """Its fallback; None: the document becomes one chunk."""
    good_for: str
    """The texts that it suits, as the end of a sentence."""
    cost: str = "none"
    """Its cost to a user: time, space, requests."""
    settings: tuple[str, ...] = ()
    """Names of settings that only this strategy reads."""
    sized: bool = True
    """The size decides where chunks end."""
    at_headings: bool = False
    """A heading that splits ends a chunk."""


def _structure(inputs: SplitInputs) -> ChunkColumns:
    """By sections, then blocks, sentences and words; small chunks join their neighbour."""
    return join_small_chunks(inputs, split_regions(inputs, pairwise([*inputs.region_starts, len(inputs.marks) - 1])))


def _flat(preference: CutPreference) -> Callable[[SplitInputs], ChunkColumns]:
    """A strategy that ignores headings."""

    def cut(inputs: SplitInputs) -> ChunkColumns:
        return split_regions(inputs, [(0, len(inputs.marks) - 1)], preference)

    return cut


def _pages(inputs: SplitInputs) -> ChunkColumns:
    """One chunk a page, slide or sheet, cut further if it is too long; a whole block is on its first page."""
    places = inputs.document.locations
    if not places:
        raise CannotSplitError("it has no pages")
    return split_at(
        inputs,
        _places(inputs, [one for number, one in enumerate(places) if number and one.page != places[number - 1].page]),
    )


def _elements(inputs: SplitInputs) -> ChunkColumns:
    """One chunk for each box on a page, else for each block; cut further if it is too long."""
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
                "By sections, then blocks, sentences and words; a small section joins the previous one under the same "
                "heading."
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
            "Windows of the full size, regardless of the text.",
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
