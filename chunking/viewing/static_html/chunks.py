"""Chunks as HTML: one below the other in the two colours that alternate in the app, each with its tokens and its span."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.display import quantity
from chunking.model import CHUNK, Chunk
from chunking.splitting.chunks.chunk_list import chunk_facts
from chunking.viewing.static_html.elements import FAINT, SCROLLED, Html, card, clipped, edge, element, faint, head, text_block, tint

__all__ = ["MOST_CHUNKS", "chunk_html", "chunks_html"]

MOST_CHUNKS = 40
_MOST_TEXT, _MOST_LONE_TEXT, _MOST_LABEL = 600, 4_000, 200
"""Characters of a chunk among others, of one that is shown alone, and of what stands above it."""


def chunks_html(chunks: Sequence[Chunk]) -> Html:
    """A card with the first 40 chunks, and a sentence about the others."""
    rest = len(chunks) - MOST_CHUNKS
    return card(
        head(quantity(len(chunks), "chunk"), *chunk_facts(chunks)),
        element("div", *(_band(one, place, _MOST_TEXT) for place, one in enumerate(chunks[:MOST_CHUNKS])), style=SCROLLED),
        *([faint(f"… and {quantity(rest, 'more chunk')}; slice the list to see them.")] if rest > 0 else []),
    )


def chunk_html(chunk: Chunk) -> Html:
    """A card of one chunk with what it belongs to."""
    path = " › ".join(chunk.title_path)
    return card(
        head(chunk.chunk_id, clipped(path, _MOST_LABEL), chunk.content_type, chunk.level if chunk.level != CHUNK else ""),
        element("div", _band(chunk, chunk.chunk_index, _MOST_LONE_TEXT), style="margin:6px 0 0"),
    )


def _band(chunk: Chunk, place: int, most: int) -> Html:
    role = ("chunk_a", "chunk_b")[place % 2]
    facts = [
        f"{chunk.chunk_index}",
        quantity(chunk.token_count, "token"),
        f"{chunk.start:,}–{chunk.end:,}",
        *(flag.replace("_", " ") for flag in chunk.flags),
    ]
    return element(
        "div",
        element("div", " · ".join(facts), style=FAINT),
        *([element("div", clipped(chunk.prefix, _MOST_LABEL), style=f"{FAINT};font-style:italic", dir="auto")] if chunk.prefix else []),
        text_block(clipped(chunk.content or chunk.summary, most)),
        style=f"border-left:3px solid {edge(role)};background:{tint(role)};padding:3px 10px 5px;margin:0 0 2px",
    )
