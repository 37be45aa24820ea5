"""The running token count at every place of a document: its one pass through the tokenizer (law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import CutPlaces, Rank
from chunking.splitting.measure.long_words import Parts, count_parts
from chunking.splitting.measure.token_counter import TokenCounter

__all__ = ["Ruler", "TokenPositions", "measure"]

Ints = NDArray[np.int32]

_PASSAGE = 2000
"""Fewest characters of a passage given to a tokenizer that crosses white space."""
_SLACK = 8
"""Tokens by which a chunk may exceed its count in the passage: at its two ends and at its prefix's."""


class Ruler(NamedTuple):
    """Units up to each place, ascending: a chunk from i to j measures at most `ends[j] - starts[i]`.

    Exact for characters, and for tokens unless a word is cut.
    """

    starts: Ints
    ends: Ints

    def between(self, first: Ints, after: Ints) -> Ints:
        """(k,) units of the chunks between pairs of places."""
        return self.ends[after] - self.starts[first]


@dataclass(frozen=True, slots=True)
class TokenPositions:
    """Tokens of any chunk of a document, without the tokenizer."""

    starts: Ints
    """(n,) tokens before a chunk that begins at each place."""
    ends: Ints
    """(n,) tokens up to the end of a chunk; `ends[j] - starts[i]` is exact unless both are in one word."""
    run: Ints
    """(n,) number of the long word that each place is inside, else -1."""
    inside: dict[tuple[int, int], int]
    """Tokens between two places inside one long word; 1 (unknown) if not listed."""
    fit: Ruler
    """The ruler for packing: a word that the tokenizer cannot read weighs by its letters."""
    slack: int
    """Most tokens that a chunk may have over its measure; 0 where counts add up."""

    def tokens(self, first: Ints, after: Ints) -> Ints:
        """(k,) tokens of the chunks between pairs of places, slack included."""
        counts = self.ends[after] - self.starts[first]
        same = np.flatnonzero((self.run[first] >= 0) & (self.run[first] == self.run[after]))
        for k in same.tolist():
            counts[k] = self.inside.get((int(first[k]), int(after[k])), 1)
        return counts + np.int32(self.slack)

    def tokens_between(self, first: int, after: int) -> int:
        """Tokens of one chunk, without slack."""
        if self.run[first] >= 0 and self.run[first] == self.run[after]:
            return self.inside.get((first, after), 1)
        return int(self.ends[after]) - int(self.starts[first])


def measure(text: str, marks: CutMarks, counter: TokenCounter) -> TokenPositions:
    """Count the tokens up to each place."""
    if counter.crosses_space:
        return _measure_passages(text, marks, counter)
    places = marks.places
    return _Sums(places, _count_pieces(text, places, counter)).result(count_parts(text, places.runs, counter))


def _count_pieces(text: str, places: CutPlaces, counter: TokenCounter) -> NDArray[np.int64]:
    """(n - 1,) tokens between each place and the next."""
    first, stop = places.first[:-1], places.stop[1:]
    counts = np.zeros(len(first), np.int64)
    inner = places.first == places.stop  # white space stands before every other place
    inner[:1] = False
    word = ~inner[:-1] & ~inner[1:]
    single = ~word & (stop - first == 1)
    other = ~word & ~single
    counts[word] = counter.count_words(_words(text, places, word, ~inner[:-1]))
    counts[single] = _by_character(places.characters.points[first[single]], counter)
    counts[other] = counter.count_words(_slices(text, first[other], stop[other]))
    return counts


def _words(text: str, places: CutPlaces, uncut: NDArray[np.bool_], begins: NDArray[np.bool_]) -> Sequence[str]:
    """The words that no cut parts; `begins` are the places at which any word begins."""
    if places.characters.split_as_python:  # three times as fast as slicing
        return list(compress(text.split(), uncut[begins].tolist()))
    return _slices(text, places.first[:-1][uncut], places.stop[1:][uncut])


