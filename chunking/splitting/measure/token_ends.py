"""Ends of a text's tokens by a SentencePiece model, which reads each distinct word once.

Such a model makes no token across white space, so the tokens of a word are the same wherever it stands. An English text
has one distinct word in ten; Chinese or Thai, whose words are as long as sentences, costs as much as without.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.token_counter import TokenCounter

__all__ = ["ends_by_word"]

Ints = NDArray[np.int32]

_WORDS = 400
"""Words in a passage for the model; many short texts cost several times as much as few longer ones."""
_SPACES = " \t\n\r\u00a0\u3000"
"""White space for the model and for `str.split` alike."""
_ODD_SPACE = re.compile(f"[^\\S{_SPACES}]")
"""White space for `str.split` that the model may drop, which joins the words around it."""


def ends_by_word(text: str, points: NDArray[np.unsignedinteger], counter: TokenCounter) -> Ints | None:
    """Return the (t,) ascending end offsets of a text's tokens; None if its words are not certain.

    Args:
        points: (len(text),) code points of the text.
        counter: of a tokenizer that divides at white space.
    """
    if _ODD_SPACE.search(text):
        return None
    words = text.split()
    numbered: dict[str, int] = {word: number for number, word in enumerate(dict.fromkeys(words))}
    numbers = np.fromiter(map(numbered.__getitem__, words), np.int32, len(words))
    ends, begins, counts = _ends_in_words(list(numbered), counter)
    each = counts[numbers]
    before = np.cumsum(each) - each
    places = np.arange(int(each.sum())) + np.repeat(begins[numbers] - before, each)
    result: Ints = (np.repeat(_starts(points), each) + ends[places]).astype(np.int32)
    return result


def _ends_in_words(words: list[str], counter: TokenCounter) -> tuple[Ints, Ints, Ints]:
    """Return the ends of all tokens in their words, and the first token and number of tokens of each word."""
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    starts = np.cumsum(lengths + 1, dtype=np.int32) - lengths - 1  # as if one space stood between them
    passages = range(0, len(words), _WORDS)
    rows = counter.token_ends([" ".join(words[first : first + _WORDS]) for first in passages])
    # The mark of a passage's beginning may be a token of its own, before the first letter: it belongs to the word.
    moved = (np.maximum(row, 1) + starts[first] for row, first in zip(rows, passages, strict=True))
    ends = np.concatenate([np.zeros(0, np.int32), *moved])
    begins = np.searchsorted(ends, starts, "right").astype(np.int32)
    counts = (np.searchsorted(ends, starts + lengths, "right") - begins).astype(np.int32)
    offsets = ends - np.repeat(starts, np.diff(begins, append=len(ends)))
    return offsets.astype(np.int32), begins, counts


def _starts(points: NDArray[np.unsignedinteger]) -> Ints:
    """Return the (words,) offsets at which words begin."""
    space = np.isin(points, [ord(char) for char in _SPACES])
    return np.flatnonzero(np.diff(space.view(np.int8), prepend=1) == -1).astype(np.int32)
