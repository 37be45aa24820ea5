"""How a benchmark says what it measured: a table with a target and whether it was met, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Row", "Table"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: always a ratio, a share or a count, never bare seconds."""

    what: str
    ours: str
    """Our figure with its unit, such as `1.4 s` (for the reader's sense of scale only)."""
    against: str
    """What it is compared with, and that figure; empty for a count."""
    result: str
    """The ratio, share or count that is claimed."""
    target: str = ""
    """What the issue asks for; empty where nothing is asked."""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Everything one benchmark measured in one run."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default=())

    def markdown(self) -> str:
        """The table as the documentation shows it."""
        marks = {True: "✓", False: "✗", None: ""}
        lines = [f"**{self.title}**", "", "| what | ours | against | result | target | |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {row.ours} | {row.against} | {row.result} | {row.target} | {marks[row.met]} |"
            for row in self.rows
        ]
        return "\n".join([*lines, *("" for _ in self.notes[:1]), *(f"{note}  " for note in self.notes)])
