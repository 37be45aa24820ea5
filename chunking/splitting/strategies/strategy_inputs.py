"""What a document's cutting asks of others, each once: a model's vectors of its sentences, a splitter's chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.model import Document, Span
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.strategies.custom_spans import located
from chunking.splitting.strategies.custom_splitters import split_with
from chunking.splitting.strategies.foreign_splitters import FOREIGN
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths

__all__ = ["Answers", "SentenceVectors"]

Ints = NDArray[np.int32]

SentenceVectors = Callable[[Document, Ints, Ints], NDArray[np.float32]]
"""Of a document's spans, given by (n,) starts and ends: (n, d) unit vectors."""

_BESIDE = 2
"""Sentences on each side of a place that are compared: one alone says too little."""
_DIGITS = 4
"""Of a distance: finer differences depend on the processor."""


class Answers:
    """Remembered for a measured document, so that another size asks nobody again."""

    def __init__(
        self, document: Document, marks: CutMarks, sentences: SentenceVectors | None, count: Callable[[str], int] = len
    ) -> None:
        """What is asked about a document.

        Args:
            count: tokens of a text, for splitters that measure what they cut.
        """
        self.count = count
        self._document, self._marks, self._sentences = document, marks, sentences
        self._spans: dict[tuple[str, int, int], list[Span]] = {}

    @cached_property
    def sentence_places(self) -> Ints:
        """Places at which a sentence starts, but for those inside a heading and in what is left out; the first place is
        one.
        """
        marks = self._marks
        sentence = marks.rank[:-1] >= Rank.SENTENCE
        sentence[:1] = True
        at: Ints = np.flatnonzero(sentence).astype(np.int32)
        for first, after in marks.left_out:
            at = at[(at < first) | (at >= after)]
        return at

    @cached_property
    def distances(self) -> NDArray[np.float32]:
        """(sentences,) how much what follows the start of each sentence differs from what is before it: 1 less the
        cosine.

        Compared are two sentences on each side, as blocks are in TextTiling (Hearst 1997). Sentences that are put
        together
        with both their neighbours, as in Kamradt's notebook, share most of their text, and breaks came a sentence too
        early.
        0 for the first sentence.

        Raises:
            CannotSplitError: no model was given.
        """
        if self._sentences is None:
            raise CannotSplitError("no model is at hand for its sentences")
        starts, ends = self._marks.places.at[self.sentence_places], self._ends()
        n = len(starts)
        distances = np.zeros(n, np.float32)
        if n > 1:
            number = np.arange(1, n)
            first = np.concatenate((np.maximum(number - _BESIDE, 0), number))
            last = np.concatenate((number - 1, np.minimum(number + _BESIDE - 1, n - 1)))
            before, after = np.split(self._sentences(self._document, starts[first], ends[last]), 2)
            distances[1:] = 1 - np.einsum("ij,ij->i", before, after)
        return np.round(distances, _DIGITS)

    def _ends(self) -> Ints:
        """Where each sentence ends: at the next, or before what is left out."""
        at = self.sentence_places
        after = np.append(at[1:], len(self._marks) - 1).astype(np.int32)
        for first, _ in self._marks.left_out:
            after = np.where((at < first) & (after > first), np.int32(first), after)
        ends: Ints = self._marks.places.stop[after]
        return ends

    def spans(self, splitter: str, lengths: Lengths) -> list[Span]:
        """The chunks of a splitter of the user's own, in its order.

        Args:
            lengths: what each may fill; one of the user's own is asked once whatever they are.
        Raises:
            ConfigError: there is no such splitter.
            CannotSplitError: what it gives is not a part of the text.
        """
        size, overlap, _ = lengths
        key = (splitter, size, overlap) if splitter in FOREIGN else (splitter, 0, 0)
        if key not in self._spans:
            self._spans[key] = located(self._document.text, split_with(splitter, self._document, lengths))
        return self._spans[key]
