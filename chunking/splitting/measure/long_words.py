"""Words too long to stay whole: where they may be cut, and the tokens of their parts.

Elsewhere cuts stand where the tokenizer parts words, and counts add up. Inside a word they do not: "tokenizer" is two
tokens, "token" and "izer" may be three. So long words are cut on a coarse grid, and every part that a chunk can hold
is counted when the document is measured. A part with more letters than the tokenizer reads is one unknown token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.splitting.measure.character_classes import ALONE, SPACE, ClassifiedCharacters
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.text.characters import EXTEND, JOINER

__all__ = ["GRID", "LETTERS_A_TOKEN", "LongWord", "count_parts", "find_runs"]

GRID = 16
"""Letters between two cuts of a long word."""
COARSE_GRID = 128
"""The same where long words are too many (encoded files, say): each part is then one unknown token."""
FINE_LETTERS = 100_000
"""Letters of different long words that are cut finely in a document; counting their parts takes seconds at worst."""
LETTERS_A_TOKEN = 4
"""Letters of an unreadable word that weigh as a token: 5,000 letters must not fit as one token."""


@dataclass(frozen=True, slots=True)
class LongWord:
    """A long word and its cuts."""

    edges: NDArray[np.int32]
    """(m + 1,) offsets: its start, the cuts inside, its end."""
    letters: NDArray[np.int32]
    """(m + 1,) letters before each edge, as the tokenizer counts them."""

    def parts(self, longest: int) -> list[tuple[int, int]]:
        """The (first, last) edges of all parts of at most `longest` letters."""
        letters = self.letters.tolist()
        parts = []
        for first in range(len(letters) - 1):
            for last in range(first + 1, len(letters)):
                if letters[last] - letters[first] > longest:
                    break
                parts.append((first, last))
        return parts


def find_runs(text: str, characters: ClassifiedCharacters, longest: int) -> list[LongWord]:
    """Find the words long enough to be cut, between white space, punctuation and Chinese characters.

    Args:
        longest: most letters of a word that the tokenizer reads.
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
    """Move each cut forward to where it parts no accent from its letter and no emoji from its colour."""
    kinds = characters.kinds[start:end]
    free = np.ones(end - start, np.bool_)
    free[1:] = ((kinds[1:] & np.uint16(EXTEND)) == 0) & ((kinds[:-1] & np.uint16(JOINER)) == 0)
    allowed = np.flatnonzero(free)
    moved = np.searchsorted(allowed, cuts)
    return np.unique(allowed[moved[moved < len(allowed)]])


@dataclass(frozen=True, slots=True)
class Parts:
    """Tokens of the parts of one long word."""

    run: LongWord
    counted: dict[tuple[int, int], int]

    def tokens(self, first: int, last: int) -> int:
        """Tokens of the part between two edges."""
        return self.counted.get((first, last), 1)

    def unreadable(self) -> bool:
        """True if the word has fewer tokens than one of its parts: its count does not show its length."""
        last = len(self.run.edges) - 1
        total = self.tokens(0, last)
        return (0, last) not in self.counted or any(number > total for number in self.counted.values())

    def weights(self) -> NDArray[np.int32]:
        """(m,) weights of the pieces, such that no part has more tokens than its pieces weigh."""
        letters = np.diff(self.run.letters)
        weights: NDArray[np.int32] = np.maximum(-(-letters // LETTERS_A_TOKEN), 1).astype(np.int32)
        for (first, last), number in self.counted.items():
            short = number - int(weights[first:last].sum())
            if short > 0:
                weights[last - 1] += short
        return weights


def count_parts(text: str, runs: list[LongWord], counter: TokenCounter) -> list[Parts]:
    """Count every part of every long word; equal texts are counted once."""
    longest = counter.longest_word or GRID
    places = [run.parts(longest) for run in runs]
    texts = [
        text[run.edges[first] : run.edges[last]] for run, some in zip(runs, places, strict=True) for first, last in some
    ]
    counts = iter(counter.count_words(texts).tolist())
    return [Parts(run, {place: next(counts) for place in some}) for run, some in zip(runs, places, strict=True)]
