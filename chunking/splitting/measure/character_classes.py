"""What each character of a text is, as bits in one array: found out once for each different character."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.token_counter import TokenCounter

__all__ = [
    "ALONE",
    "BLANK",
    "CLOSE",
    "COMMA",
    "EXTEND",
    "HAN",
    "JOINER",
    "LOWER",
    "OPEN",
    "SPACE",
    "STOP",
    "WIDE_STOP",
    "Characters",
    "look_at",
]

SPACE = 1 << 0
"""Parts words, for the tokenizer too."""
STOP = 1 << 1
"""Ends a sentence where white space follows."""
WIDE_STOP = 1 << 2
"""Ends a sentence whatever follows."""
COMMA = 1 << 3
"""Full-width comma and its like: a better place than between any two Chinese characters."""
CLOSE = 1 << 4
"""Closing bracket or quote: belongs to what stands before it."""
OPEN = 1 << 5
"""Opening bracket or quote: belongs to what follows."""
HAN = 1 << 6
"""Han, kana or hangul: text without spaces."""
LOWER = 1 << 7
EXTEND = 1 << 8
"""Accent, variation selector, skin tone: one character with what stands before it, for a reader."""
JOINER = 1 << 9
"""Zero-width joiner and regional indicators: what follows belongs to it."""
ALONE = 1 << 10
"""A word of its own for the tokenizer: counts add up at a cut beside it."""
BLANK = 1 << 11
"""White space for a reader: also a form feed, which the tokenizer drops rather than take it for a space."""
LENGTH = 12
"""From this bit on: letters it adds to a word, see `token_counter.Letter`."""

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


@dataclass(frozen=True, slots=True)
class Characters:
    """A text as arrays, one entry a character."""

    points: NDArray[np.unsignedinteger]
    """(n,) code points; uint8 where the text is ASCII, else uint32."""
    kinds: NDArray[np.uint16]
    """(n,) bits as above."""
    split_as_python: bool
    """`str.split` finds the same words as the tokenizer: there is no form feed or other control character in the text."""

    def any_of(self, bits: int) -> NDArray[np.bool_]:
        """(n,) True where a character is of one of the kinds."""
        found: NDArray[np.bool_] = (self.kinds & np.uint16(bits)) != 0
        return found

    def lengths(self, start: int, end: int) -> NDArray[np.int32]:
        """(end - start,) letters each character adds to the tokenizer's word."""
        return (self.kinds[start:end] >> np.uint16(LENGTH)).astype(np.int32)


def look_at(text: str, counter: TokenCounter) -> Characters:
    """The kinds of all characters of a text.

    The table is asked for each *different* character only, so that ten million cost as much as a few thousand.
    """
    if text.isascii():
        points: NDArray[np.unsignedinteger] = np.frombuffer(text.encode("ascii"), np.uint8)
        size = 128
    else:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        size = int(points.max()) + 1
    different = np.flatnonzero(np.bincount(points, minlength=size))
    table = np.zeros(size, np.uint16)
    table[different] = [_kind(chr(point), counter) for point in different.tolist()]
    agrees = all(chr(point).isspace() == bool(table[point] & SPACE) for point in different.tolist())
    return Characters(points, table[points], agrees)


def _kind(char: str, counter: TokenCounter) -> int:
    point = ord(char)
    bits = _CATEGORIES.get(unicodedata.category(char), 0)
    bits |= sum(bit for bit, chars in _NAMED.items() if char in chars)
    bits |= HAN if _within(point, _HAN_RANGES) else 0
    bits |= EXTEND if _within(point, _EXTEND_RANGES) else 0
    bits |= JOINER if 0x1F1E6 <= point <= 0x1F1FF else 0
    letter = counter.letter(char)
    bits |= BLANK if char.isspace() else 0
    return bits | SPACE * letter.space | ALONE * letter.alone | min(letter.length, 15) << LENGTH


def _within(point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= point <= high for low, high in ranges)
