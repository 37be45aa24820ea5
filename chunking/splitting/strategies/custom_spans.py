"""Where the chunks of a splitter of the user's own stand in the text: as they are, or but for their white space."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from chunking.model import Span
from chunking.splitting.strategies.splitter_contract import CannotSplitError

__all__ = ["SpanFinder", "located"]

_SHOWN = 40
_VISIBLE = re.compile(r"\S")


def located(text: str, chunks: Iterable[str | tuple[int, int]]) -> list[Span]:
    """The span of each chunk, in the order given; chunks without text are passed over.

    A string is looked for behind the one before, then from where that one began on, since chunks may overlap: first as
    it
    is, then without regard to white space, which many splitters change.

    Raises:
        CannotSplitError: a chunk is not in the text, or is neither a string nor two offsets.

    >>> located("One two.\\n\\nThree.", ["One  two.", "Three."])
    [Span(start=0, end=8), Span(start=10, end=16)]
    """
    finder = SpanFinder(text)
    found: list[Span] = []
    for number, chunk in enumerate(chunks, 1):
        if isinstance(chunk, str):
            span = finder.find(chunk, found[-1] if found else Span(-1, 0)) if chunk.strip() else Span(0, 0)
        else:
            span = _checked(chunk, len(text), number)
        if span is None:
            words = " ".join(str(chunk).split())
            shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
            raise CannotSplitError(f"its chunk {number}, '{shown}', is not in the text")
        if text[span.start : span.end].strip():
            found.append(span)
    return found


def _checked(chunk: object, length: int, number: int) -> Span:
    if isinstance(chunk, tuple | list) and len(chunk) == 2:
        start, end = chunk
        if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length:
            return Span(start, end)
    raise CannotSplitError(
        f"its chunk {number} is {str(chunk)[:_SHOWN]}, neither a text nor two offsets up to {length:,}"
    )


class SpanFinder:
    """A text in which chunks are looked up, one after the other; what that takes is made when it is first needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._squeezed: str | None = None

    def find(self, chunk: str, before: Span) -> Span | None:
        """Where a chunk stands that follows another one: as it is, else but for its white space; None where it is
        nowhere behind it.
        """
        chunk = chunk.strip()
        next_visible = _VISIBLE.search(self.text, before.end)
        if next_visible and self.text.startswith(chunk, next_visible.start()):
            return Span(next_visible.start(), next_visible.start() + len(chunk))
        found = self.text.find(chunk, before.start + 1)  # chunks may overlap
        return Span(found, found + len(chunk)) if found >= 0 else self._find_squeezed(chunk, before)

    def _find_squeezed(self, chunk: str, before: Span) -> Span | None:
        if self._squeezed is None:
            self._squeezed = "".join(self.text.split())
            self._offsets = np.flatnonzero([not char.isspace() for char in self.text]).astype(np.int32)
        wanted = "".join(chunk.split())
        end, start = (
            int(np.searchsorted(self._offsets, np.int32(offset))) for offset in (before.end, before.start + 1)
        )
        at = end if self._squeezed.startswith(wanted, end) else self._squeezed.find(wanted, start)
        return Span(int(self._offsets[at]), int(self._offsets[at + len(wanted) - 1]) + 1) if at >= 0 else None
