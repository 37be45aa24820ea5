"""A document measured: where it may be cut, the tokens up to each place, facts of its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chunking.config import Prefix, Unit
from chunking.model import Document
from chunking.splitting.measure.cut_marks import CutMarks, mark
from chunking.splitting.measure.memo import Memo
from chunking.splitting.measure.prefix_costs import PrefixTable
from chunking.splitting.measure.table_facts import TableFacts
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.splitting.measure.token_positions import TokenPositions, measure
from chunking.splitting.measure.unit_survey import Survey

__all__ = ["MeasuredDocument", "SentenceVectors"]

Ints = NDArray[np.int32]

SentenceVectors = Callable[[Document, Ints, Ints], NDArray[np.float32]]
"""Unit vectors (n, d) of a document's spans, given by their (n,) starts and ends."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredDocument:
    """A document's cuts and counts: no later step asks the tokenizer about its text (law 6)."""

    document: Document
    counter: TokenCounter
    """Of the embedding model's tokenizer."""
    max_tokens: int | None
    """Tokens of text that the model reads, special ones not counted (254 for MiniLM); None: no limit."""
    sentences: SentenceVectors | None
    """The model's vectors, for the strategy semantic; None: that strategy falls back."""
    marks: CutMarks
    positions: TokenPositions
    tables: TableFacts
    memo: Memo = field(default_factory=Memo, init=False, repr=False)
    """What else follows from this document alone, such as a splitter's chunks."""

    @classmethod
    def of(
        cls,
        document: Document,
        counter: TokenCounter,
        *,
        max_tokens: int | None = None,
        sentences: SentenceVectors | None = None,
    ) -> MeasuredDocument:
        """Measure a document: the one pass over its text."""
        marks = mark(document, counter)
        positions = measure(document.text, marks, counter)
        tables = TableFacts(document, marks, positions, counter)
        measured = cls(document, counter, max_tokens, sentences, marks, positions, tables)
        for kind in Prefix:  # counted before any size is known
            measured.prefixes(kind)
        return measured

    def under(self, document: Document) -> MeasuredDocument:
        """The same text under other blocks and sections, without measuring it again."""
        if document is self.document:
            return self
        marks = mark(document, self.counter, self.marks.places)
        return replace(self, document=document, marks=marks, tables=self.tables.under(document, marks))

    def survey(self, unit: Unit) -> Survey:
        """The places and spans of the document in one unit."""
        return self.memo.of((Survey, unit), lambda: Survey.of(self.document, self.marks, self.positions, unit))

    def prefixes(self, kind: Prefix) -> PrefixTable:
        """The prefixes of one kind, a row a section."""
        return self.memo.of((PrefixTable, kind), lambda: PrefixTable(self.document, kind, self.counter))

    def tokens_between(self, starts: Ints, ends: Ints) -> Ints:
        """Tokens of spans of the text.

        Args:
            starts, ends: (k,) offsets at which chunks of any configuration start and end.
        Returns:
            (k,) exact where counts of words add up, else an upper bound.
        """
        first = self.marks.places.first
        return self.positions.tokens(
            np.searchsorted(first, starts).astype(np.int32), np.searchsorted(first, ends).astype(np.int32)
        )
