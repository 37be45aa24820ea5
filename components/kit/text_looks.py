"""Positions of code and tables in a text that is no full document: a snippet, a passage of a context."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from chunking.viewing.messages.code_tokens import KINDS, fenced_tokens

__all__ = ["CUT", "text_looks"]

CUT = "… "
"""Beginning of a snippet that starts inside its chunk."""
_ROW = re.compile(r"[ \t>]*\|.*\|[ \t]*")
_RULE = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_DELIMITERS = (",", ";", "\t", "|")


def text_looks(text: str, *, language: str = "", fields: bool = False) -> dict[str, Any]:
    """Return the code and table positions of a text for `drawText` (drawn_text.js), in UTF-16 units.

    Args:
        text: Markdown, or a parser's text: pipe rows, fences.
        language: language of code whose fence is not in it.
        fields: True if its lines are rows of a CSV file.
    Returns:
        `code`: [start, end, class] of each coloured run; `tables`: [start, end, end of the header, delimiter or None
        for pipe rows].

    >>> text_looks("Flow:\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n")
    {'code': [], 'tables': [[7, 37, 27, None]]}
    """
    tables = list(_fields(text) if fields else _pipe_tables(text))
    code = [(start, end, f"k-{KINDS[kind]}") for start, end, kind in fenced_tokens(text, language)]
    astral = [place for place, letter in enumerate(text) if ord(letter) > 0xFFFF]

    def unit(offset: int) -> int:
        return offset + bisect_left(astral, offset)

    return {
        "code": [[unit(start), unit(end), name] for start, end, name in code],
        "tables": [[unit(start), unit(end), unit(header), delimiter] for start, end, header, delimiter in tables],
    }


def _pipe_tables(text: str) -> Iterator[tuple[int, int, int, None]]:
    """Yield the tables: adjacent lines between bars, or with bars around a row of dashes."""
    lines = list(_lines(text))
    done = 0
    while done < len(lines):
        first, last = done, done
        headed = (
            done + 1 < len(lines)
            and "|" in lines[done][2]
            and "|" in lines[done + 1][2]
            and bool(_RULE.fullmatch(lines[done + 1][2]))
        )
        while last < len(lines) and (_ROW.fullmatch(lines[last][2]) or (headed and "|" in lines[last][2])):
            last += 1
        done = max(last, first + 1)
        if last - first > 1:
            yield lines[first][0], lines[last - 1][1], lines[first + 1][1] if headed else lines[first][0], None


def _fields(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield the full text as a table if one of the delimiters is on every line."""
    lines = [line for line in _lines(text) if line[2].strip(" …")]
    counts = {mark: min((line.count(mark) for _, _, line in lines), default=0) for mark in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda mark: counts[mark])
    if counts[best]:
        yield lines[0][0], lines[-1][1], lines[0][0], best


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end with its line break, text without) of each line, without a leading `CUT`."""
    start = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        cut = len(CUT) if not start and line.startswith(CUT) else 0
        yield start + cut, start + len(line), line[cut:].rstrip("\r\n")
        start += len(line)
