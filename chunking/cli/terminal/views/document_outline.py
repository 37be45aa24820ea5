"""Draws a parsed document: its facts, warnings, blocks by type, and outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from chunking.cli.terminal.look import Look, Style
from chunking.cli.terminal.tables import Column, table
from chunking.cli.terminal.text_width import clip

__all__ = ["draw_documents"]

_SECTIONS = 60
"""Lines of an outline."""


def draw_documents(rows: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
    """A part for each document."""
    for number, row in enumerate(rows):
        if number:
            yield ""
        yield from _document(row, look)


def _document(row: dict[str, Any], look: Look) -> Iterator[str]:
    symbols = look.symbols
    pages = {block["page"] for block in row["blocks"] if "page" in block}
    facts = (
        row["category"],
        row["language"],
        f"{len(row['text']):,} characters",
        f"{sum(block.get('token_count', 0) for block in row['blocks']):,} tokens",
        f"{len(pages):,} pages" if pages else "",
    )
    yield from look.wrap([(row["source"], Style.HEADING)], look.columns)
    yield from look.paragraph(f" {symbols.dot} ".join(filter(None, facts)))
    for warning in row["warnings"]:
        yield from look.paragraph(f"! {warning}", style=Style.BAD)
    if row["left_out"]:
        reasons = Counter(span["reason"] for span in row["left_out"])
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        yield from look.paragraph(f"Left out: {counts}")
    yield ""
    yield from table((Column("block"), Column("number", right=True), Column("tokens", right=True)), _blocks(row), look)
    if row["sections"]:
        yield ""
        yield from _outline(row["sections"], look)


def _blocks(row: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row a type of block, the most frequent first."""
    tokens: Counter[str] = Counter()
    for block in row["blocks"]:
        tokens[block["type"]] += block.get("token_count", 0)
    counts = Counter(block["type"] for block in row["blocks"])
    return [(name, f"{count:,}", f"{tokens[name]:,}") for name, count in counts.most_common()]


def _outline(sections: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
    yield look.heading("Outline")
    for section in sections[:_SECTIONS]:
        size = f"  {section['end'] - section['start']:,}"
        indent = "  " * max(min(section["level"], 9) - 1, 0)
        room = max(look.columns - len(indent) - len(size), 4)
        title = clip(" ".join(section["title"].split()), room, look.symbols.ellipsis)
        yield look.draw((indent + title, None), (size, Style.DIM))
    if (rest := len(sections) - _SECTIONS) > 0:
        yield look.style(f"{look.symbols.ellipsis} {rest:,} more sections", Style.DIM)
