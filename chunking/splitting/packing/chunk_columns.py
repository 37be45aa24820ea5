"""Chunks as places in a document, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

__all__ = ["ChunkColumns"]


@dataclass(slots=True)
class ChunkColumns:
    """n chunks in order, as columns of ints: tens of thousands are made at every move of a slider."""

    first: list[int] = field(default_factory=list)
    """Place at which each begins."""
    after: list[int] = field(default_factory=list)
    """Place at which it has ended."""
    section: list[int] = field(default_factory=list)
    """Section of its prefix."""
    shared: list[int] = field(default_factory=list)
    """Places of overlap with the chunk before."""
    table: list[int] = field(default_factory=list)
    """Index into `Keeps` of the table whose header row is in its prefix; -1 for none."""
    unit: list[int] = field(default_factory=list)
    """Index into `Keeps` of the block that it is, or is part of, alone: nothing may join it; -1 for text."""

    def __len__(self) -> int:
        return len(self.first)

    def add(self, first: int, after: int, section: int, *, unit: int = -1) -> None:
        """Add a chunk without overlap."""
        self.first.append(first)
        self.after.append(after)
        self.section.append(section)
        self.shared.append(0)
        self.table.append(-1)
        self.unit.append(unit)

    def extend(
        self,
        first: list[int],
        after: list[int],
        new: list[int],
        section: Sequence[int],
        *,
        tables: list[int] | None = None,
        unit: int = -1,
    ) -> None:
        """Add chunks.

        Args:
            new: places at which the text of each begins that the one before does not have.
        """
        self.first += first
        self.after += after
        self.section += section
        self.shared += map(int.__sub__, new, first)
        self.table += tables or [-1] * len(first)
        self.unit += [unit] * len(first)

    def where(self, mask: Sequence[bool]) -> ChunkColumns:
        """The chunks whose mask is true."""
        columns = (self.first, self.after, self.section, self.shared, self.table, self.unit)
        return ChunkColumns(*(list(compress(column, mask)) for column in columns))
