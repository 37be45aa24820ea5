"""Draws a search: hits with their highlights, and with `--explain` the legs, the stages and the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chunking.cli.terminal.count_text import count_text
from chunking.cli.terminal.look import Look, Piece, Style
from chunking.cli.terminal.tables import Column, table

__all__ = ["draw_hits"]

_LINES = 6
"""Of a hit's text."""
_INDENT = 3


def draw_hits(rows: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
    """The query, each hit with its citation, and a sentence where the answer is probably absent."""
    for row in rows:
        hits = row["results"]
        yield from look.wrap(
            [
                (row["query"], Style.HEADING),
                (f" {look.symbols.dot} {count_text(len(hits), 'result')}, {row['mode']}", None),
            ],
            look.prose,
        )
        if absent := row.get("probably_absent"):
            yield from look.paragraph(f"The documents probably do not answer this: {absent['evidence']}", style=Style.BAD)
        for hit in hits:
            yield ""
            yield from _hit(hit, look)
        if "stages" in row:
            yield from _explanation(row, look)


def _hit(hit: dict[str, Any], look: Look) -> Iterator[str]:
    rank = f"{hit['rank']:>2} "
    yield from _hang(
        [(rank, Style.ACCENT), (hit["citation"] or hit["chunk_id"], None), (f"  {hit['score']:.2f}", Style.DIM)],
        _INDENT,
        look,
    )
    lines = list(look.wrap(list(_highlight(hit, look)), max(look.prose - _INDENT, 2)))
    yield from look.indented(_window(lines, hit, look), _INDENT)


def _hang(pieces: Sequence[Piece], indent: int, look: Look) -> Iterator[str]:
    """Wrapped lines, all but the first moved in."""
    for number, line in enumerate(look.wrap(pieces, look.prose - indent)):
        yield f"{' ' * indent if number else ''}{line}"


def _highlight(hit: dict[str, Any], look: Look) -> Iterator[Piece]:
    """The text with what matched in a style of its own; between signs where there are no colours."""
    text, at = hit["content"].rstrip(), 0
    before, after = ("", "") if look.colour else (look.symbols.open, look.symbols.close)
    for mark in hit["highlights"]:
        first, end = mark["start"] - hit["start"], mark["end"] - hit["start"]
        if at <= first < end <= len(text):
            yield text[at:first], None
            yield f"{before}{text[first:end]}{after}", Style.HIT
            at = end
    yield text[at:], None


def _window(lines: Sequence[str], hit: dict[str, Any], look: Look) -> Iterator[str]:
    """The lines around the first match, and how many are left out."""
    sign = "\x1b[" if look.colour else look.symbols.open
    first = next((at for at, line in enumerate(lines) if sign in line), 0) if hit["highlights"] else 0
    start = max(min(first - 1, len(lines) - _LINES), 0)
    shown = lines[start : start + _LINES]
    if start:
        yield look.style(f"{look.symbols.ellipsis} {count_text(start, 'line')} before", Style.DIM)
    yield from shown
    if rest := len(lines) - start - len(shown):
        yield look.style(f"{look.symbols.ellipsis} {count_text(rest, 'more line')}", Style.DIM)


def _explanation(row: dict[str, Any], look: Look) -> Iterator[str]:
    yield ""
    yield look.heading("Scores")
    columns = (
        Column("hit", right=True),
        Column("score", right=True),
        Column("vector"),
        Column("full text"),
        Column("steps", least=16),
    )
    yield from table(columns, [_score_row(hit) for hit in row["results"]], look)
    yield ""
    yield look.heading("Stages")
    stages = [(stage["name"], f"{stage['count']:,}", f"{stage['milliseconds']:,.1f}") for stage in row["stages"]]
    yield from table((Column("stage"), Column("items", right=True), Column("ms", right=True)), stages, look)
    context = row["context"]
    limit = f" of {context['budget']:,}" if context["budget"] else ""
    yield ""
    yield f"Context: {context['tokens']:,}{limit} tokens from {count_text(len(context['sources']), 'source')}."
    for note in row["notes"]:
        yield from look.paragraph(note)


def _score_row(hit: dict[str, Any]) -> tuple[str, ...]:
    steps = ", ".join(f"{step['name']} {step['amount']:+.2f}" for step in hit["explain"]["steps"])
    return (str(hit["rank"]), f"{hit['score']:.2f}", _leg(hit["legs"]["vector"]), _leg(hit["legs"]["text"]), steps)


def _leg(leg: dict[str, Any] | None) -> str:
    return "-" if leg is None else f"{leg['rank']} ({leg['score']:.2f})"
