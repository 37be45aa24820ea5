"""Result tables of benchmarks as Markdown, with targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import fill

__all__ = ["Row", "Table"]

_COLUMNS = 118
"""Width of a note, which ends with two spaces."""


@dataclass(frozen=True, slots=True)
class Row:
    """Measurement: a ratio, a share or a count, never bare seconds."""

    what: str
    ours: str
    """Our figure with its unit, such as `1.4 s`, for a sense of scale."""
    against: str
    """Reference with its figure; empty for a count."""
    result: str
    """Ratio, share or count."""
    target: str = ""
    """Target; empty for none."""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Measurements of one benchmark run."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default=())

    def markdown(self) -> str:
        """Return the table as Markdown."""
        marks = {True: "✓", False: "✗", None: ""}
        lines = [f"**{self.title}**", "", "| what | ours | against | result | target | |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {row.ours} | {row.against} | {row.result} | {row.target} | {marks[row.met]} |"
            for row in self.rows
        ]
        return "\n".join([*lines, *("" for _ in self.notes[:1]), *(f"{fill(note, _COLUMNS)}  " for note in self.notes)])
