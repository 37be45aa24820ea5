"""Detection of chunks that begin or end inside a word."""

from __future__ import annotations

from collections.abc import Iterable

from chunking.model import Chunk, Document
from chunking.splitting import TokenCounter

__all__ = ["cuts_words"]


def cuts_words(document: Document, chunks: Iterable[Chunk], counter: TokenCounter) -> bool:
    """True if a chunk's boundary is inside a word of the tokenizer."""
    edges = {edge for chunk in chunks for edge in (chunk.start, chunk.end) if 0 < edge < len(document.text)}
    return any(
        not any(letter.space or letter.alone for letter in map(counter.letter, document.text[edge - 1 : edge + 1]))
        for edge in edges
    )
