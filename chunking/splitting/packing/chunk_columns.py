"""Chunks as places in a document, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

__all__ = ["ChunkColumns"]


@dataclass(slots=True)
class ChunkColumns:
    """n chunks in order. Columns of ints, because tens of thousands of them are made at every move of a slider."""

    first: list[int] = field(default_factory=list)
    """Place at which each begins."""
    after: list[int] = field(default_factory=list)
    """Place at which it has ended."""
    section: list[int] = field(default_factory=list)
    """Section whose prefix it bears."""
    shared: list[int] = field(default_factory=list)
    """Places it shares with the piece before: its overlap."""
    table: list[int] = field(default_factory=list)
    """Index into `Keeps` of the table whose header row stands in its prefix; -1 for none."""
    unit: list[int] = field(default_factory=list)
    """Index into `Keeps` of the block that stands by itself and that this is, or is a part of: nothing may join it; -1
    for text.
    """

    def __len__(self) -> int:
        return len(self.first)

    def add(self, first: int, after: int, section: int, *, unit: int = -1) -> None:
        """Add one without overlap."""
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
        """Add some, given where the new text of each begins."""
        self.first += first
        self.after += after
        self.section += section
        self.shared += map(int.__sub__, new, first)
        self.table += tables or [-1] * len(first)
        self.unit += [unit] * len(first)

    def without(self, gone: Sequence[bool]) -> ChunkColumns:
        """Those that are not gone."""
        kept = [not one for one in gone]
        columns = (self.first, self.after, self.section, self.shared, self.table, self.unit)
        return ChunkColumns(*(list(compress(column, kept)) for column in columns))
