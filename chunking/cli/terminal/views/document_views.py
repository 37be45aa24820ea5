"""Views of documents: properties, blocks and outline after parsing; chunks as bands after splitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from chunking.cli.terminal.look import Piece, TerminalLook, TerminalStyle, band_style, histogram
from chunking.cli.terminal.tables import TableColumn, table
from chunking.cli.terminal.terminal_text import clip, width
from chunking.display import quantity

__all__ = ["draw_chunks", "draw_documents"]

_HEAD, _TAIL = 4, 2
"""Lines shown at the start and at the end of a chunk."""
_BINS = 24
_EDGE = 2
"""Columns of a band's edge and the space after it."""

_SECTIONS = 60
"""Maximum lines of an outline."""


# -- parsed


def draw_documents(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw each parsed document: size, warnings, text left out, blocks by type, and outline.

    Args:
        rows: records of `parse`.
    """
    for number, row in enumerate(rows):
        if number:
            yield ""
        yield from _document(row, look)


def _document(row: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    symbols = look.symbols
    pages = {block["page"] for block in row["blocks"] if "page" in block}
    facts = (
        row["category"],
        row["language"],
        f"{len(row['text']):,} characters",
        f"{sum(block.get('token_count', 0) for block in row['blocks']):,} tokens",
        f"{len(pages):,} pages" if pages else "",
    )
    yield from look.wrap([(row["source"], TerminalStyle.HEADING)], look.columns)
    yield from look.paragraph(f" {symbols.dot} ".join(filter(None, facts)))
    for warning in row["warnings"]:
        yield from look.paragraph(f"! {warning}", style=TerminalStyle.BAD)
    if row["left_out"]:
        reasons = Counter(span["reason"] for span in row["left_out"])
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        yield from look.paragraph(f"Left out: {counts}")
    yield ""
    yield from table(
        (TableColumn("block"), TableColumn("number", right=True), TableColumn("tokens", right=True)), _blocks(row), look
    )
    if row["sections"]:
        yield ""
        yield from _outline(row["sections"], look)


def _blocks(row: dict[str, Any]) -> list[tuple[str, ...]]:
    """Count blocks and tokens by block type, most frequent first."""
    tokens: Counter[str] = Counter()
    for block in row["blocks"]:
        tokens[block["type"]] += block.get("token_count", 0)
    counts = Counter(block["type"] for block in row["blocks"])
    return [(name, f"{count:,}", f"{tokens[name]:,}") for name, count in counts.most_common()]


def _outline(sections: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    yield look.heading("Outline")
    for section in sections[:_SECTIONS]:
        size = f"  {section['end'] - section['start']:,}"
        indent = "  " * max(min(section["level"], 9) - 1, 0)
        room = max(look.columns - len(indent) - len(size), 4)
        title = clip(" ".join(section["title"].split()), room, look.symbols.ellipsis)
        yield look.draw((indent + title, None), (size, TerminalStyle.DIM))
    if (rest := len(sections) - _SECTIONS) > 0:
        yield look.style(f"{look.symbols.ellipsis} {rest:,} more sections", TerminalStyle.DIM)


# -- split


def draw_chunks(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw the chunks of one document as bands, below a histogram of their tokens.

    Every chunk has its number next to its colour. Text shared with the previous chunk is dim, behind a dotted edge. Of
    a long chunk only the first and last lines are drawn.

    Args:
        rows: records of `chunk`, all of one document.
    """
    yield from _summary(rows, look)
    end = 0
    """End of the previous chunk."""
    for row in rows:
        yield ""
        yield from _band(row, end, look)
        end = row["end"]


def _summary(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    tokens = [row["token_count"] for row in rows]
    shared = sum(max(before["end"] - row["start"], 0) for before, row in pairwise(rows))
    metadata = rows[0]["metadata"]
    source = metadata.get("relative_path") or rows[0]["doc_id"]
    yield from look.wrap([(source, TerminalStyle.HEADING)], look.columns)
    chunks = quantity(len(rows), "chunk")
    overlap = f", {shared:,} characters in two chunks" if shared else ""
    yield from look.paragraph(f"{chunks}, {sum(tokens):,} tokens{overlap}")
    sizes = f"{min(tokens):,} to {max(tokens):,} tokens, median {median(tokens):,.0f}"
    yield from look.wrap(
        [(histogram(tokens, min(_BINS, look.columns - 2), look.symbols), TerminalStyle.ACCENT), (f"  {sizes}", None)],
        look.columns,
    )


def _band(row: dict[str, Any], end: int, look: TerminalLook) -> Iterator[str]:
    symbols, style = look.symbols, band_style(row["chunk_index"])
    yield from _title(row, look)
    if row["prefix"].strip():
        prefix = clip(" ".join(row["prefix"].split()), look.columns - _EDGE - 2, symbols.ellipsis)
        yield look.draw((f"{symbols.band} ", style), (f"+ {prefix}", TerminalStyle.DIM))
    overlap = min(max(end - row["start"], 0), len(row["content"]))
    room = max(min(look.columns, 110) - _EDGE, 2)
    lines = [
        *_draw_edge(row["content"][:overlap], symbols.repeat, (style, TerminalStyle.DIM), room, look),
        *_draw_edge(row["content"][overlap:], symbols.band, (style, style), room, look),
    ]
    if (hidden := len(lines) - _HEAD - _TAIL) > 1:
        rest = f"{symbols.ellipsis} {hidden:,} more lines"
        lines[_HEAD:-_TAIL] = [look.draw((f"{symbols.band} ", style), (rest, TerminalStyle.DIM))]
    yield from lines


def _title(row: dict[str, Any], look: TerminalLook) -> Iterator[str]:
    """Yield the heading of a chunk: number, tokens, span, flags and section title."""
    symbols = look.symbols
    number = f"{row['chunk_index'] + 1}"
    facts = f"  {row['token_count']:,} tokens {symbols.dot} {row['start']:,}{symbols.dash}{row['end']:,}"
    flags = f" {symbols.dot} {', '.join(row['flags'])}" if row["flags"] else ""
    room = look.columns - width(number + facts + flags) - _EDGE - 3
    path = clip(row["title_path"][-1], room, symbols.ellipsis) if room >= 8 and row["title_path"] else ""
    pieces: list[Piece] = [
        (f"{symbols.band} ", band_style(row["chunk_index"])),
        (number, TerminalStyle.HEADING),
        (facts, TerminalStyle.DIM),
        (flags, TerminalStyle.BAD),
        (f" {symbols.dot} {path}" if path else "", None),
    ]
    yield from look.wrap(pieces, look.columns)


def _draw_edge(
    text: str, edge: str, styles: tuple[TerminalStyle, TerminalStyle], room: int, look: TerminalLook
) -> Iterator[str]:
    """Yield a text's non-empty lines behind an edge."""
    for line in look.wrap([(text.strip(), styles[1])], room) if text.strip() else ():
        if line.strip():
            yield f"{look.style(edge, styles[0])} {line}"
