"""What results cost: the tokens of the hits themselves, and those of the context that a language model is sent for
them.

Everything that tells or compares a cost counts it here: the context of a search, and the runs of an evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from chunking.retrieval.context.context import KnownPassages, assemble
from chunking.retrieval.results.search_result import Cost, Result

if TYPE_CHECKING:
    from chunking.retrieval.context.context import Counter

__all__ = ["costs", "hit_tokens"]


def hit_tokens(result: Result, counter: Counter) -> int:
    """Tokens of a result's prefix and content: what it is, not what is embedded of it (`Chunk.token_count`)."""
    return counter.count(result.chunk.counted_text)


def costs(results: Sequence[Result], budget: int, counter: Counter) -> tuple[Cost, ...]:
    """Of the first result, of the first two, and so on: `costs(...)[k - 1]` is what a search for `k` results costs.

    Args:
        results: best first.
        budget: most tokens of the context; 0: no limit.
        counter: of the embedding model's tokenizer. Each different text is counted once, and a document's passages are
            made anew only
            where one more of its results counts.
    """
    once, known = _CountedOnce(counter), KnownPassages()
    first = (results[:count] for count in range(1, len(results) + 1))
    hits = accumulate(hit_tokens(result, once) for result in results)
    return tuple(
        Cost(tokens, assemble(some, budget, once, known).tokens) for tokens, some in zip(hits, first, strict=True)
    )


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
