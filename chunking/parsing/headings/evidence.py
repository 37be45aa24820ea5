"""Combine evidence for a heading: each kind adds its weight, and the sum gives the confidence.

Formats find the evidence; the weights are the same for all. They are log-odds, as in a naive Bayes classifier:
independent evidence adds up, and none decides alone. `reads_like_heading` tests the words of a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.headings.numbering import WORDED, Numbering

__all__ = [
    "ADDRESS",
    "CONFIDENCE",
    "EVIDENCE",
    "HAN",
    "MOST_CHARACTERS",
    "MOST_HAN",
    "SENTENCES",
    "UNFINISHED",
    "Evidence",
    "confidence",
    "heading_meta",
    "reads_like_heading",
]

EVIDENCE = "evidence"
"""Key of a heading block's `meta`: kinds of evidence, the strongest first."""
CONFIDENCE = "confidence"
"""Key of a heading block's `meta`: confidence 0 to 1. Headings marked in the file have neither key."""

MOST_CHARACTERS, MOST_HAN = 160, 60
ADDRESS = re.compile(r"\S@\S|https?://|www\.")
_BEGINS = re.compile(r"[^\W_]|[\"“‘'《「『【〔§¿¡]\s?\w")
_CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|chart|plate|scheme|box)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[图表圖]\s?[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
SENTENCES = re.compile(r"[.!?]\s+[A-Z]\S*\s+\S+\s+\S|[。！？]\S")
"""End of a sentence with another one after it."""
UNFINISHED = re.compile(r"[,;，；、]\s*\Z|(?:\S+\s+){4,}(?:and|or|of|the|an?|to|in|for|with|by)\s*\Z")
"""End of a line that continues a sentence on the next one."""
HAN = re.compile(r"[\u3400-\u9fff]")
_FIGURES = re.compile(r"[\d.,:/%$€£¥()\s–-]+")
_VALUE = re.compile(r"[:：]\s*[\W\d]+\Z|_{3}")
"""Number or date after its label; a gap to fill in."""


class Evidence(StrEnum):
    """Kinds of evidence for a heading; the values are displayed."""

    CONTENTS = "table of contents"
    """Named by the document's table of contents."""
    LINK = "link"
    """Target of a link with the same words."""
    NUMBER = "number"
    """Number that follows that of the heading before."""
    LOOSE_NUMBER = "number out of order"
    """Number out of order: a gap, or too few numbers to tell."""
    RUNNING_HEAD = "running head"
    """Repeated in the running heads of the pages after it."""
    SIZE = "size"
    """Larger than the text."""
    WEIGHT = "bold"
    CAPITALS = "capitals"
    FONT = "font"
    """Different font, used consistently."""
    SPACE = "space"
    """More space above it than between lines."""
    POSITION = "position"
    """Centred, in the margin, or at the top of a page."""
    NAME = "name"
    """A usual section name: Abstract, References."""
    MARK = "mark"
    """Punctuation: dashes below, a colon after it."""


_PRIOR = -2.0
"""Log-odds of a short line worded like a heading."""
_WEIGHTS: Mapping[Evidence, float] = MappingProxyType(
    {
        Evidence.CONTENTS: 4.0,
        Evidence.LINK: 3.0,
        Evidence.NUMBER: 2.5,
        Evidence.LOOSE_NUMBER: 0.8,
        Evidence.RUNNING_HEAD: 2.5,
        Evidence.SIZE: 2.5,
        Evidence.WEIGHT: 1.8,
        Evidence.CAPITALS: 1.0,
        Evidence.FONT: 1.5,
        Evidence.SPACE: 1.0,
        Evidence.POSITION: 0.8,
        Evidence.NAME: 1.5,
        Evidence.MARK: 2.0,
    }
)


def confidence(evidence: Collection[Evidence]) -> float:
    """Return the probability that a line with this evidence is a heading, 0 to 1, to two digits.

    >>> confidence([]), confidence([Evidence.WEIGHT, Evidence.SPACE])
    (0.12, 0.69)
    >>> confidence([Evidence.SIZE, Evidence.NUMBER, Evidence.CONTENTS])
    1.0
    """
    odds = _PRIOR + sum(_WEIGHTS[one] for one in set(evidence))
    return round(1 / (1 + math.exp(-odds)), 2)


def heading_meta(evidence: Collection[Evidence]) -> dict[str, object]:
    """Return the `meta` of a guessed heading's block: evidence, strongest first, and confidence.

    >>> heading_meta([Evidence.SPACE, Evidence.WEIGHT])
    {'evidence': ('bold', 'space'), 'confidence': 0.69}
    """
    order = sorted(set(evidence), key=lambda one: (-_WEIGHTS[one], one))
    return {EVIDENCE: tuple(one.value for one in order), CONFIDENCE: confidence(evidence)}


def reads_like_heading(text: str, number: Numbering | None) -> bool:
    """True if a line's words fit a heading: no sentence, caption, address, value or open end.

    Args:
        number: parsed from the start of the line; None if it has none.

    >>> [reads_like_heading(line, None) for line in ("Safety notes", "It rains.", "Figure 3: Pump", "At: 5", "see the")]
    [True, False, False, False, False]
    """
    worded = number is not None and number.kind in WORDED
    if len(HAN.findall(text)) > MOST_HAN:
        return False
    words = text[len(number.text) :].strip() if number else text
    letters, han = sum(map(str.isalpha, words)), len(HAN.findall(words))
    if letters < (0 if worded else 2 - min(han, 1)) or (words and letters < 0.4 * len(words.replace(" ", ""))):
        return False
    begins_small = text[:1].islower() and number is None and not text[1:2].isupper()
    if not (number or _BEGINS.match(text)) or begins_small or _FIGURES.fullmatch(text):
        return False
    if ADDRESS.search(text) or _CAPTION.match(text) or UNFINISHED.search(text) or _VALUE.search(text):
        return False
    if text.endswith((":", "：")) and not worded:
        return False
    if worded:
        return not SENTENCES.search(words)
    return not ends_sentence(text) or text.endswith(("?", "？"))
