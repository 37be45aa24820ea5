"""View of a search: highlighted hits; with `--explain` also legs, stages and context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chunking.cli.terminal.look import Piece, TerminalLook, TerminalStyle
from chunking.cli.terminal.tables import TableColumn, table
from chunking.display import quantity

__all__ = ["draw_hits"]

_LINES = 6
"""Lines shown of a hit's text."""
_INDENT = 3


def draw_hits(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw the query, a warning if the answer is probably absent, and each hit with its citation.

    With the record of `--explain`, also scores by leg, stages and the size of the context.
    """
    for row in rows:
        hits = row["results"]
        yield from look.wrap(
            [
                (row["query"], TerminalStyle.HEADING),
                (f" {look.symbols.dot} {quantity(len(hits), 'result')}, {row['mode']}", None),
            ],
            look.prose,
        )
        if absent := row.get("probably_absent"):
            yield from look.paragraph(
                f"The documents probably do not answer this: {absent['evidence']}", style=TerminalStyle.BAD
            )
        for hit in hits:
            yield ""
            yield from _hit(hit, look)
        if "stages" in row:
            yield from _explanation(row, look)


def _hit(hit: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    rank = f"{hit['rank']:>2} "
    yield from _hang(
        [
            (rank, TerminalStyle.ACCENT),
            (hit["citation"] or hit["chunk_id"], None),
            (f"  {hit['score']:.2f}", TerminalStyle.DIM),
        ],
        _INDENT,
        look,
    )
    lines = list(look.wrap(list(_highlight(hit, look)), max(look.prose - _INDENT, 2)))
    yield from look.indented(_window(lines, hit, look), _INDENT)


def _hang(pieces: Sequence[Piece], indent: int, look: TerminalLook) -> Iterator[str]:
    """Wrap pieces into lines, all but the first indented."""
    for number, line in enumerate(look.wrap(pieces, look.prose - indent)):
        yield f"{' ' * indent if number else ''}{line}"


def _highlight(hit: dict[str, Any], look: TerminalLook) -> Iterator[Piece]:
    """Yield a hit's text with matches highlighted; between quotation marks if there are no colours."""
    text, at = hit["content"].rstrip(), 0
    before, after = ("", "") if look.colour else (look.symbols.open, look.symbols.close)
    for mark in hit["highlights"]:
        first, end = mark["start"] - hit["start"], mark["end"] - hit["start"]
        if at <= first < end <= len(text):
            yield text[at:first], None
            yield f"{before}{text[first:end]}{after}", TerminalStyle.HIT
            at = end
    yield text[at:], None


def _window(lines: Sequence[str], hit: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    """Yield the lines near the first match, and the numbers of lines left out."""
    sign = "\x1b[" if look.colour else look.symbols.open
    first = next((at for at, line in enumerate(lines) if sign in line), 0) if hit["highlights"] else 0
    start = max(min(first - 1, len(lines) - _LINES), 0)
    shown = lines[start : start + _LINES]
    if start:
        yield look.style(f"{look.symbols.ellipsis} {quantity(start, 'line')} before", TerminalStyle.DIM)
    yield from shown
    if rest := len(lines) - start - len(shown):
        yield look.style(f"{look.symbols.ellipsis} {quantity(rest, 'more line')}", TerminalStyle.DIM)


def _explanation(row: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    yield ""
    yield look.heading("Scores")
    columns = (
        TableColumn("hit", right=True),
        TableColumn("score", right=True),
        TableColumn("vector"),
        TableColumn("full text"),
        TableColumn("steps", least=16),
    )
    yield from table(columns, [_score_row(hit) for hit in row["results"]], look)
    if judged := row.get("evidence"):
        yield from _evidence(row["results"], judged, look)
    yield ""
    yield look.heading("Stages")
    stages = [(stage["name"], f"{stage['count']:,}", f"{stage['milliseconds']:,.1f}") for stage in row["stages"]]
    yield from table(
        (TableColumn("stage"), TableColumn("items", right=True), TableColumn("ms", right=True)), stages, look
    )
    context = row["context"]
    limit = f" of {context['budget']:,}" if context["budget"] else ""
    yield ""
    yield f"Context: {context['tokens']:,}{limit} tokens from {quantity(len(context['sources']), 'source')}."
    for note in row["notes"]:
        yield from look.paragraph(note)


def _evidence(hits: Sequence[dict[str, Any]], judged: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    """Yield how each hit was judged, and the results left out."""
    yield ""
    yield look.heading("Evidence")
    yield from look.paragraph(judged["sentence"])
    for hit in hits:
        if own := hit["explain"].get("evidence"):
            yield from _hang([(f"{hit['rank']:>2} ", TerminalStyle.ACCENT), (own["explanation"], None)], _INDENT, look)
    for one in judged["left_out"]:
        words = f"Left out: {one['citation'] or one['chunk_id']}, evidence {one['evidence']:.2f}."
        yield from _hang([(f"{one['rank']:>2} ", TerminalStyle.DIM), (words, TerminalStyle.DIM)], _INDENT, look)


def _score_row(hit: dict[str, Any]) -> tuple[str, ...]:
    steps = ", ".join(f"{step['name']} {step['amount']:+.2f}" for step in hit["explain"]["steps"])
    return (str(hit["rank"]), f"{hit['score']:.2f}", _leg(hit["legs"]["vector"]), _leg(hit["legs"]["text"]), steps)


def _leg(leg: dict[str, Any] | None) -> str:
    return "-" if leg is None else f"{leg['rank']} ({leg['score']:.2f})"
