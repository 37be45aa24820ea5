"""Find sentence starts in English and Chinese with one vectorised rule.

A sentence ends with . ! ? or … (closing quotes, brackets and emphasis may follow) before white space and no lower-case
letter, unless the word is an abbreviation; or with 。！？； whatever follows. sentencex finds the same places with more
languages at 11 MB/s; this rule takes 100 MB/s, which is what lets a 10 MB document be measured in under two seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunking.text.characters import BLANK, CLOSE, HAN, LOWER, STOP, WIDE_STOP, TextCharacters

__all__ = ["after_wide_stop", "sentence_starts", "sentence_words"]

Bools = NDArray[np.bool_]

# fmt: off
_ABBREVIATIONS = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "mt", "rev", "gen", "col", "capt", "lt", "sgt", "hon", "vs",
    "cf", "ca", "approx", "fig", "figs", "eq", "eqs", "sec", "secs", "ch", "chap", "vol", "pp", "ed", "eds", "e.g",
    "i.e", "u.s", "u.k", "viz", "resp", "incl", "ave", "blvd", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
    "sep", "sept", "oct", "nov", "dec", "z.b", "bzw", "usw", "nr",
))
# fmt: on
"""Abbreviations, lower case, without the last dot; not those that often end a sentence, such as etc."""


def sentence_starts(text: str, *, semicolons: bool = True) -> NDArray[np.int32]:
    """Return the offsets of all sentence starts but the first; lines and blocks are ignored.

    Args:
        semicolons: True if a full-width semicolon ends a sentence, too.
    Returns:
        (n,) offsets, ascending, none of them at white space.

    >>> sentence_starts("See e.g. Dr. Li. It opens at 6.30! 门开了。门关了。").tolist()
    [17, 35, 39]
    """
    characters = TextCharacters.of(text)
    if not semicolons:
        characters.kinds[characters.points == ord("；")] = 0
    visible = np.concatenate(([False], ~characters.any_of(BLANK), [False])).astype(np.int8)
    change = np.diff(visible)
    first, last = np.flatnonzero(change == 1).astype(np.int32), (np.flatnonzero(change == -1) - 1).astype(np.int32)
    opens = after_wide_stop(characters) & ~characters.any_of(BLANK)
    opens[first] = sentence_words(text, characters, first, last)
    return np.flatnonzero(opens).astype(np.int32)


def sentence_words(text: str, characters: TextCharacters, first: NDArray[np.int32], last: NDArray[np.int32]) -> Bools:
    """Mark the words that open a sentence because of how the word before ends.

    Args:
        first: (n,) offset of each word's first character.
        last: (n,) offset of its last.
    Returns:
        (n,) True at the words that open a sentence; the first word does not count.
    """
    opens = np.zeros(len(first), np.bool_)
    if len(first) < 2:
        return opens
    kinds = characters.kinds
    stop, close = np.uint16(STOP | WIDE_STOP), np.uint16(CLOSE)
    ends = (kinds[last] & stop) != 0
    back = last
    for _ in range(3):
        closing = ~ends & ((kinds[back] & close) != 0)
        back = np.where(closing & (back > first), back - 1, back)
        ends |= closing & ((kinds[back] & stop) != 0)
    opens[1:] = ends[:-1] & ((kinds[first[1:]] & np.uint16(LOWER)) == 0)
    for word in np.flatnonzero(opens[1:] & (characters.points[back[:-1]] == ord("."))).tolist():
        if _is_abbreviation(text[first[word] : back[word]]):
            opens[word + 1] = False
    return opens


def after_wide_stop(characters: TextCharacters) -> Bools:
    """Return (n,) True at characters that open a sentence without white space before them, as in Chinese."""
    wide, close, han = (characters.any_of(bit) for bit in (WIDE_STOP, CLOSE, HAN))
    ended = wide.copy()
    for _ in range(2):
        ended[1:] |= close[1:] & ended[:-1]
    points = characters.points
    ascii_stop = (points == ord("!")) | (points == ord("?"))
    opens = np.zeros(len(wide), np.bool_)
    opens[1:] = ended[:-1] | (ascii_stop[:-1] & han[1:])
    return opens & ~characters.any_of(CLOSE | STOP | WIDE_STOP)


def _is_abbreviation(word: str) -> bool:
    """True if a word, without its last dot, may occur in the middle of a sentence."""
    word = word.lstrip("([{\"'*_“‘").lower()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")
