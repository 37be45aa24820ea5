"""A document measured once and split many times; preview and index use the same function (law 5)."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import NamedTuple

from chunking.config import ChunkConfig
from chunking.model import Chunk, Document, Pin
from chunking.splitting.document_view import DocumentView, patterned
from chunking.splitting.measure.measured_document import MeasuredDocument, SentenceVectors
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.splitting.packing.boundaries import Boundaries
from chunking.splitting.split import Split

__all__ = ["Chunker"]

_VIEWS = 4
"""Number of views whose last split is cached: with and without pins, with and without patterns."""


class Chunker:
    """Splitter of one document by any configuration.

    A size passes `MeasuredDocument` (made here, once), `DocumentView` (once for each change of patterns or pins) and
    `Split`. Each is immutable; this class caches the last ones. Threads may share it.
    """

    def __init__(
        self,
        document: Document,
        counter: TokenCounter,
        *,
        max_tokens: int | None = None,
        sentences: SentenceVectors | None = None,
    ) -> None:
        """Measure a document. For the arguments see `MeasuredDocument`."""
        self.document = document
        self.measured = MeasuredDocument.of(document, counter, max_tokens=max_tokens, sentences=sentences)
        self._recent = _RecentSplits()

    def with_pins(self, pins: tuple[Pin, ...]) -> Chunker:
        """Return a chunker of the same document with other pins; its measure and the cached splits are shared."""
        if pins == self.document.pins:
            return self
        other = copy(self)
        other.document = replace(self.document, pins=pins)
        return other

    def split(self, config: ChunkConfig) -> Split:
        """Split the document, or return the cached split."""
        return self._recent.split(self.measured, self.document, config)

    def boundaries(self, config: ChunkConfig) -> Boundaries:
        """Return the boundaries of the chunks, with their contents and costs."""
        return self.split(config).boundaries

    def chunks(self, config: ChunkConfig) -> list[Chunk]:
        """Return the chunks at the boundaries."""
        return self.split(config).chunks()


class _Recent(NamedTuple):
    patterns: tuple[str, str]
    pins: tuple[Pin, ...]
    split: Split


class _RecentSplits:
    """Cache of the last split of each of the last views, newest first."""

    def __init__(self) -> None:
        self._rows: tuple[_Recent, ...] = ()

    def split(self, measured: MeasuredDocument, document: Document, config: ChunkConfig) -> Split:
        patterns, pins = (config.headings_from, config.split_before), document.pins
        rows = [row for row in self._rows if row.patterns == patterns]  # replaced whole by other threads
        row = next((row for row in rows if row.pins == pins), None)
        if row is not None and row.split.config == config:
            split = row.split
        elif row is not None:
            split = Split.of(row.split.view, config)
        elif rows:
            split = Split.of(rows[0].split.view.with_pins(document), config)
        else:
            applied_patterns = patterned(measured.document, config) if any(patterns) else None
            split = Split.of(DocumentView.of(measured, document, applied_patterns), config)
        others = (row for row in self._rows if (row.patterns, row.pins) != (patterns, pins))
        self._rows = (_Recent(patterns, pins, split), *others)[:_VIEWS]
        return split
