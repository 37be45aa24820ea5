"""The levels of a document that are made of its text: chunks, parents over them, larger sizes over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from chunking.model import Chunk

__all__ = ["Levels"]


@dataclass(frozen=True, slots=True)
class Levels:
    """All of one configuration. Each level by itself keeps laws 1 to 3, and all but parents law 4."""

    chunks: list[Chunk]
    """With `parent_id` and `larger_ids`."""
    parents: list[Chunk]
    """Whole neighbouring chunks of a section; empty where `parent_size` is 0."""
    larger: Mapping[int, list[Chunk]] = field(default_factory=dict)
    """By multiple of the size."""
    warnings: tuple[str, ...] = ()
    """Sentences: where the strategy failed and a simpler one was used, what a splitter gave that could not be followed.
    """

    def __iter__(self) -> Iterator[Chunk]:
        """Every row, level by level."""
        yield from self.chunks
        yield from self.parents
        for some in self.larger.values():
            yield from some
