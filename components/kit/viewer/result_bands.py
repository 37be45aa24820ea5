"""Results as bands over a document's text. Bands do not nest: of two nested results, one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from chunking.viewing.messages import Bands

__all__ = ["is_nested", "result_bands"]


class _Range(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


class _CountedRange(_Range, Protocol):
    @property
    def tokens(self) -> int: ...


def is_nested(one: _Range, other: _Range) -> bool:
    """Whether one of two ranges of a text contains the other."""
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def result_bands(results: Sequence[tuple[int, _CountedRange]], *, labelled: bool) -> Bands:
    """Bands with the ranks of results, without those nested in a better one.

    Args:
        results: (rank, result) of one document, best first.
        labelled: write ranks into the text too.
    """
    apart: list[tuple[int, _CountedRange]] = []
    for rank, one in results:
        if not any(is_nested(one, other) for _, other in apart):
            apart.append((rank, one))
    apart.sort(key=lambda row: (row[1].start, row[1].end))
    tokens, nothing = _ints([one.tokens for _, one in apart]), np.zeros(len(apart), np.int32)
    return Bands(
        starts=_ints([one.start for _, one in apart]),
        ends=_ints([one.end for _, one in apart]),
        numbers=_ints([rank for rank, _ in apart]),
        sections=nothing - 1,
        tokens=tokens,
        prefix_tokens=nothing,
        embedded_tokens=tokens,
        sizes=tokens,
        flags=nothing,
        prefixes=("",) * len(apart),
        labels=tuple(f"#{rank}" if labelled else "" for rank, _ in apart),
        noun="Result",
    )


def _ints(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)
