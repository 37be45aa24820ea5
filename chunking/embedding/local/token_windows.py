"""Tokens of a text of any length with their offsets, and the windows in which a model reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.text.characters import points_of
from chunking.text.sentences import sentence_starts

__all__ = ["Framing", "Ints", "TextTokens", "Window", "passages", "plan_windows", "unit_ends"]

Ints = NDArray[np.int32]

UNIT_TOKENS = 32
"""Maximum tokens of a unit, the smallest span with a stored mean."""
_SHORT_UNIT = 8
"""Minimum tokens before the end of a line or sentence ends a unit; a table of numbers would have many."""
_PASSAGE = 16_000
"""Characters passed to the tokenizer at once, about; a whole book in one call takes a gigabyte."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


class Framing(NamedTuple):
    """Special tokens and prompt before and after a text."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    unpooled: int
    """Number of tokens in `before` that are left out of the mean; 0 for most models."""

    @property
    def tokens(self) -> int:
        """Number of tokens before and after."""
        return len(self.before) + len(self.after)


class Window(NamedTuple):
    """Range of tokens that the model reads together, and those whose states are used."""

    first: int
    after: int
    own: tuple[int, int]
    """Tokens whose states are used from this window: in no other are they more central."""


@dataclass(frozen=True, slots=True)
class TextTokens:
    """Tokens of a text with their offsets, without special tokens; n in number."""

    ids: Ints
    starts: Ints
    """(n,) first character of each, ascending."""
    ends: Ints
    """(n,) one past its last."""

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Sequence[int], Sequence[tuple[int, int]]]]) -> TextTokens:
        """Join the tokens of passages, given as start of the passage, ids, and offsets in it."""
        ids, places = [np.zeros(0, np.int32)], [np.zeros((0, 2), np.int32)]
        for start, tokens, offsets in parts:
            ids.append(np.array(tokens, np.int32))
            places.append(np.array(offsets, np.int32).reshape(-1, 2) + np.int32(start))
        spans = np.maximum.accumulate(np.concatenate(places), axis=0)  # bytes of one character share its place
        return cls(np.concatenate(ids), spans[:, 0].copy(), spans[:, 1].copy())


def passages(text: str, size: int = _PASSAGE) -> list[tuple[int, int]]:
    """Split a text into (start, end) spans of up to `size` characters for the tokenizer.

    They end at line ends, or else at white space, or else anywhere.

    >>> passages("one two\\nthree four", size=8)
    [(0, 8), (8, 14), (14, 18)]
    """
    spans, start = [], 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            line = text.rfind("\n", start + size // 2, end)
            end = line + 1 if line >= 0 else next((at for at in range(end, start, -1) if text[at - 1].isspace()), end)
        spans.append((start, end))
        start = end
    return spans


def plan_windows(tokens: int, size: int) -> list[Window]:
    """Return half-overlapping windows of `size` tokens; each token belongs to its most central one.

    A text without tokens has one empty window.

    >>> [window.own for window in plan_windows(10, 4)]
    [(0, 3), (3, 5), (5, 7), (7, 10)]
    """
    stride = max(size // 2, 1)
    spans = [(first, min(first + size, tokens)) for first in range(0, max(tokens - size, 0) + stride, stride)]
    spans = [span for n, span in enumerate(spans) if n == 0 or span[1] > spans[n - 1][1]]
    edges = [0, *((before[1] + span[0]) // 2 for before, span in pairwise(spans)), tokens]
    return [Window(first, after, own) for (first, after), own in zip(spans, pairwise(edges), strict=True)]


def unit_ends(text: str, pieces: TextTokens) -> Ints:
    """Group tokens into units of at most 32, ending at ends of sentences, lines and paragraphs.

    Longer sentences are divided evenly; a unit has at least 8 tokens, unless a blank line or the text's end ends it.

    Returns:
        (units,) index of the token after each unit, ascending; the last is the number of tokens.
    """
    if not len(pieces):
        return np.zeros(0, np.int32)
    hard = _tokens_at(pieces, [match.end() for match in _BLANK_LINE.finditer(text)])
    lines = np.flatnonzero(points_of(text) == ord("\n")) + 1
    soft = _tokens_at(pieces, np.concatenate((sentence_starts(text), lines)))
    blank, ends, first = set(hard.tolist()), [], 0
    for place in sorted({*soft.tolist(), *hard.tolist(), len(pieces)}):
        if place - first < _SHORT_UNIT and place not in blank and place < len(pieces):
            continue
        parts = -(-(place - first) // UNIT_TOKENS)
        ends += [first + (place - first) * part // parts for part in range(1, parts + 1)]
        first = place
    return np.array(ends, np.int32)


def _tokens_at(pieces: TextTokens, offsets: Sequence[int] | NDArray[np.integer]) -> Ints:
    """First token at or after each offset, except for the text's beginning."""
    places = np.unique(np.searchsorted(pieces.starts, np.array(offsets, np.int32)))
    return places[places > 0].astype(np.int32)
