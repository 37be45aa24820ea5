"""A document's chunks as plain HTML: inline styles only, so that it survives where scripts and style sheets are taken out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chunking.model import Chunk, Document
from chunking.viewing.labels import count, shortened

__all__ = ["MOST_CHUNKS", "static_view"]

MOST_CHUNKS, _MOST_CHARACTERS = 40, 600
_EDGES = ("111,134,247", "213,154,44")
"""Red, green and blue of the two colours that alternate; they are seen on white and on black."""
_FAINT = "opacity:.72;font-size:12px"
_BOX = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;border:1px solid rgba(127,127,127,.35);"
    "border-radius:8px;padding:10px 12px;max-width:920px"
)


def static_view(document: Document, first: Sequence[Chunk], tokens: Sequence[int]) -> str:
    """The first chunks, each with its number, tokens, span and prefix; in light and dark by the page's own colours.

    Args:
        first: at most MOST_CHUNKS of them are shown.
        tokens: of all chunks of the document.
    """
    shown = first[:MOST_CHUNKS]
    rows = "".join(_row(chunk, number) for number, chunk in enumerate(shown))
    left = len(tokens) - len(shown)
    rest = f'<div style="{_FAINT}">… and {left:,} more</div>' if left > 0 else ""
    facts = escape(f"{document.source} · {_sizes(sorted(tokens))}")
    return (
        f'<div style="{_BOX}"><div><b dir="auto">{escape(document.title)}</b> <span style="{_FAINT}">{facts}</span></div>'
        f'<div style="margin-top:6px;max-height:420px;overflow:auto">{rows}{rest}</div></div>'
    )


def _sizes(tokens: Sequence[int]) -> str:
    if not tokens:
        return "no chunks"
    return f"{count(len(tokens), 'chunk')} · {tokens[0]}–{tokens[-1]} tokens, median {tokens[len(tokens) // 2]}"


def _row(chunk: Chunk, number: int) -> str:
    colour = _EDGES[number % 2]
    fact = f"{chunk.chunk_index} · {count(chunk.token_count, 'token')} · {chunk.start}–{chunk.end}"
    hidden = "overflow:hidden;white-space:nowrap;text-overflow:ellipsis"
    prefix = f'<div style="{_FAINT};{hidden}">{escape(chunk.prefix)}</div>' if chunk.prefix else ""
    return (
        f'<div dir="auto" style="border-left:3px solid rgb({colour});background:rgba({colour},.10);padding:3px 10px 5px;'
        f'margin:0 0 2px"><span style="float:right;{_FAINT}">{fact}</span>{prefix}'
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere;clear:left">'
        f"{escape(shortened(chunk.content, _MOST_CHARACTERS))}</div></div>"
    )
