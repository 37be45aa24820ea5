"""Allowed cuts of a text and their ranks, from the characters alone.

Cuts are where the tokenizer parts words, so counts add up. Inside a word they do not: "tokenizer" is two tokens,
"token" and "izer" may be three. So long words are cut on a coarse grid, and every part that a chunk can contain is
counted when the document is measured. A part with more letters than the tokenizer reads is one unknown token.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.token_counter import TokenCounter
from chunking.text.characters import (
    BLANK,
    CLOSE,
    COMMA,
    EXTEND,
    FREE,
    HAN,
    JOINER,
    LOWER,
    OPEN,
    STOP,
    WIDE_STOP,
    kind_of,
    look_up,
    points_of,
)
from chunking.text.characters import TextCharacters as PlainCharacters
from chunking.text.sentences import after_wide_stop, sentence_words

__all__ = ["GRID", "CutPlaces", "Rank", "count_parts", "find_places", "last_before"]

Ints = NDArray[np.int32]

INDENT = 40
"""Longest indent that stays with its line, so that code keeps its shape."""
LONG_WORD = 16
"""Minimum length, in characters, of a word that may be cut next to its punctuation."""

GRID = 16
"""Letters between two cuts of a long word."""
COARSE_GRID = 128
"""Letters between two cuts if long words are too many (encoded files).

Each part is then one unknown token.
"""
FINE_LETTERS = 100_000
"""Letters of different long words cut finely in a document.

Counting their parts takes seconds at worst.
"""
LETTERS_A_TOKEN = 4
"""Letters per token of an unreadable word: 5,000 letters must not count as one token."""

SPACE = 1 << FREE
"""Class bit of white space for the tokenizer."""
ALONE = 1 << FREE + 1
"""Class bit of characters that are words of their own for the tokenizer.

