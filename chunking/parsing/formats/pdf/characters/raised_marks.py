"""Raised characters in plain text: marks of notes in brackets, exponents after a sign; all others stay where they stand.

A mark that only looks like a part of its word (`networks1`) would spoil the word for search, and an exponent its number
(`106` for ten to the sixth).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["MARK", "label_of", "marked_parts", "may_be_mark", "written"]

MARK = re.compile(r"\d{1,3}[).]?|[*∗†‡§¶]{1,3}|[a-z][).]?")
"""What refers to a note."""
_NUMBERS = re.compile(r"\d{1,3}[).]?(?:\s*[,;–-]\s*\d{1,3})*,?")
_EXPONENT = re.compile(r"[-−–+]?\d{1,3}")
_FRACTION = "⁄"
_WORD = re.compile(r"[^\W\d_]{3,}\Z|(?<![^\W\d_])[A-Z][a-z]\Z")
_SHORT = re.compile(r"(?<![^\W\d_])[A-Z]{1,4}\Z")
"""Chemical and other symbols: what stands raised after these belongs to them."""
_STOP = re.compile(r"[.,;:!?”’\"»\]]\Z")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u3001\u3002\uff0c\uff1b\u300b\u300d\u201d]\\Z")


def label_of(mark: str) -> str:
    """What a mark and its note have in common: `1)` and `1` are one.

    >>> label_of("1)"), label_of("∗")
    ('1', '*')
    """
    return mark.strip(" .)(,").replace("∗", "*")


def may_be_mark(before: str) -> bool:
    """Whether what stands raised after some text may refer to a note rather than be an exponent.

    >>> [may_be_mark(text) for text in ("of networks", "tails.", "10", "CDO", "x", "约定")]
    [True, True, False, False, False, True]
    """
    return bool((_WORD.search(before) and not _SHORT.search(before)) or _STOP.search(before) or _WIDE.search(before))


def written(text: str, raised: Iterable[tuple[int, int]]) -> str:
    """A text with its raised parts as they are written when none of them is known to refer to a note.

    >>> written("networks.1 As of 106 in m2", [(9, 10), (19, 20), (25, 26)])
    'networks.[1] As of 10^6 in m2'
    """
    return "".join(part for part, _ in marked_parts(text, raised, ()))


def marked_parts(
    text: str, raised: Iterable[tuple[int, int]], linked: Iterable[tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """A text part by part, the raised ones as they are written and with their places."""
    done = 0
    for start, end in raised:
        mark, before = text[start:end], text[:start]
        if (start, end) in linked:
            shown = f"[{label_of(mark)}]"
        elif before[-1:].isdigit() and text[end : end + 1] == _FRACTION:
            shown = f" {mark}"
        elif before[-1:].isdigit() and _EXPONENT.fullmatch(mark):
            shown = f"^{mark}"
        elif _NUMBERS.fullmatch(mark) and may_be_mark(before):
            shown = f"[{mark.strip(' .),')}]" + ("," if mark.endswith(",") else "")
        else:
            shown = mark
        yield text[done:start], None
        yield shown, (start, end)
        done = end
    yield text[done:], None
