"""The class of each character of a text, for a reader and for the tokenizer, as bits in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.token_counter import TokenCounter
from chunking.text.characters import FREE, kind_of, look_up, points_of
from chunking.text.characters import TextCharacters as PlainCharacters

__all__ = ["ALONE", "SPACE", "ClassifiedCharacters", "look_at"]

SPACE = 1 << FREE
"""Parts words, for the tokenizer too."""
ALONE = 1 << FREE + 1
"""A word of its own for the tokenizer: counts add up at a cut next to it."""
LENGTH = FREE + 2
"""First bit of the letters it adds to a word, see `token_counter.Letter`."""


@dataclass(frozen=True, slots=True)
class ClassifiedCharacters(PlainCharacters):
    """A text as arrays, one entry a character; `kinds` has the bits above, too."""

    split_as_python: bool
    """`str.split` finds the tokenizer's words: the text has no form feed or other control character."""

    def lengths(self, start: int, end: int) -> NDArray[np.int32]:
        """(end - start,) letters that each character adds to the tokenizer's word."""
        return (self.kinds[start:end] >> np.uint16(LENGTH)).astype(np.int32)


def look_at(text: str, counter: TokenCounter) -> ClassifiedCharacters:
    """Classify every character of a text."""
    agrees = True

    def kind(char: str) -> int:
        nonlocal agrees
        letter = counter.letter(char)
        agrees = agrees and char.isspace() == letter.space
        return kind_of(char) | SPACE * letter.space | ALONE * letter.alone | min(letter.length, 15) << LENGTH

    points = points_of(text)
    kinds = look_up(points, kind)
    return ClassifiedCharacters(points, kinds, agrees)
