"""Find headings in wiki markup: `== Title ==`, also spaced `= = Title = =` as in text collections.

A single such line may be a rule or a formula: only a text with several counts as wiki markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["WikiHeading", "is_wiki", "wiki_headings"]

_LINE = re.compile(
    r"(?<![^\r\n])[ \t]*(?P<open>=(?:[ \t]?=){0,5})"
    r"(?P<title>[^=\r\n][^\r\n]{0,198}?[^=\r\n]|[^=\s])"
    r"(?P<close>=(?:[ \t]?=){0,5})[ \t]*(?=[\r\n]|\Z)"
)
_FEWEST = 2


class WikiHeading(NamedTuple):
    """A heading line in wiki markup."""

    start: int
    end: int
    level: int
    """Level 1 to 6: the number of signs on each side."""


def is_wiki(text: str) -> bool:
    """True if a text has two or more headings in wiki markup (`== Title ==`).

    >>> is_wiki("= Pump =\\nIt pumps.\\n== Parts ==\\nA wheel."), is_wiki("a = b\\nc = d")
    (True, False)
    """
    headings = wiki_headings(text, 0, len(text))
    return sum(1 for _, _ in zip(range(_FEWEST), headings, strict=False)) == _FEWEST


def wiki_headings(text: str, start: int, end: int) -> Iterator[WikiHeading]:
    """Yield the wiki headings between two offsets, in order: lines with as many `=` on both sides.

    >>> [(heading.level, heading.start) for heading in wiki_headings("x\\n = = Plot = = \\ny", 0, 18)]
    [(2, 3)]
    """
    for match in _LINE.finditer(text, start, end):
        level = match["open"].count("=")
        if level == match["close"].count("=") and match["title"].strip(" \t="):
            yield WikiHeading(match.start("open"), match.end("close"), level)
