"""Contract with custom splitters: lengths to fill, and the spans of their chunks in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.model import Span

__all__ = ["CannotSplitError", "Lengths", "SpanFinder", "located"]

_EXCERPT = 40
_VISIBLE = re.compile(r"\S")


def located(text: str, chunks: Iterable[str | tuple[int, int]]) -> list[Span]:
    """Find the span of each chunk, in order; chunks without text are skipped.

    A string is searched after the previous one, then from the start of that one, since chunks may overlap: first as it
    is, then ignoring white space, which many splitters change.

    Raises:
        CannotSplitError: a chunk is not in the text, or is neither a string nor two offsets.

    >>> located("One two.\\n\\nThree.", ["One  two.", "Three."])
    [Span(start=0, end=8), Span(start=10, end=16)]
    """
    finder = SpanFinder(text)
    spans: list[Span] = []
    for number, chunk in enumerate(chunks, 1):
        if isinstance(chunk, str):
            span = finder.find(chunk, spans[-1] if spans else Span(-1, 0)) if chunk.strip() else Span(0, 0)
        else:
            span = _checked(chunk, len(text), number)
        if span is None:
            words = " ".join(str(chunk).split())
            excerpt = words if len(words) <= _EXCERPT else f"{words[:_EXCERPT]}…"
            raise CannotSplitError(f"its chunk {number}, '{excerpt}', is not in the text")
        if text[span.start : span.end].strip():
            spans.append(span)
    return spans


def _checked(chunk: object, length: int, number: int) -> Span:
    if isinstance(chunk, tuple | list) and len(chunk) == 2:
        start, end = chunk
        if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length:
            return Span(start, end)
    raise CannotSplitError(
        f"its chunk {number} is {str(chunk)[:_EXCERPT]}, neither a text nor two offsets up to {length:,}"
    )


class SpanFinder:
    """Finder of chunks in a text, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._squeezed: str | None = None

    def find(self, chunk: str, before: Span) -> Span | None:
        """Return the span of a chunk that begins after the start of `before`; None if not found.

        Tried right after `before`, then anywhere behind its start, then ignoring white space.
        """
        chunk = chunk.strip()
        next_visible = _VISIBLE.search(self.text, before.end)
        if next_visible and self.text.startswith(chunk, next_visible.start()):
            return Span(next_visible.start(), next_visible.start() + len(chunk))
        at = self.text.find(chunk, before.start + 1)  # chunks may overlap
        return Span(at, at + len(chunk)) if at >= 0 else self._find_squeezed(chunk, before)

    def _find_squeezed(self, chunk: str, before: Span) -> Span | None:
        if self._squeezed is None:
            self._squeezed = "".join(self.text.split())
            self._offsets = np.flatnonzero([not char.isspace() for char in self.text]).astype(np.int32)
        squeezed = "".join(chunk.split())
        end, start = (
            int(np.searchsorted(self._offsets, np.int32(offset))) for offset in (before.end, before.start + 1)
        )
        at = end if self._squeezed.startswith(squeezed, end) else self._squeezed.find(squeezed, start)
        return Span(int(self._offsets[at]), int(self._offsets[at + len(squeezed) - 1]) + 1) if at >= 0 else None


class CannotSplitError(ChunkscopeError, ValueError):
    """A strategy cannot split a document; a simpler one is used, and a warning quotes the error."""


class Lengths(NamedTuple):
    """Size and overlap for a custom splitter, and the function that counts them."""

    size: int
    """Maximum units of a chunk, without its prefix."""
    overlap: int
    """Maximum units repeated from the previous chunk."""
    count: Callable[[str], int]
    """Function that counts a text in units: the model's tokens, or characters."""
