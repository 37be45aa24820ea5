"""What results cost: the tokens of the hits themselves, and those of the context that a language model is sent for them.

Everything that tells or compares a cost counts it here: the context of a search, and the runs of an evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chunking.retrieval.context import assemble
from chunking.retrieval.results import Context, Result

if TYPE_CHECKING:
    from chunking.retrieval.context import Counter

__all__ = ["Cost", "cost_of", "costs"]


class Cost(NamedTuple):
    """Of some results, in tokens of the embedding model's tokenizer."""

    hits: int
    """Of the results alone: prefix and content of each, as they are embedded."""
    context: int
    """Of the context that is sent: the results with their neighbours and citations, what they share once, within the budget."""


def cost_of(results: Sequence[Result], context: Context) -> Cost:
    """Of all results of a search, whose context is known."""
    return Cost(sum(result.chunk.token_count for result in results), context.tokens)


def costs(results: Sequence[Result], budget: int, counter: Counter) -> tuple[Cost, ...]:
    """Of the first result, of the first two, and so on: `costs(...)[k - 1]` is what a search for `k` results costs.

    Args:
        results: best first.
        budget: most tokens of the context; 0: no limit.
        counter: of the embedding model's tokenizer. Each different text is counted once.
    """
    once = _CountedOnce(counter)
    first = (results[:count] for count in range(1, len(results) + 1))
    return tuple(cost_of(some, assemble(some, budget, once)) for some in first)


class _CountedOnce:
    """A counter that remembers: the contexts of two and of three results share most of their texts."""

    def __init__(self, counter: Counter) -> None:
        self.crosses_space = counter.crosses_space
        self._counter = counter
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of a text."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._counter.count(text)
        return known

    def count_each(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts),) int32, tokens of each."""
        return np.array([self.count(text) for text in texts], np.int32)
