"""Character classes of a text, as bits, and the script of a letter.

Classes are white space, sentence ends, brackets and scripts without spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BLANK",
    "CLOSE",
    "COMMA",
    "EXTEND",
    "FREE",
    "HAN",
    "JOINER",
    "LATIN",
    "LOWER",
    "OPEN",
    "STOP",
    "WIDE_STOP",
    "TextCharacters",
    "kind_of",
    "look_up",
    "main_script",
    "points_of",
    "script_of",
]

BLANK = 1 << 0
"""White space, including the form feed, which some tokenizers drop."""
STOP = 1 << 1
"""Ends a sentence if white space follows."""
WIDE_STOP = 1 << 2
"""Ends a sentence without white space after it."""
COMMA = 1 << 3
"""Full-width comma and the like: a better boundary than between two Chinese characters."""
CLOSE = 1 << 4
"""Closing bracket or quote: belongs to the text before it."""
OPEN = 1 << 5
"""Opening bracket or quote: belongs to the text after it."""
HAN = 1 << 6
"""Han, kana or hangul: text without spaces."""
LOWER = 1 << 7
EXTEND = 1 << 8
"""Accent, variation selector, skin tone: one grapheme with the character before it."""
JOINER = 1 << 9
"""Zero-width joiner and regional indicators: one grapheme with the character after it."""
FREE = 10
"""First bit of tokenizer-specific classes, see `splitting.measure.cut_places`."""

_NAMED: dict[int, str] = {
    STOP: ".!?…",
    WIDE_STOP: "。！？｡‼⁇⁈⁉；",
    COMMA: "，、：︰",
    CLOSE: "\"'*_`~",
    JOINER: "\u200d",
    EXTEND: "\u200c\u200d\ufe0e\ufe0f\u20e3",
}
_HAN_RANGES = (
    (0x2E80, 0x2FDF),
    (0x3041, 0x3134),
    (0x31A0, 0x31FF),
    (0x3400, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_EXTEND_RANGES = ((0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F), (0xFE00, 0xFE0E), (0x1160, 0x11FF))
_CATEGORIES = {"Mn": EXTEND, "Mc": EXTEND, "Me": EXTEND, "Pe": CLOSE, "Pf": CLOSE, "Ps": OPEN, "Pi": OPEN, "Ll": LOWER}

LATIN = "LATIN"


@dataclass(frozen=True, slots=True)
class TextCharacters:
    """A text as arrays with one entry per character."""

    points: NDArray[np.unsignedinteger]
    """(n,) code points; uint8 where the text is ASCII, else uint32."""
    kinds: NDArray[np.uint16]
    """(n,) class bits."""

    def any_of(self, bits: int) -> NDArray[np.bool_]:
        """Return (n,) True where a character has one of the class bits."""
        flags: NDArray[np.bool_] = (self.kinds & np.uint16(bits)) != 0
        return flags

    @classmethod
    def of(cls, text: str) -> TextCharacters:
        """Classify the characters of a text, without tokenizer-specific bits."""
        points = points_of(text)
        return cls(points, look_up(points, kind_of))


def points_of(text: str) -> NDArray[np.unsignedinteger]:
    """Return the code points of a text as an array: uint8 if it is ASCII, else uint32."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def look_up(points: NDArray[np.unsignedinteger], kind: Callable[[str], int]) -> NDArray[np.uint16]:
    """Return the class bits of all characters of a text.

    `kind` is called once per distinct character, so that ten million characters cost as much as a few thousand.
    """
    different = np.flatnonzero(np.bincount(points)).tolist()
    table = np.zeros(different[-1] + 1 if different else 1, np.uint16)
    table[different] = [kind(chr(point)) for point in different]
    kinds: NDArray[np.uint16] = table[points]
    return kinds


@lru_cache(maxsize=65_536)
def kind_of(char: str) -> int:
    """Return the class bits of one character."""
    point = ord(char)
    bits = _CATEGORIES.get(unicodedata.category(char), 0)
    bits |= sum(bit for bit, chars in _NAMED.items() if char in chars)
    bits |= HAN if _in_ranges(point, _HAN_RANGES) else 0
    bits |= EXTEND if _in_ranges(point, _EXTEND_RANGES) else 0
    bits |= JOINER if 0x1F1E6 <= point <= 0x1F1FF else 0
    return bits | (BLANK if char.isspace() else 0)


def _in_ranges(point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= point <= high for low, high in ranges)


@lru_cache(maxsize=65_536)
def script_of(letter: str) -> str:
    """Return the script of a letter (the first word of its Unicode name), or "" for other characters.

    Compatibility forms count as the letters they stand for: half-width kana, full-width and mathematical Latin.

    >>> [script_of(letter) for letter in ("a", "ж", "水", "ｶ", "𝐱", "µ", "7")]
    ['LATIN', 'CYRILLIC', 'CJK', 'KATAKANA', 'LATIN', 'GREEK', '']
    """
    plain = unicodedata.normalize("NFKC", letter)[:1]
    return re.split("[ -]", unicodedata.name(plain, ""), maxsplit=1)[0] if plain.isalpha() else ""


def main_script(text: str) -> str:
    """Return the script of most letters of a text, or "" if it has no letters.

    >>> main_script("Спасибо, Bob"), main_script("42")
    ('CYRILLIC', '')
    """
    counts = Counter(script_of(char) for char in text if char.isalpha())
    return counts.most_common(1)[0][0] if counts else ""
