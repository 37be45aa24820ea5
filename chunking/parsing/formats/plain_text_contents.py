"""Find the table of contents of a plain text: its own lines, and the lines it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chunking.model import Span
from chunking.parsing.headings.contents_list import contents_lists

__all__ = ["TextContents", "contents_of_text"]

_HINT = re.compile(
    r"(?:\.[ \t]?){4,}+[ \t]*+\d{1,4}[ \t]*+$"
    r"|^[ \t]*+(?:(?:table[ ]of[ ])?contents|inhalt(?:sverzeichnis)?|sommaire|[íi]ndice|目[ "
    r"\t\u3000]*+[录錄次])[ \t]*+:?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
"""Cheap test: dots before a page number, or a label on its own line."""
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")
_FOOT = re.compile(r"\[Page \d{1,4}\][ \t]*\Z")
_TAIL = re.compile(r"[ \t]\d{1,4}[ \t]*\Z")
_WINDOW = 400
"""Lines after a hint where trailing numbers may be pages; elsewhere they belong to figures and references."""
_END = re.compile(r"\r\n?|\n")
_SHORT = 40
"""Maximum characters of a title without an empty line above."""
_FEWEST = 3
_MOST_OF_TEXT = 0.4


@dataclass(frozen=True, slots=True)
class TextContents:
    """Tables of contents of a text; empty if it has none."""

    spans: tuple[Span, ...] = ()
    """Lists with their labels: whole lines, in order and disjoint."""
    named: dict[int, int] = field(default_factory=dict)
    """Start and end of the lines they name, without surrounding white space."""


def contents_of_text(text: str) -> TextContents:
    """Certain tables of contents of a text: most of their titles are found further down.

    Feet and heads of printed pages inside a list belong to it.
    """
    hints = [hint.start() for hint in _HINT.finditer(text)]
    if not hints:
        return TextContents()
    lines = list(_lines(text))
    starts = [line.start for line in lines]
    candidates = _after_hints(hints, starts)
    texts = [
        text[line.start : line.end] if n in candidates else _as_title(text, lines, n) for n, line in enumerate(lines)
    ]
    spans: list[Span] = []
    named: dict[int, int] = {}
    for one in contents_lists(texts):
        first = one.first if one.label is None else one.label
        targets = [
            entry.target for entry in one.entries if entry.target is not None and entry.target.first >= one.after
        ]
        span = Span(lines[first].start, lines[one.after - 1].end)
        if (
            one.sure
            and len(targets) >= _FEWEST
            and span.end - span.start <= _MOST_OF_TEXT * len(text)
            and first in candidates
        ):
            spans.append(span)
            named |= {lines[target.first].start: lines[target.after - 1].end for target in targets}
    return TextContents(tuple(spans), named)


def _lines(text: str) -> Iterator[Span]:
    """Visible lines without surrounding white space, page feet, and heads after a form feed."""
    head = False
    done = 0
    for line in _LINE.finditer(text):
        head = head or "\f" in text[done : line.start()] or "\f" in line[0][:2]
        done = line.end()
        if not head and not _FOOT.search(line[0]):
            words = line[0]
            yield Span(line.start() + len(words) - len(words.lstrip()), line.start() + len(words.rstrip()))
        head = False


def _as_title(text: str, lines: Sequence[Span], n: int) -> str:
    """A line as a section title without a trailing number; empty if it is long and continues a paragraph."""
    line = lines[n]
    begins = not n or len(_END.findall(text, lines[n - 1].end, line.start)) > 1
    return _TAIL.sub("", text[line.start : line.end]) if begins or line.end - line.start <= _SHORT else ""


def _after_hints(hints: list[int], starts: list[int]) -> set[int]:
    """Lines at hints, and some after each."""
    lines: set[int] = set()
    last = -1
    for hint in hints:
        line = max(bisect_right(starts, hint) - 1, 0)
        lines.update(range(max(line, last), line + _WINDOW))
        last = line + _WINDOW
    return lines
