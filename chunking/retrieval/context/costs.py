"""Cost of results in tokens: of the hits alone, and of the context sent to a language model.

Searches and evaluation runs both count here, so that their costs compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from chunking.retrieval.context.context import PassageCache, assemble
from chunking.retrieval.results.search_result import Cost, Result

if TYPE_CHECKING:
    from chunking.retrieval.context.context import Counter

__all__ = ["costs", "hit_tokens"]


def hit_tokens(result: Result, counter: Counter) -> int:
    """Tokens of a result's prefix and content; `Chunk.token_count` counts what is embedded."""
    return counter.count(result.chunk.counted_text)


def costs(results: Sequence[Result], budget: int, counter: Counter) -> tuple[Cost, ...]:
    """Cost of the first result, the first two, and so on: item k - 1 is that of `k` results.

    Args:
        results: best first.
        budget: most tokens of the context; 0: no limit.
        counter: of the embedding model's tokenizer; each different text is counted once.
    """
    once, passages = _CountedOnce(counter), PassageCache()
    first = (results[:count] for count in range(1, len(results) + 1))
    hits = accumulate(hit_tokens(result, once) for result in results)
    return tuple(
        Cost(tokens, assemble(some, budget, once, passages).tokens) for tokens, some in zip(hits, first, strict=True)
    )


class _CountedOnce:
    """A caching counter: the contexts of two and of three results share most of their texts."""

    def __init__(self, counter: Counter) -> None:
        self.crosses_space = counter.crosses_space
        self._counter = counter
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of a text."""
        tokens = self._counts.get(text)
        if tokens is None:
            tokens = self._counts[text] = self._counter.count(text)
        return tokens

    def count_each(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts),) int32, tokens of each."""
        return np.array([self.count(text) for text in texts], np.int32)
