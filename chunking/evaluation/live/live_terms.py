"""Positions of the questions' words in texts, counted once and summed per chunk (BM25 by addition).

Words come from the tokenizer of the full-text index, stemmed in the language of their document. A word never spans
white space, so the words of a chunk are the words of its stretch of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import FullTextTokenizer
from chunking.store.index.full_text import tokens_of_each
from chunking.store.index.stemming import stems
from chunking.text.folding import fold_with_offsets

__all__ = ["Ranges", "TermPlaces", "TextTerms", "WordOccurrences", "expand_ranges", "find_terms"]

Ints = NDArray[np.int32]

_ATOM = re.compile("[^\\s\u3000-\u3004\u3008-\u3020\u3030\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+")
"""Stretches between word boundaries: no white space, no Chinese or Japanese punctuation."""
_MOST_TEXTS = 50_000


class WordOccurrences(NamedTuple):
    """Occurrences of the questions' words in n chunks: one row per occurrence, unordered."""

    chunk: NDArray[np.int64]
    term: Ints


class Ranges(NamedTuple):
    """n ranges of integers, concatenated."""

    owner: NDArray[np.int64]
    """Index of each integer's range."""
    number: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TermPlaces:
    """Offsets of a document's words, and of those that occur in a question."""

    places: Ints
    """(m,) offset of each word of the text, ascending."""
    positions: Ints
    """(w,) offset of each word that occurs in a question."""
    terms: Ints
    """(w,) number of each of these words in the vocabulary."""

    def lengths(self, starts: Ints, ends: Ints) -> Ints:
        """Return (n,) the number of words that begin in each span."""
        return (np.searchsorted(self.places, ends) - np.searchsorted(self.places, starts)).astype(np.int32)

    def occurrences(self, starts: Ints, ends: Ints) -> WordOccurrences:
        """Return the questions' words that begin in spans; their `chunk` is the span's index."""
        hits = expand_ranges(np.searchsorted(self.positions, starts), np.searchsorted(self.positions, ends))
        return WordOccurrences(hits.owner, self.terms[hits.number])


def find_terms(
    text: str, vocabulary: Mapping[str, int], tokenizer: FullTextTokenizer, language: str = ""
) -> TermPlaces:
    """Find the positions of all words of a text, and of those in the questions' vocabulary.

    Args:
        vocabulary: number of each stem of the questions' words.
        language: of the text (BCP 47).
    """
    atoms = [(match.start(), match[0]) for match in _ATOM.finditer(text)]
    kinds = list(dict.fromkeys(atom for _, atom in atoms))
    tokens = tokens_of_each(kinds, tokenizer)
    stem_of = _stem_of(tokens, language)
    inside = {
        atom: [(at, stem_of[token]) for at, token in _inside(atom, some)]
        for atom, some in zip(kinds, tokens, strict=True)
    }
    every = [(at + offset, vocabulary.get(word, -1)) for at, atom in atoms for offset, word in inside[atom]]
    places, numbers = np.array(every, np.int32).reshape(-1, 2).T
    in_questions = numbers >= 0
    return TermPlaces(np.ascontiguousarray(places), places[in_questions], numbers[in_questions])


def _stem_of(tokens: Sequence[Sequence[str]], language: str) -> dict[str, str]:
    """Return the stem of each distinct token."""
    kinds = list(dict.fromkeys(token for some in tokens for token in some))
    return dict(zip(kinds, stems(kinds, language), strict=True))


def _inside(atom: str, some: Sequence[str]) -> list[tuple[int, str]]:
    """Return (offset, word) for each word of a stretch without white space.

    A word that is not in the stretch literally starts where the previous one ends.
    """
    folded = fold_with_offsets(atom)
    small, at, hits = folded.text.lower(), 0, []
    for word in some:
        here = small.find(word, at)
        at = here if here >= 0 else at
        hits.append((folded.starts[min(at, len(small) - 1)], word))
        at = at + len(word) if here >= 0 else at
    return hits


def expand_ranges(first: NDArray[np.integer], after: NDArray[np.integer]) -> Ranges:
    """Concatenate the ranges from `first` to `after`.

    >>> [column.tolist() for column in expand_ranges(np.array([3, 7]), np.array([5, 8]))]
    [[0, 0, 1], [3, 4, 7]]
    """
    counts = (after - first).astype(np.int64)
    begun = np.cumsum(counts) - counts
    number = np.repeat(first - begun, counts) + np.arange(int(counts.sum()), dtype=np.int64)
    return Ranges(np.repeat(np.arange(len(counts)), counts), number)


class TextTerms:
    """Word counts of prefixes, headings and table descriptions, cached by text and language; thread-safe."""

    def __init__(self, vocabulary: Mapping[str, int], tokenizer: FullTextTokenizer) -> None:
        self._vocabulary, self._tokenizer = vocabulary, tokenizer
        self._cache: dict[tuple[str, str], tuple[int, Ints]] = {}
        self._lock = Lock()

    def occurrences(self, texts: Sequence[str], language: str = "") -> tuple[Ints, WordOccurrences]:
        """Return the (n,) word counts of texts, and the questions' words that occur in each.

        Args:
            language: of the texts' document (BCP 47).
        """
        kinds = dict.fromkeys(texts)
        rows = self._rows(list(kinds), language)
        number = {text: row for row, text in enumerate(kinds)}
        of = np.fromiter((number[text] for text in texts), np.int64, len(texts))
        sizes = np.array([len(terms) for _, terms in rows], np.int64)
        after = np.cumsum(sizes)
        hits = expand_ranges((after - sizes)[of], after[of])
        terms = np.concatenate([terms for _, terms in rows]) if rows else np.zeros(0, np.int32)
        lengths = np.array([length for length, _ in rows], np.int32)
        return lengths[of], WordOccurrences(hits.owner, terms[hits.number])

    def _rows(self, texts: Sequence[str], language: str) -> list[tuple[int, Ints]]:
        with self._lock:
            if len(self._cache) > _MOST_TEXTS:  # every size names other rows of a table
                self._cache = {}
            new = [text for text in texts if (text, language) not in self._cache]
            tokens = tokens_of_each(new, self._tokenizer)
            stem_of = _stem_of(tokens, language)
            for text, some in zip(new, tokens, strict=True):
                numbers = [self._vocabulary.get(stem_of[token], -1) for token in some]
                row = len(some), np.array([number for number in numbers if number >= 0], np.int32)
                self._cache[text, language] = row
            return [self._cache[text, language] for text in texts]
