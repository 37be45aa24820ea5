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
        yield from _draw_estimate(row["estimate"], row.get("baseline"), look)
    for search in row.get("searches", ()):
        yield from _search(search, look)
    if "metrics" in row:
        yield from metric_rows(row["metrics"], look)
        yield from draw_causes(row["causes"], look)
    if "estimated" in row:
        yield from draw_estimates(row, look)


def _draw_estimate(one: Mapping[str, Any], baseline: Mapping[str, Any] | None, look: TerminalLook) -> Iterator[str]:
    """Draw recall as a bar and tokens per question, next to those of the baseline."""
    named = [("", one)] if baseline is None else [("defaults", one), ("512/50", baseline)]
    cells = [
        (
            name,
            f"{estimate['means']['recall']:.1%}".replace("%", " %"),
            share_bar(estimate["means"]["recall"], _BAR, look.symbols),
            f"{estimate['means']['context_tokens']:,.0f}",
            f"{estimate['chunks']:,}",
        )
        for name, estimate in named
    ]
    columns = (
        TableColumn("", least=8),
        TableColumn("recall", right=True),
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
