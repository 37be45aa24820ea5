"""Paging of long texts: pieces within a token budget, and cursors."""

from __future__ import annotations

import base64
import binascii
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import QueryError

if TYPE_CHECKING:
    from chunking.retrieval.context.context import Counter

__all__ = ["MOST_BYTES", "TextPiece", "cursor_of", "offset_of", "piece_at"]

MOST_BYTES = 80_000
"""Maximum UTF-8 bytes of a text in an answer, sent twice: clients refuse events of a megabyte."""
_LONGEST_TOKEN = 16
"""Upper bound of characters per token: bounds the text that is tokenized for a budget."""
_MARK = "o"
_WORD = re.compile(r"\S+\s*|\s+")


class TextPiece(NamedTuple):
    """Piece of a text, with its end and the cursor of the rest."""

    text: str
    end: int
    """Offset after the last character."""
    next: str
    """Cursor of the next piece; empty at the end of the text."""


def piece_at(text: str, start: int, budget: int, counter: Counter) -> TextPiece:
    """Return the longest piece that fits the budget, ending at a line, else a word, else anywhere.

    It has at least one character, unless no text is left.

    Args:
        start: first character.
        budget: most tokens; 0: no limit but `MOST_BYTES`.
        counter: token counter of the embedding model; called once for all lines, and once for a long line's words.
    """
    most = min(MOST_BYTES, budget * _LONGEST_TOKEN) if budget else MOST_BYTES
    window = text[start : start + most]
    if not window.isascii():
        window = window[: len(window.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore"))]
    length = len(window)
    if budget:
        length = _fitting(window.splitlines(keepends=True), budget, counter)
        if not length:
            words = _words(window.splitlines(keepends=True)[0]) if window else []
            length = (
                _fitting(words, budget, counter)
                or _fitting(list(words[0]) if words else [], budget, counter)
                or min(1, len(window))
            )
    elif start + length < len(text):
        length = (window.rfind("\n") + 1) or length
    end = start + length
    return TextPiece(window[:length], end, cursor_of(end) if end < len(text) else "")


def _fitting(parts: list[str], budget: int, counter: Counter) -> int:
    """Count the characters of the first parts that fit together."""
    if not parts:
        return 0
    counts = accumulate(int(count) for count in counter.count_each(parts))
    fits = sum(count <= budget for count in counts)
    return sum(map(len, parts[:fits]))


def _words(line: str) -> list[str]:
    """Split a line into words, each with the white space after it.

    >>> _words("one two  three")
    ['one ', 'two  ', 'three']
    """
    return _WORD.findall(line)


def cursor_of(offset: int) -> str:
    """Encode an offset as an opaque cursor."""
    return base64.urlsafe_b64encode(f"{_MARK}{offset}".encode()).decode().rstrip("=")


def offset_of(cursor: str) -> int:
    """Decode a cursor into its offset; 0 if it is empty.

    >>> offset_of(cursor_of(1200))
    1200

    Raises:
        QueryError: it was not made here.
    """
    if not cursor:
        return 0
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    if not text.startswith(_MARK) or not text[1:].isdecimal():
        raise QueryError(
            (
                "This server did not issue that cursor; pass `next` of the previous answer, or none to start at "
                "the beginning."
            ),
            where="cursor",
        )
    return int(text[1:])
