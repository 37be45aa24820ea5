"""Draws the chunks of a document as bands over its text, with their sizes in a line of sums and a histogram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from chunking.cli.terminal.bars import histogram
from chunking.cli.terminal.count_text import count_text
from chunking.cli.terminal.look import Look, Piece, Style, band_style
from chunking.cli.terminal.text_width import clip, width

__all__ = ["draw_chunks"]

_HEAD, _TAIL = 4, 2
"""Lines of a chunk that are shown: where it begins and where it ends."""
_BINS = 24
_EDGE = 2
"""Columns of the band and the space beside it."""


def draw_chunks(rows: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
    """The bands of one document.

    Every chunk has its number beside its colour. Text that the chunk before has too is dim, behind a dotted edge.
    """
    yield from _summary(rows, look)
    end = 0
    """Of the chunk before."""
    for row in rows:
        yield ""
        yield from _band(row, end, look)
        end = row["end"]


def _summary(rows: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
    tokens = [row["token_count"] for row in rows]
    shared = sum(max(before["end"] - row["start"], 0) for before, row in pairwise(rows))
    metadata = rows[0]["metadata"]
    source = metadata.get("relative_path") or rows[0]["doc_id"]
    yield from look.wrap([(source, Style.HEADING)], look.columns)
    chunks = count_text(len(rows), "chunk")
    overlap = f", {shared:,} characters in two chunks" if shared else ""
    yield from look.paragraph(f"{chunks}, {sum(tokens):,} tokens{overlap}")
    sizes = f"{min(tokens):,} to {max(tokens):,} tokens, median {median(tokens):,.0f}"
    yield from look.wrap(
        [(histogram(tokens, min(_BINS, look.columns - 2), look.symbols), Style.ACCENT), (f"  {sizes}", None)],
        look.columns,
    )


def _band(row: dict[str, Any], end: int, look: Look) -> Iterator[str]:
    symbols, style = look.symbols, band_style(row["chunk_index"])
    yield from _title(row, look)
    if row["prefix"].strip():
        prefix = clip(" ".join(row["prefix"].split()), look.columns - _EDGE - 2, symbols.ellipsis)
        yield look.draw((f"{symbols.band} ", style), (f"+ {prefix}", Style.DIM))
    overlap = min(max(end - row["start"], 0), len(row["content"]))
    room = max(min(look.columns, 110) - _EDGE, 2)
    lines = [
        *_draw_edge(row["content"][:overlap], symbols.repeat, (style, Style.DIM), room, look),
        *_draw_edge(row["content"][overlap:], symbols.band, (style, style), room, look),
    ]
    if (hidden := len(lines) - _HEAD - _TAIL) > 1:
        rest = f"{symbols.ellipsis} {hidden:,} more lines"
        lines[_HEAD:-_TAIL] = [look.draw((f"{symbols.band} ", style), (rest, Style.DIM))]
    yield from lines


def _title(row: dict[str, Any], look: Look) -> Iterator[str]:
    """Number, tokens, span, flags, and the title of the section."""
    symbols = look.symbols
    number = f"{row['chunk_index'] + 1}"
    facts = f"  {row['token_count']:,} tokens {symbols.dot} {row['start']:,}{symbols.dash}{row['end']:,}"
    flags = f" {symbols.dot} {', '.join(row['flags'])}" if row["flags"] else ""
    room = look.columns - width(number + facts + flags) - _EDGE - 3
    path = clip(row["title_path"][-1], room, symbols.ellipsis) if room >= 8 and row["title_path"] else ""
    pieces: list[Piece] = [
        (f"{symbols.band} ", band_style(row["chunk_index"])),
        (number, Style.HEADING),
        (facts, Style.DIM),
        (flags, Style.BAD),
        (f" {symbols.dot} {path}" if path else "", None),
    ]
    yield from look.wrap(pieces, look.columns)


def _draw_edge(text: str, edge: str, styles: tuple[Style, Style], room: int, look: Look) -> Iterator[str]:
    """Lines of a text behind an edge; none for no text. Empty lines are left out."""
    for line in look.wrap([(text.strip(), styles[1])], room) if text.strip() else ():
        if line.strip():
            yield f"{look.style(edge, styles[0])} {line}"
