"""Numbers and names as people read them."""

from __future__ import annotations

import re

__all__ = ["LANGUAGES", "count", "duration", "plain"]

LANGUAGES = {"en": "English", "zh": "Chinese", "und": "not told"}


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "chunk"), count(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(0.4), duration(75), duration(8)
    ('under a second', '1 min 15 s', '8 s')
    """
    if seconds < 1:
        return "under a second"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def plain(text: str) -> str:
    """Text of a user's, safe where Streamlit reads Markdown: nothing in it becomes a link, an image, a formula or a heading.

    >>> print(plain("![x](y) $1 :red"))
    \\!\\[x\\]\\(y\\) \\$1 \\:red
    """
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~$:-])", r"\\\1", " ".join(text.split()))
