"""The table of strategies: each a row, and a function from a measured document to the places of its chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from chunking.config import Strategy
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.size_and_overlap import Manner
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.custom_strategy import custom_chunks
from chunking.splitting.strategies.layout_strategy import elements, pages
from chunking.splitting.strategies.semantic_strategy import semantic
from chunking.splitting.strategies.split_at_places import joined, split_regions

__all__ = ["STRATEGIES", "StrategyRow"]

_BLIND = Manner((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.5)
_SENTENCES = Manner((Rank.SENTENCE, Rank.WORD, Rank.INSIDE), 0.0)
_WINDOW = Manner((Rank.INSIDE,), 0.0)


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A way to cut a document."""

    name: Strategy
    description: str
    cut: Callable[[SplitInputs], ChunkColumns]
    simpler: Strategy | None
    """What is tried when it fails; None: the document becomes one chunk."""
    good_for: str
    """Which texts it suits, as the end of a sentence."""
    cost: str = "none"
    """What a user feels of it: time, space, requests."""
    settings: tuple[str, ...] = ()
    """Names of settings that say nothing with a strategy without them."""
    sized: bool = True
    """The size decides where chunks end."""
    at_headings: bool = False
    """A heading that splits ends a chunk."""


def _structure(inputs: SplitInputs) -> ChunkColumns:
    """By sections; what is too long for a chunk by blocks, sentences, words; what is too short joins its neighbour."""
    return joined(inputs, split_regions(inputs, pairwise([*inputs.region_starts, len(inputs.marks) - 1])))


def _flat(manner: Manner) -> Callable[[SplitInputs], ChunkColumns]:
    """A strategy that is blind to headings."""

    def cut(inputs: SplitInputs) -> ChunkColumns:
        return split_regions(inputs, [(0, len(inputs.marks) - 1)], manner)

    return cut


STRATEGIES: dict[Strategy, StrategyRow] = {
    row.name: row
    for row in (
        StrategyRow(
            Strategy.STRUCTURE,
            (
                "By sections, then blocks, sentences and words; a small section joins the one before under the "
                "same heading."
            ),
            _structure,
            Strategy.RECURSIVE,
            good_for="texts with headings, lists, tables or code",
            at_headings=True,
        ),
        StrategyRow(
            Strategy.RECURSIVE,
            "By blank lines, then lines, sentences and words, blind to headings.",
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
            "A window of the full size, wherever it ends.",
            _flat(_WINDOW),
            None,
            good_for="comparisons only: it splits inside sentences",
        ),
        StrategyRow(
            Strategy.SEMANTIC,
            "By sections, then where the meaning of neighbouring sentences changes most.",
            semantic,
            Strategy.STRUCTURE,
            good_for="long prose without headings",
            cost="every document passes through the model once, on this page too",
            settings=("semantic_share",),
            at_headings=True,
        ),
        StrategyRow(
            Strategy.PAGE,
            "A page, slide or sheet each.",
            pages,
            Strategy.STRUCTURE,
            good_for="slides and scans, where each page stands for itself",
            sized=False,
        ),
        StrategyRow(
            Strategy.ELEMENTS,
            "Every element as the parser found it.",
            elements,
            Strategy.STRUCTURE,
            good_for="seeing what the parser found, element by element",
            cost="many small chunks",
            sized=False,
        ),
        StrategyRow(
            Strategy.CUSTOM,
            "By a splitter of your own.",
            custom_chunks,
            Strategy.STRUCTURE,
            good_for="rules only you know, or another package's splitter as a baseline",
            cost="whatever that splitter needs",
            settings=("splitter",),
        ),
    )
}
