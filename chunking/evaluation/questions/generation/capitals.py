"""Large letters: a title or the beginning of a sentence as it stands inside a question."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

__all__ = ["naturally", "small"]

_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Z][a-z’'-]+")
_SMALL = re.compile(r"(?<![\w./@`_-])[a-z][a-z’'-]+(?![\w/@`_-]|\.\w)")


def naturally(title: str, text: str) -> str:
    """A title as it stands in a sentence: words that the text writes large inside sentences stay large.

    >>> naturally("Alarm Rules for Roost and TLS", "It is Roost that sends. My alarm has rules.")
    'alarm rules for Roost and TLS'
    """
    words = title.split()
    sentence_case = not any(word[:1].isupper() and word[1:].islower() for word in words[1:])
    return " ".join(small(word, text, unknown_small=sentence_case) for word in words)


def small(word: str, text: str, *, unknown_small: bool = True) -> str:
    """A word as it stands inside a sentence.

    Args:
        unknown_small: what to do with one that the text has nowhere else.
    """
    if not word[:1].isupper() or not word[1:].islower() or len(word) < 2:
        return word
    inside, lower = _counts(text)
    if word in inside or word.lower() in lower:
        return word if inside[word] > lower[word.lower()] else word.lower()
    return word.lower() if unknown_small or word.endswith("ing") else word


@lru_cache(maxsize=8)
def _counts(text: str) -> tuple[Counter[str], Counter[str]]:
    """(words that are large inside sentences, words that are small, as words of their own)."""
    return Counter(_INSIDE.findall(text)), Counter(_SMALL.findall(text))