Counts add up at a cut next to one.
"""
LENGTH = FREE + 2
"""First bit of the number of letters a character adds to a word, see `token_counter.Letter`."""


class Rank(IntEnum):
    """Quality of a place to cut; higher is better."""

    LAST_RESORT = 0
    """Inside a run of letters, or between a word and the full stop after it."""
    INSIDE = 1
    """Inside a word where the tokenizer parts it: next to punctuation, between Chinese characters."""
    WORD = 2
    SENTENCE = 3
    LINE = 4
    BLOCK = 5
    SECTION = 6


@dataclass(frozen=True, slots=True)
class CutPlaces:
    """The n places of a text where a cut is allowed; the last is the end of the text."""

    at: Ints
    """(n,) start of a chunk that begins here, with the indent of its first line."""
    first: Ints
    """(n,) first character after the place that is not white space."""
    stop: Ints
    """(n,) end of a chunk that ends here: after the last character that is not white space."""
    rank: NDArray[np.int8]
    """(n,) ranks, see Rank."""
    wrapped: NDArray[np.bool_]
    """(n,) True if a line begins here with a lower-case letter: in prose the sentence before continues."""
    runs: list[LongWord]
    """Long words; all their edges are places."""
    characters: ClassifiedCharacters


def last_before(n: int, at: Ints) -> Ints:
    """Return for each of n places the number of the last of k others at or before it; -1 if there is none.

    Args:
        at: (k,) places, ascending.

    >>> last_before(6, np.array([1, 4], np.int32)).tolist()
    [-1, 0, 0, 0, 1, 1]
    """
    return np.repeat(np.arange(-1, len(at), dtype=np.int32), np.diff(at, prepend=0, append=n))


class _Words(NamedTuple):
    first: Ints
    last: Ints
    at: Ints
    rank: NDArray[np.int8]
    wrapped: NDArray[np.bool_]


def find_places(text: str, counter: TokenCounter) -> CutPlaces:
    """Find all places where a text may be cut, in order; a text of white space has one, its end."""
    characters = look_at(text, counter)
    words = _words(text, characters)
    inner, inner_rank, runs = _inside(text, characters, words, counter)
    first = np.concatenate((words.first, inner)).astype(np.int32)
    order = np.argsort(first, kind="stable") if len(inner) else np.arange(len(first))
    stop = np.concatenate((np.concatenate(([0], words.last[:-1] + 1)) if len(words.last) else words.last, inner))
    final = int(words.last[-1]) + 1 if len(words.last) else 0
    return CutPlaces(
        at=_closed(np.concatenate((words.at, inner))[order], len(text)),
        first=_closed(first[order], len(text)),
        stop=_closed(stop[order], final),
        rank=np.append(np.concatenate((words.rank, inner_rank))[order], Rank.SECTION).astype(np.int8),
        wrapped=np.append(np.concatenate((words.wrapped, np.zeros(len(inner), np.bool_)))[order], False),
        runs=runs,
        characters=characters,
    )


def _closed(offsets: NDArray[np.integer], final: int) -> Ints:
    return np.append(offsets, final).astype(np.int32)


def _words(text: str, characters: ClassifiedCharacters) -> _Words:
    """Find the starts of words, ranked by the gap to the word before."""
    space = characters.any_of(SPACE)
    change = np.diff(np.concatenate(([True], space, [True])).view(np.int8))
    first = np.flatnonzero(change == -1).astype(np.int32)
    last = (np.flatnonzero(change == 1) - 1).astype(np.int32)
    if not characters.split_as_python:
        running = np.concatenate(([0], np.cumsum(~characters.any_of(BLANK))))
        visible = running[last + 1] > running[first]
        first, last = first[visible], last[visible]
    points = characters.points
    ends_line = (points == 10) | (points == 13)
    ends_line[:-1] &= ~((points[:-1] == 13) & (points[1:] == 10))
    lines = np.flatnonzero(ends_line).astype(np.int32)
    line = np.searchsorted(lines, first)
    breaks = np.diff(line, prepend=0)
    line_start = np.concatenate(([0], lines + 1)).astype(np.int32)[line]
    opens_line = (breaks > 0) | (line == 0) & (np.arange(len(first)) == 0)
    at = np.where(opens_line & (first - line_start <= INDENT), line_start, first)
    rank = np.full(len(first), Rank.WORD, np.int8)
    sentence = sentence_words(text, characters, first, last)
    rank[sentence] = Rank.SENTENCE
    wrapped = characters.any_of(LOWER)[first] & ~sentence
    rank[breaks == 1] = Rank.LINE
    rank[breaks > 1] = Rank.BLOCK
    return _Words(first, last, at, rank, wrapped & (breaks == 1))


def _inside(
    text: str, characters: ClassifiedCharacters, words: _Words, counter: TokenCounter
) -> tuple[Ints, NDArray[np.int8], list[LongWord]]:
    """Find places inside words, their ranks, and the long words among them."""
    n = len(characters.kinds)
    parted = _here_or_before(characters.any_of(ALONE))
    wide = _here_or_before(characters.any_of(HAN | WIDE_STOP | COMMA))
    cut = parted & (wide | _in_long_words(words, n))
    runs = find_runs(text, characters, counter.longest_word or GRID)
    edges = np.concatenate([run.edges for run in runs]) if runs else np.zeros(0, np.int32)
    grid = np.zeros(n, np.bool_)
    grid[edges[edges < n]] = True
    cut = (cut & ~_forbidden(text, characters, counter)) | grid
    cut &= ~characters.any_of(SPACE)
    cut[words.first] = False
    places = np.flatnonzero(cut).astype(np.int32)
    rank = np.full(len(places), Rank.INSIDE, np.int8)
    before, here = characters.kinds[places - 1], characters.kinds[places]
    rank[(before & np.uint16(COMMA)) != 0] = Rank.WORD
    rank[after_wide_stop(characters)[places]] = Rank.SENTENCE
    clings = (here & np.uint16(STOP | WIDE_STOP | COMMA | CLOSE)) | (before & np.uint16(OPEN))
    rank[(clings != 0) | ~parted[places]] = Rank.LAST_RESORT
    return places, rank, runs


def _here_or_before(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    result = flags.copy()
    result[1:] |= flags[:-1]
    return result


def _in_long_words(words: _Words, n: int) -> NDArray[np.bool_]:
    long = words.last - words.first >= LONG_WORD
    edge = np.zeros(n + 1, np.int8)
    edge[words.first[long]] = 1
    edge[words.last[long] + 1] -= 1
    return np.cumsum(edge[:-1], dtype=np.int8).view(np.bool_)


def _forbidden(text: str, characters: ClassifiedCharacters, counter: TokenCounter) -> NDArray[np.bool_]:
    """Return (n,) True where a cut would part a visible character, or a special token in the text."""
    forbidden = characters.any_of(EXTEND)
    forbidden[1:] |= characters.any_of(JOINER)[:-1]
    for token in counter.special:
        at = text.find(token)
        while at >= 0:
            forbidden[at + 1 : at + len(token)] = True
            at = text.find(token, at + 1)
    return forbidden


@dataclass(frozen=True, slots=True)
class LongWord:
    """A long word by the offsets of its ends and the cuts inside, and the letters before each."""

    edges: NDArray[np.int32]
    """(m + 1,) offsets: its start, the cuts inside, its end."""
    letters: NDArray[np.int32]
    """(m + 1,) letters before each edge, as counted by the tokenizer."""

    def parts(self, longest: int) -> list[tuple[int, int]]:
        """Return the (first, last) edge numbers of each part of at most `longest` letters."""
        letters = self.letters.tolist()
        parts = []
        for first in range(len(letters) - 1):
            for last in range(first + 1, len(letters)):
                if letters[last] - letters[first] > longest:
                    break
                parts.append((first, last))
        return parts


def find_runs(text: str, characters: ClassifiedCharacters, longest: int) -> list[LongWord]:
    """Find the words of 24 or more characters that can be cut, with their cuts.

    White space, punctuation and Chinese characters part words. After `FINE_LETTERS`, new words are cut coarsely.


    Args:
        longest: maximum letters of a word that the tokenizer reads.
    """
    joined = np.zeros(len(characters.kinds) + 2, np.int8)
    joined[1:-1] = ~characters.any_of(SPACE | ALONE)
    change = np.diff(joined)
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    long = ends - starts >= GRID + GRID // 2
    fine: set[str] = set()
    budget = FINE_LETTERS
    runs = []
    for start, end in zip(starts[long].tolist(), ends[long].tolist(), strict=True):
        word = text[start:end]
        if word not in fine and end - start <= budget:
            fine.add(word)
            budget -= end - start
        run = _run(characters, start, end, GRID if word in fine else max(COARSE_GRID, longest + 1))
        if run is not None:
            runs.append(run)
    return runs


def _run(characters: ClassifiedCharacters, start: int, end: int, grid: int) -> LongWord | None:
    before = np.concatenate(([0], np.cumsum(characters.lengths(start, end), dtype=np.int64)))
    cuts = np.flatnonzero(np.diff(before[:-1] // grid) > 0) + 1
    cuts = _between_characters(characters, start, end, cuts)
    cuts = cuts[before[-1] - before[cuts] >= (grid // 2 if grid == GRID else grid)]
    if not len(cuts):
        return None
    edges = np.concatenate(([0], cuts, [end - start]))
    return LongWord((edges + start).astype(np.int32), before[edges].astype(np.int32))


def _between_characters(
    characters: ClassifiedCharacters, start: int, end: int, cuts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Move each cut forward until it parts no accent from its letter and no emoji from its colour."""
    kinds = characters.kinds[start:end]
    free = np.ones(end - start, np.bool_)
    free[1:] = ((kinds[1:] & np.uint16(EXTEND)) == 0) & ((kinds[:-1] & np.uint16(JOINER)) == 0)
    allowed = np.flatnonzero(free)
    moved = np.searchsorted(allowed, cuts)
    return np.unique(allowed[moved[moved < len(allowed)]])