def _slices(text: str, starts: Ints, ends: Ints) -> list[str]:
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _by_character(points: NDArray[np.unsignedinteger], counter: TokenCounter) -> Ints:
    """Tokens of pieces of one character each."""
    if not len(points):
        return np.zeros(0, np.int32)
    different = np.flatnonzero(np.bincount(points))
    table = np.zeros(int(different[-1]) + 1, np.int32)
    table[different] = counter.count_words([chr(point) for point in different.tolist()])
    counts: Ints = table[points]
    return counts


class _Sums:
    """Running counts, corrected for the parts of long words."""

    def __init__(self, places: CutPlaces, counts: NDArray[np.int64]) -> None:
        self.first = places.first
        self.counts = counts
        self.weights = counts.copy()
        self.run = np.full(len(self.first), -1, np.int32)
        self.inside: dict[tuple[int, int], int] = {}

    def result(self, parts: list[Parts]) -> TokenPositions:
        edges = [np.searchsorted(self.first, one.run.edges) for one in parts]
        unreadable = [one.unreadable() for one in parts]
        for one, at, blind in zip(parts, edges, unreadable, strict=True):
            self._put(self.counts, at, one.tokens(0, len(at) - 1))
            if blind:
                self.weights[at[:-1]] = one.weights()
            else:
                self._put(self.weights, at, one.tokens(0, len(at) - 1))
        exact, fit = _running(self.counts), _running(self.weights)
        starts, ends, fit_starts, fit_ends = exact.copy(), exact.copy(), fit.copy(), fit.copy()
        for number, (one, at, blind) in enumerate(zip(parts, edges, unreadable, strict=True)):
            self._inside(number, one, at)
            self._split(one, at, exact, starts, ends)
            if not blind:
                self._split(one, at, fit, fit_starts, fit_ends)
                self._bound(one, at, fit_starts, fit_ends)
        ruler = Ruler(np.minimum.accumulate(fit_starts[::-1])[::-1].copy(), np.maximum.accumulate(fit_ends))
        return TokenPositions(starts, ends, self.run, self.inside, ruler, 0)

    def _put(self, counts: NDArray[np.int64], at: NDArray[np.intp], total: int) -> None:
        counts[at[:-1]] = 0
        counts[at[-2]] = total

    def _inside(self, number: int, parts: Parts, at: NDArray[np.intp]) -> None:
        self.run[at[1:-1]] = number
        last = len(at) - 1
        self.inside.update({(int(at[i]), int(at[j])): n for (i, j), n in parts.counted.items() if i > 0 and j < last})

    def _split(self, parts: Parts, at: NDArray[np.intp], running: Ints, starts: Ints, ends: Ints) -> None:
        """Count the front part for a chunk that ends in the word, the rest for one that begins in it."""
        last = len(at) - 1
        for edge in range(1, last):
            ends[at[edge]] = running[at[0]] + parts.tokens(0, edge)
            starts[at[edge]] = running[at[last]] - parts.tokens(edge, last)

    def _bound(self, parts: Parts, at: NDArray[np.intp], starts: Ints, ends: Ints) -> None:
        """Lower starts until no part from the middle of the word has more tokens than their difference."""
        last = len(at) - 1
        for i in range(1, last):
            starts[at[i]] = min([starts[at[i]], *(ends[at[j]] - parts.tokens(i, j) for j in range(i + 1, last))])


def _running(counts: NDArray[np.int64]) -> Ints:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _measure_passages(text: str, marks: CutMarks, counter: TokenCounter) -> TokenPositions:
    """Count the tokens before each place in passages of whole blocks: with `slack` an upper bound."""
    first = marks.places.first
    cuts = [0]
    for offset in marks.places.at[marks.rank >= Rank.BLOCK].tolist():
        if offset - cuts[-1] >= _PASSAGE:
            cuts.append(offset)
    cuts = [*cuts, len(text)] if cuts[-1] < len(text) else cuts
    ends = counter.token_ends([text[start:end] for start, end in pairwise(cuts)])
    places = np.concatenate(
        [np.zeros(0, np.int32), *(one + np.int32(start) for one, start in zip(ends, cuts, strict=False))]
    )
    running = np.searchsorted(places, first, side="right").astype(np.int32)
    nowhere = np.full(len(first), -1, np.int32)
    return TokenPositions(running, running, nowhere, {}, Ruler(running, running), _SLACK)
