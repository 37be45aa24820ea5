"""Chunks as places in a document, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

__all__ = ["Pieces"]


@dataclass(slots=True)
class Pieces:
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
    alone: list[bool] = field(default_factory=list)
    """A block that stands by itself, or a part of one: nothing may join it."""

    def __len__(self) -> int:
        return len(self.first)

    def add(self, first: int, after: int, section: int, *, alone: bool = False) -> None:
        """Add one without overlap."""
        self.first.append(first)
        self.after.append(after)
        self.section.append(section)
        self.shared.append(0)
        self.table.append(-1)
        self.alone.append(alone)

    def extend(
        self,
        first: list[int],
        after: list[int],
        new: list[int],
        section: Sequence[int],
        *,
        tables: list[int] | None = None,
        alone: bool = False,
    ) -> None:
        """Add some, given where the new text of each begins."""
        self.first += first
        self.after += after
        self.section += section
        self.shared += map(int.__sub__, new, first)
        self.table += tables or [-1] * len(first)
        self.alone += [alone] * len(first)

    def without(self, gone: Sequence[bool]) -> Pieces:
        """Those that are not gone."""
        kept = [not one for one in gone]
        columns = (self.first, self.after, self.section, self.shared, self.table, self.alone)
        first, after, section, shared, table, alone = (list(compress(column, kept)) for column in columns)
        return Pieces(first, after, section, shared, table, [bool(one) for one in alone])