@dataclass(frozen=True, slots=True)
class Parts:
    """Token counts of the parts of one long word."""

    run: LongWord
    counted: dict[tuple[int, int], int]

    def tokens(self, first: int, last: int) -> int:
        """Return the tokens between two edges; 1, an unknown token, if the part is too long."""
        return self.counted.get((first, last), 1)

    def unreadable(self) -> bool:
        """True if the word is too long to be read, or has fewer tokens than one of its parts."""
        last = len(self.run.edges) - 1
        total = self.tokens(0, last)
        return (0, last) not in self.counted or any(number > total for number in self.counted.values())

    def weights(self) -> NDArray[np.int32]:
        """Return (m,) weights of the pieces, such that no part has more tokens than its pieces weigh."""
        letters = np.diff(self.run.letters)
        weights: NDArray[np.int32] = np.maximum(-(-letters // LETTERS_A_TOKEN), 1).astype(np.int32)
        for (first, last), number in self.counted.items():
            short = number - int(weights[first:last].sum())
            if short > 0:
                weights[last - 1] += short
        return weights


def count_parts(text: str, runs: list[LongWord], counter: TokenCounter) -> list[Parts]:
    """Count each part of each long word that the tokenizer reads; equal texts are counted once."""
    longest = counter.longest_word or GRID
    places = [run.parts(longest) for run in runs]
    texts = [
        text[run.edges[first] : run.edges[last]] for run, some in zip(runs, places, strict=True) for first, last in some
    ]
    counts = iter(counter.count_words(texts).tolist())
    return [Parts(run, {place: next(counts) for place in some}) for run, some in zip(runs, places, strict=True)]


@dataclass(frozen=True, slots=True)
class ClassifiedCharacters(PlainCharacters):
    """A text as arrays, an entry per character; the high bits of `kinds` are the tokenizer's."""

    split_as_python: bool
    """True if `str.split` finds the tokenizer's words.

    The text then has no form feed or other control character.
    """

    def lengths(self, start: int, end: int) -> NDArray[np.int32]:
        """Return (end - start,) letters that each character adds to the tokenizer's word."""
        return (self.kinds[start:end] >> np.uint16(LENGTH)).astype(np.int32)


def look_at(text: str, counter: TokenCounter) -> ClassifiedCharacters:
    """Classify every character of a text by its kind and by its treatment in the tokenizer."""
    agrees = True

    def kind(char: str) -> int:
        nonlocal agrees
        letter = counter.letter(char)
        agrees = agrees and char.isspace() == letter.space
        return kind_of(char) | SPACE * letter.space | ALONE * letter.alone | min(letter.length, 15) << LENGTH

    points = points_of(text)
    kinds = look_up(points, kind)
    return ClassifiedCharacters(points, kinds, agrees)
