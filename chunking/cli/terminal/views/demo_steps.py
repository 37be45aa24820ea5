"""View of the demo's steps, each drawn as it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chunking.cli.terminal.look import TerminalLook, TerminalStyle, share_bar
from chunking.cli.terminal.tables import TableColumn, table
from chunking.cli.terminal.views.evaluation import draw_causes, draw_estimates, metric_rows

__all__ = ["draw_step"]

_BAR = 24


def draw_step(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw each step: number, title, explanation, numbers, and the equivalent command.

    Args:
        rows: records of `demo`.
    """
    for row in rows:
        yield look.draw(
            (f"{row['step']} of {row['steps']}  ", TerminalStyle.ACCENT), (row["title"], TerminalStyle.HEADING)
        )
        yield from look.paragraph(row["look"])
        yield ""
        yield from _numbers(row, look)
        yield ""
        yield from look.wrap([("$ ", TerminalStyle.DIM), (row["command"], TerminalStyle.DIM)], look.columns)


def _numbers(row: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    if "estimate" in row:
        yield from _draw_recall(row, look)
    for search in row.get("searches", ()):
        yield from _search(search, look)
    if "metrics" in row:
        yield from metric_rows(row["metrics"], look)
        yield from draw_causes(row["causes"], look)
    if "estimated" in row:
        yield from draw_estimates(row, look)


def _draw_recall(row: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    """Draw recall as a bar and tokens per question, next to those of the baseline.

    Measured, or estimated if the samples come without runs; the heading says which.
    """
    measured = row["measured"] is not None and row.get("measured_baseline", row["measured"]) is not None
    own, others = ("measured", "measured_baseline") if measured else ("estimate", "baseline")
    named = [("defaults", row[own]), ("512/50", row[others])] if others in row else [("", row[own])]
    cells = [
        (
            name,
            f"{one['means']['recall']:.1%}".replace("%", " %"),
            share_bar(one["means"]["recall"], _BAR, look.symbols),
            f"{one['means']['context_tokens']:,.0f}",
            f"{one['chunks']:,}",
        )
        for name, one in named
    ]
    columns = (
        TableColumn("", least=8),
        TableColumn("recall" if measured else "recall, estimated", right=True),
        TableColumn("", style=TerminalStyle.ACCENT),
        TableColumn("tokens a question", right=True),
        TableColumn("chunks", right=True),
    )
    yield from table(columns, cells, look)


def _search(search: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    rank = search["answer_rank"]
    outcome = (f"answer at rank {rank}", TerminalStyle.GOOD) if rank else ("answer not found", TerminalStyle.BAD)
    yield look.draw((f"{search['mode']}: ", TerminalStyle.HEADING), outcome)
    for hit in search["results"]:
        mark = look.symbols.best if hit["answers"] else " "
        yield from look.indented(look.wrap([(f"{mark} {hit['rank']}  {hit['citation']}", None)], look.prose - 2), 2)
