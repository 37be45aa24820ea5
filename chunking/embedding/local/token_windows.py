"""A text of any length as tokens with their places, and the windows in which a model reads them."""

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

__all__ = ["Around", "Ints", "TextTokens", "Window", "passages", "plan_windows", "unit_ends"]

Ints = NDArray[np.int32]

UNIT_TOKENS = 32
"""Most tokens in a unit: what a sum is kept of."""
_SHORT_UNIT = 8
"""Tokens under which a unit goes on over the end of a line or sentence: a table of numbers would have a sum for each.
"""
_PASSAGE = 16_000
"""Characters given to the tokenizer at once, about; a whole book in one piece takes a gigabyte."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


class Around(NamedTuple):
    """What a model reads besides a text: special tokens and a prompt."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    unpooled: int
    """How many of `before` are left out of the mean; 0 for most models."""

    @property
    def tokens(self) -> int:
        """How many these are."""
        return len(self.before) + len(self.after)


class Window(NamedTuple):
    """Tokens that are read together."""

    first: int
    after: int
    own: tuple[int, int]
    """Those of them that are taken from this window: nowhere else do they stand nearer to the middle."""


@dataclass(frozen=True, slots=True)
class TextTokens:
    """The n tokens of a text, without special ones."""

    ids: Ints
    starts: Ints
    """(n,) first character of each, ascending."""
    ends: Ints
    """(n,) one past its last."""

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Sequence[int], Sequence[tuple[int, int]]]]) -> TextTokens:
        """Of passages: where each starts, its tokens, their places in it."""
        ids, places = [np.zeros(0, np.int32)], [np.zeros((0, 2), np.int32)]
        for start, tokens, offsets in parts:
            ids.append(np.array(tokens, np.int32))
            places.append(np.array(offsets, np.int32).reshape(-1, 2) + np.int32(start))
        spans = np.maximum.accumulate(np.concatenate(places), axis=0)  # bytes of one character share its place
        return cls(np.concatenate(ids), spans[:, 0].copy(), spans[:, 1].copy())


def passages(text: str, size: int = _PASSAGE) -> list[tuple[int, int]]:
    """Cut a text for the tokenizer, at the ends of lines where there are any, else at white space.

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
    """Windows of `size` tokens, each half over the one before; every token belongs to the one where it is most central.

    A text without tokens has one window without any.

    >>> [window.own for window in plan_windows(10, 4)]
    [(0, 3), (3, 5), (5, 7), (7, 10)]
    """
    stride = max(size // 2, 1)
    spans = [(first, min(first + size, tokens)) for first in range(0, max(tokens - size, 0) + stride, stride)]
    spans = [span for n, span in enumerate(spans) if n == 0 or span[1] > spans[n - 1][1]]
    edges = [0, *((before[1] + span[0]) // 2 for before, span in pairwise(spans)), tokens]
    return [Window(first, after, own) for (first, after), own in zip(spans, pairwise(edges), strict=True)]


def unit_ends(text: str, pieces: TextTokens) -> Ints:
    """Where units of at most `UNIT_TOKENS` end: at the ends of sentences and lines, and inside long ones at even
    distances.

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
    """The first token at or after each offset; none at the text's beginning."""
    places = np.unique(np.searchsorted(pieces.starts, np.array(offsets, np.int32)))
    return places[places > 0].astype(np.int32)
