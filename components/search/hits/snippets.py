"""Snippet of a text with the most highlighted words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.model import Chunk, Span
from components.kit.text_looks import CUT

__all__ = ["AS_IT_STANDS", "SNIPPET_CHARACTERS", "beginning", "chunk_snippet", "snippet"]

SNIPPET_CHARACTERS = 300
AS_IT_STANDS = ("code", "table")
"""Content types whose line ends are kept."""

_NEAR_CHARACTERS = 140
_HEADING_LINES = re.compile(r"(?:\s*#{1,6} [^\n]*\n)+\s*")


def snippet(
    content: str, highlights: Sequence[Span], *, characters: int = SNIPPET_CHARACTERS, lines: bool = False
) -> list[tuple[str, bool]]:
    """Return an excerpt of a text with the most highlights, as (piece, highlighted) pairs.

    Headings at the beginning of the text are skipped; `…` stands for text left out before and after.

    Args:
        content: the chunk's text.
        highlights: spans of `content`, in order.
        characters: approximate maximum length.
        lines: keep line ends (code, tables); elsewhere white space becomes a single space.

    >>> snippet("To restore a backup, stop the service.", [Span(3, 10), Span(13, 19)], characters=40)
    [('To ', False), ('restore', True), (' a ', False), ('backup', True), (', stop the service.', False)]
    """
    first, last = _window(content, highlights, characters, lines)
    pieces: list[tuple[str, bool]] = [(CUT, False)] if first > _body_start(content) else []
    at = first
    for start, end in highlights:
        if end <= first or start >= last:
            continue
        pieces += [(content[at : max(start, first)], False), (content[max(start, first) : min(end, last)], True)]
        at = min(end, last)
    pieces += [(content[at:last], False), (" …" if content[last:].strip() else "", False)]
    return [(text, marked) for text, marked in (_spaced(piece, lines) for piece in pieces) if text]


def chunk_snippet(
    chunk: Chunk, highlights: Sequence[Span], *, characters: int = SNIPPET_CHARACTERS
) -> list[tuple[str, bool]]:
    """Return the snippet of a chunk's text, or of its summary if it has no text.

    Args:
        highlights: spans of the document, as in a hit.
    """
    inside = [Span(span.start - chunk.start, span.end - chunk.start) for span in highlights] if chunk.content else []
    lines = chunk.content_type in AS_IT_STANDS and bool(chunk.content)
    return snippet(chunk.content or chunk.summary, inside, characters=characters, lines=lines)


def beginning(chunk: Chunk) -> str:
    """Return about 140 characters of a chunk after its headings, or of its summary."""
    return "".join(text for text, _ in snippet(chunk.content or chunk.summary, (), characters=_NEAR_CHARACTERS))


def _spaced(piece: tuple[str, bool], lines: bool) -> tuple[str, bool]:
    return piece if lines else (re.sub(r"\s+", " ", piece[0]), piece[1])


def _body_start(content: str) -> int:
    """Return the offset after the leading headings, which the card's title shows; 0 if nothing follows."""
    match = _HEADING_LINES.match(content)
    return match.end() if match and match.end() < len(content) else 0


def _window(content: str, highlights: Sequence[Span], characters: int, lines: bool) -> tuple[int, int]:
    """Return the range with the most highlighted characters."""
    begin, end = _body_start(content), len(content.rstrip())
    if end - begin <= characters:
        return begin, end
    starts = [
        begin,
        *(_stop_before(content, max(begin, span.start - characters // 6), begin, lines) for span in highlights),
    ]
    first = max(starts, key=lambda start: (_covered(highlights, start, start + characters), -start))
    last = min(end, first + characters)
    if lines and last < end and "\n" in content[first + 1 : last]:  # whole rows of a table
        return first, content.rindex("\n", first + 1, last) + 1
    space = max(content.rfind(mark, last - characters // 6, last) for mark in " \n。，")
    return first, last if last == end or space < 0 else space + 1


def _stop_before(content: str, offset: int, least: int, lines: bool) -> int:
    """Return the nearest start of a word (or a line) before `offset`."""
    marks = "\n" if lines else " \n。，；"
    last = max(content.rfind(mark, max(least, offset - (150 if lines else 60)), offset) for mark in marks)
    return last + 1 if last >= 0 else offset


def _covered(highlights: Sequence[Span], start: int, end: int) -> int:
    return sum(max(0, min(end, span.end) - max(start, span.start)) for span in highlights)
