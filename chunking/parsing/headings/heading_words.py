"""Test whether the words of a line fit a heading: no sentence, caption, address, or value after its label."""

from __future__ import annotations

import re

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.headings.numbering import WORDED, Numbering

__all__ = ["MOST_CHARACTERS", "reads_like_heading"]

MOST_CHARACTERS, _MOST_HAN = 160, 60
_ADDRESS = re.compile(r"\S@\S|https?://|www\.")
_BEGINS = re.compile(r"[^\W_]|[\"“‘'《「『【〔§¿¡]\s?\w")
_CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|chart|plate|scheme|box)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[图表圖]\s?[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?]\s+[A-Z]\S*\s+\S+\s+\S|[。！？]\S")
_OPEN = re.compile(r"[,;，；、]\s*\Z|(?:\S+\s+){4,}(?:and|or|of|the|an?|to|in|for|with|by)\s*\Z")
_HAN = re.compile(r"[\u3400-\u9fff]")
_FIGURES = re.compile(r"[\d.,:/%$€£¥()\s–-]+")
_VALUE = re.compile(r"[:：]\s*[\W\d]+\Z|_{3}")
"""A number or date after its label; a gap to fill in."""


def reads_like_heading(text: str, number: Numbering | None) -> bool:
    """True if a line's words could be a heading's.

    Args:
        number: at the start of the line.

    >>> [reads_like_heading(line, None) for line in ("Safety notes", "It rains.", "Figure 3: Pump", "At: 5", "see the")]
    [True, False, False, False, False]
    """
    worded = number is not None and number.kind in WORDED
    if len(_HAN.findall(text)) > _MOST_HAN:
        return False
    words = text[len(number.text) :].strip() if number else text
    letters, han = sum(map(str.isalpha, words)), len(_HAN.findall(words))
    if letters < (0 if worded else 2 - min(han, 1)) or (words and letters < 0.4 * len(words.replace(" ", ""))):
        return False
    begins_small = text[:1].islower() and number is None and not text[1:2].isupper()
    if not (number or _BEGINS.match(text)) or begins_small or _FIGURES.fullmatch(text):
        return False
    if _ADDRESS.search(text) or _CAPTION.match(text) or _OPEN.search(text) or _VALUE.search(text):
        return False
    if text.endswith((":", "：")) and not worded:
        return False
    if worded:
        return not _SENTENCES.search(words)
    return not ends_sentence(text) or text.endswith(("?", "？"))
