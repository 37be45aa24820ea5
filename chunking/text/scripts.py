"""The writing system of a letter and of a text, from the names that Unicode gives its characters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

__all__ = ["LATIN", "main_script", "script_of"]

LATIN = "LATIN"


@lru_cache(maxsize=65_536)
def script_of(letter: str) -> str:
    """The script of a letter: the first word of its Unicode name; empty for what is no letter.

    Compatibility forms count as the letters they stand for: half-width kana, full-width and mathematical Latin.

    >>> [script_of(letter) for letter in ("a", "ж", "水", "ｶ", "𝐱", "µ", "7")]
    ['LATIN', 'CYRILLIC', 'CJK', 'KATAKANA', 'LATIN', 'GREEK', '']
    """
    plain = unicodedata.normalize("NFKC", letter)[:1]
    return re.split("[ -]", unicodedata.name(plain, ""), maxsplit=1)[0] if plain.isalpha() else ""


def main_script(text: str) -> str:
    """The script of most letters of a text; empty where it has none.

    >>> main_script("Спасибо, Bob"), main_script("42")
    ('CYRILLIC', '')
    """
    counts = Counter(script_of(char) for char in text if char.isalpha())
    return counts.most_common(1)[0][0] if counts else ""
