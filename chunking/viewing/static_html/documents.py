"""Documents and their chunks as HTML cards.

A document has its facts, warnings, outline and the beginning of its text; chunks are below each other in the two
colours that alternate in the app, each with its tokens and its span.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunking.display import quantity
from chunking.model import CHUNK, Chunk, Document, document_facts
from chunking.splitting.document_splitting import chunk_facts
from chunking.viewing.labels import token_words
from chunking.viewing.static_html.elements import (
    FAINT,
    SCROLLED,
    Html,
    card,
    clipped,
    disclosure,
    edge,
    element,
    faint,
    head,
    text_block,
    tint,
)

__all__ = ["chunk_html", "chunks_html", "document_html"]

_MOST_LINES, _MOST_WARNINGS = 60, 10
_MOST_TITLE, _MOST_TEXT = 200, 4_000
"""Maximum characters of a title and of a text."""

MOST_CHUNKS = 40
_MOST_CHUNK_TEXT, _MOST_LONE_TEXT, _MOST_CHUNK_LABEL = 600, 4_000, 200
"""Maximum characters of a chunk in a list, of a chunk alone, and of its heading."""


def document_html(document: Document) -> Html:
    """Return a document's card: facts, warnings, outline and start of the text; at most 30 KB."""
    outline = document.doc_toc.splitlines()
    warnings = [*document.warnings[:_MOST_WARNINGS], *_rest(len(document.warnings) - _MOST_WARNINGS, "warning")]
    return card(
        head(
            clipped(document.title, _MOST_TITLE),
            clipped(document.source, _MOST_TITLE),
            *document_facts(document),
            *_pins(document),
        ),
        *(faint(f"⚠ {clipped(warning, 2 * _MOST_TITLE)}") for warning in warnings),
        disclosure(
            "Outline",
            *map(_outline_line, outline[:_MOST_LINES]),
            *map(faint, _rest(len(outline) - _MOST_LINES, "section")),
        ),
        disclosure(
            "Text",
            text_block(clipped(document.text, _MOST_TEXT)),
            *map(faint, _rest(len(document.text) - _MOST_TEXT, "character")),
        ),
    )


def _pins(document: Document) -> list[str]:
    return [quantity(len(document.pins), "pin")] if document.pins else []


def _outline_line(line: str) -> Html:
    title = line.lstrip()
    indent = min((len(line) - len(title)) // 2, 6)
    return element("div", clipped(title, _MOST_TITLE), style=f"padding-left:{1.2 * indent:g}em", dir="auto")


def _rest(number: int, noun: str) -> list[str]:
    """Return a line on omitted items, if there are any."""
    return [f"… and {quantity(number, f'more {noun}')}"] if number > 0 else []


def chunks_html(chunks: Sequence[Chunk]) -> Html:
    """Return a card with the first 40 chunks, and the number of others."""
    rest = len(chunks) - MOST_CHUNKS
    return card(
        head(quantity(len(chunks), "chunk"), *chunk_facts(chunks)),
        element(
            "div",
            *(_band(one, place, _MOST_CHUNK_TEXT) for place, one in enumerate(chunks[:MOST_CHUNKS])),
            style=SCROLLED,
        ),
        *([faint(f"… and {quantity(rest, 'more chunk')}; slice the list to see them.")] if rest > 0 else []),
    )


def chunk_html(chunk: Chunk) -> Html:
    """Return a card of one chunk with its section and type."""
    path = " › ".join(chunk.title_path)
    return card(
        head(
            chunk.chunk_id,
            clipped(path, _MOST_CHUNK_LABEL),
            chunk.content_type,
            chunk.level if chunk.level != CHUNK else "",
        ),
        element("div", _band(chunk, chunk.chunk_index, _MOST_LONE_TEXT), style="margin:6px 0 0"),
    )


def _band(chunk: Chunk, place: int, most: int) -> Html:
    role = ("chunk_a", "chunk_b")[place % 2]
    facts = [
        f"{chunk.chunk_index}",
        token_words(0, 0, chunk.token_count),
        f"{chunk.start:,}–{chunk.end:,}",
        *(flag.replace("_", " ") for flag in chunk.flags),
    ]
    return element(
        "div",
        element("div", " · ".join(facts), style=FAINT),
        *(
            [element("div", clipped(chunk.prefix, _MOST_CHUNK_LABEL), style=f"{FAINT};font-style:italic", dir="auto")]
            if chunk.prefix
            else []
        ),
        text_block(clipped(chunk.content or chunk.summary, most)),
        style=f"border-left:3px solid {edge(role)};background:{tint(role)};padding:3px 10px 5px;margin:0 0 2px",
    )
