"""Which kind of block fills most of a chunk: a few lookups for all chunks at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunking.model import Block, BlockType

__all__ = ["Filling"]

Ints = NDArray[np.int32]

_TYPES = tuple(BlockType)
_NAMES = np.array([str(kind) for kind in _TYPES], dtype=object)
_OTHERWISE = _TYPES.index(BlockType.PARAGRAPH)


class Filling:
    """The blocks of a document with running sums of how much text each kind takes."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._begin = np.array([block.start for block in blocks], np.int32)
        self._finish = np.array([block.end for block in blocks], np.int32)
        codes = {kind: code for code, kind in enumerate(_TYPES)}
        self._kind = np.array([codes[block.type] for block in blocks], np.int32)
        lengths = np.zeros((len(_TYPES), len(blocks) + 1), np.int32)
        lengths[self._kind, np.arange(1, len(blocks) + 1)] = self._finish - self._begin
        self._running = np.cumsum(lengths, axis=1, dtype=np.int32)

    def types(self, starts: Ints, ends: Ints) -> list[str]:
        """The type of the block that fills most of each chunk; `paragraph` where there is none.

        Args:
            starts, ends: (n,) offsets.
        """
        if not len(self._kind):
            return [str(BlockType.PARAGRAPH)] * len(starts)
        filled = self._before(ends) - self._before(starts)
        best = filled.argmax(axis=0)
        best[filled.max(axis=0, initial=0) <= 0] = _OTHERWISE
        names: list[str] = _NAMES[best].tolist()
        return names

    def _before(self, offsets: Ints) -> Ints:
        """(types, n) characters of each kind of block before each offset."""
        opened = np.searchsorted(self._begin, offsets)  # blocks that start before it
        last = np.maximum(opened - 1, 0)
        beyond = np.where(opened > 0, np.maximum(self._finish[last] - offsets, 0), 0)
        before: Ints = self._running[:, opened]
        before[self._kind[last], np.arange(len(offsets))] -= beyond
        return before
