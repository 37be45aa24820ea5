"""BM25 of every question against every chunk, from counts: what the full-text index would say.

The engine (Lance) counts all levels of an index together, takes the better of the text's score and half of the
headings', and
a word that a question says twice twice. Its arithmetic is the usual one with k1 = 1.2 and b = 0.75; checked against it
in a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation.live.live_levels import LiveLevel
from chunking.evaluation.live.live_terms import Holdings
from chunking.store.index.full_text import TextQuery

__all__ = ["Headings", "query_words", "word_scores"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_K1, _B = 1.2, 0.75
_AT_ONCE = 8_192
"""Chunks whose words are weighed at once: bounds the memory of large workspaces."""


@dataclass(frozen=True, slots=True, eq=False)
class Headings:
    """The title paths that chunks can have, r rows, a last one of each document without any."""

    lengths: Ints
    held: Holdings


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Words of questions in n rows, each row and word once."""

    row: NDArray[np.int64]
    """Ascending."""
    term: NDArray[np.int64]
    times: Floats
    lengths: Floats
    """(n,)"""


def query_words(questions: Sequence[Sequence[int]], words: int) -> Floats:
    """(q, words): how often each question says each word."""
    said = np.zeros((len(questions), words), np.float32)
    for row, numbers in enumerate(questions):
        np.add.at(said[row], list(numbers), 1.0)
    return said


def word_scores(said: Floats, levels: Sequence[LiveLevel], headings: Headings) -> list[Floats]:
    """(q, n) of each level; 0 where a chunk holds no word of a question.

    Args:
        said: see `query_words`.
        levels: all levels of the index.
    """
    texts = [_counted(level.held, level.lengths, said.shape[1]) for level in levels]
    of_text = _scored(said, texts)
    used = np.bincount(np.concatenate([level.headings for level in levels]), minlength=len(headings.lengths))
    named = _counted(headings.held, headings.lengths, said.shape[1])
    (of_heading,) = _scored(said, [named], used)
    of_heading *= np.float32(TextQuery().headings_boost)
    return [np.maximum(own, of_heading[:, level.headings], out=own) for own, level in zip(of_text, levels, strict=True)]


def _counted(held: Holdings, lengths: Ints, words: int) -> _Counted:
    codes = held.chunk * words + held.term
    codes.sort()
    new = np.ones(len(codes), np.bool_)
    new[1:] = codes[1:] != codes[:-1]
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, len(codes))).astype(np.float32)
    row, term = np.divmod(codes[first], max(words, 1))
    return _Counted(row, term, times, lengths.astype(np.float32))


def _scored(said: Floats, tables: Sequence[_Counted], often: NDArray[np.int64] | None = None) -> list[Floats]:
    """(q, n) of each table, by what all of them hold together.

    Args:
        often: (n,) how many rows of the index each row of the only table stands for; None: each for itself.
    """
    words = said.shape[1]
    weights = [np.ones(len(table.lengths)) if often is None else often for table in tables]
    rows = sum(float(some.sum()) for some in weights)
    length = sum(float((table.lengths * some).sum()) for table, some in zip(tables, weights, strict=True))
    if not rows or not length:
        return [np.zeros((len(said), len(table.lengths)), np.float32) for table in tables]
    holding = sum(np.bincount(table.term, some[table.row], words) for table, some in zip(tables, weights, strict=True))
    rarity = np.log1p((rows - holding + 0.5) / (holding + 0.5)).astype(np.float32)
    return [_one(said * rarity, table, np.float32(rows / length)) for table in tables]


def _one(wanted: Floats, table: _Counted, per_length: np.float32) -> Floats:
    penalty = np.float32(_K1) * (np.float32(1 - _B) + np.float32(_B) * table.lengths * per_length)
    values = table.times * np.float32(_K1 + 1) / (table.times + penalty[table.row])
    scores = np.empty((len(wanted), len(table.lengths)), np.float32)
    for first in range(0, len(table.lengths), _AT_ONCE):
        after = min(first + _AT_ONCE, len(table.lengths))
        low, high = np.searchsorted(table.row, (first, after))
        dense = np.zeros((wanted.shape[1], after - first), np.float32)
        dense[table.term[low:high], table.row[low:high] - first] = values[low:high]
        np.matmul(wanted, dense, out=scores[:, first:after])
    return scores
