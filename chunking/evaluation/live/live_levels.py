"""Documents cut by a configuration, as the arrays that a search over them needs: no chunk is built."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, TableText
from chunking.embedding.base import Vectors
from chunking.evaluation.live.live_terms import Holdings, TermPlaces, TextTerms
from chunking.evaluation.live.live_vectors import PooledDocument
from chunking.model import PARENT, larger_level
from chunking.splitting import Boundaries, Chunker, Split

__all__ = ["LiveDocument", "LiveLevel", "Parents", "SplitDocuments", "split_documents"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class LiveDocument:
    """A document measured, encoded and read for words."""

    chunker: Chunker
    pooled: PooledDocument | None
    """None where the model's vectors cannot be pooled."""
    terms: TermPlaces
    first_heading: int
    """Row of its first section's title path among those of all documents; one more row, without a heading, follows its
    sections.
    """


@dataclass(frozen=True, slots=True, eq=False)
class LiveLevel:
    """The n chunks of one level of all documents, document after document."""

    document: Ints
    """(n,) number of the document."""
    starts: Ints
    ends: Ints
    tokens: Ints
    sums: Vectors
    """(n, width) of states; no columns where the model's vectors cannot be pooled."""
    counts: Vectors
    """(n,) tokens that were summed."""
    lengths: Ints
    """(n,) words that full text reads."""
    held: Holdings
    """Words of the questions among these."""
    headings: Ints
    """(n,) rows of title paths."""

    def __len__(self) -> int:
        return len(self.starts)


class Parents(NamedTuple):
    """What results are exchanged for where whole parents are wanted; p rows."""

    of: Ints
    """(n,) the parent of each chunk."""
    starts: Ints
    ends: Ints
    tokens: Ints


@dataclass(frozen=True, slots=True, eq=False)
class SplitDocuments:
    """All documents under one configuration."""

    boundaries: tuple[Boundaries, ...]
    """Of the chunks of each document."""
    chunks: LiveLevel
    larger: dict[int, LiveLevel]
    """By multiple, ascending."""
    around: dict[int, Ints]
    """By multiple: (n,) the larger chunk that each chunk stands in; -1 where its document has none of that size."""
    parents: Parents
    texts: Sequence[str]
    """Of the documents."""
    _plain: dict[int, int] = field(default_factory=dict)

    def text_key(self, chunk: int) -> int:
        """The same number for chunks with the same text, white space and Unicode composition aside."""
        known = self._plain.get(chunk)
        if known is None:
            level = self.chunks
            text = self.texts[level.document[chunk]][level.starts[chunk] : level.ends[chunk]]
            text = text if text.isascii() else unicodedata.normalize("NFC", text)
            known = self._plain[chunk] = hash(" ".join(text.split()))
        return known


class _Part(NamedTuple):
    """A level of one document."""

    boundaries: Boundaries
    sums: Vectors
    counts: Vectors
    lengths: Ints
    held: Holdings
    headings: Ints


def split_documents(
    documents: Sequence[LiveDocument], configs: Sequence[ChunkConfig], texts: TextTerms
) -> SplitDocuments:
    """Cut documents, each with its own settings, and pool and count what their chunks hold.

    Args:
        texts: reads what stands beside chunks.
    """
    own = [(one, one.chunker.split(config)) for one, config in zip(documents, configs, strict=True)]
    chunks = _level([(number, _part(one, split, split.boundaries, texts)) for number, (one, split) in enumerate(own)])
    larger, around = {}, {}
    for multiple in sorted({multiple for config in configs for multiple in config.granularities}):
        parts, of, total = [], [], 0
        for number, (one, split) in enumerate(own):
            if multiple not in split.config.granularities:
                of.append(np.full(len(split.boundaries), -1, np.int32))
                continue
            level = split.level(larger_level(multiple))
            parts.append((number, _part(one, split, level.boundaries, texts)))
            of.append(level.groups + np.int32(total))
            total += len(level.boundaries)
        larger[multiple], around[multiple] = _level(parts), np.concatenate(of).astype(np.int32)
    return SplitDocuments(
        tuple(split.boundaries for _, split in own),
        chunks,
        larger,
        around,
        _parents(own),
        [one.chunker.document.text for one in documents],
    )


def _part(one: LiveDocument, split: Split, boundaries: Boundaries, texts: TextTerms) -> _Part:
    starts, ends = boundaries.starts, boundaries.ends
    n = len(starts)
    sums, counts = np.zeros((n, 0), np.float32), np.zeros(n, np.float32)
    if one.pooled is not None:
        sums, counts = one.pooled.sums(starts, ends, boundaries.prefixes)
    lengths, held = one.terms.lengths(starts, ends), [one.terms.held(starts, ends)]
    before, of_prefixes = texts.held(boundaries.prefixes)
    lengths, held = lengths + before, [*held, of_prefixes]
    described = split.descriptions(boundaries) if split.config.table_text is TableText.SENTENCES else {}
    if described:
        numbers = np.fromiter(described, np.int64, len(described))
        after, of_tables = texts.held(list(described.values()))
        np.add.at(lengths, numbers, after)
        held.append(Holdings(numbers[of_tables.chunk], of_tables.term))
    sections = len(one.chunker.document.sections)
    headings = np.where(boundaries.sections < 0, sections, boundaries.sections) + np.int32(one.first_heading)
    chunk, term = (np.concatenate(column) for column in zip(*held, strict=True))
    return _Part(boundaries, sums, counts, lengths, Holdings(chunk, term), headings.astype(np.int32))


def _level(parts: Sequence[tuple[int, _Part]]) -> LiveLevel:
    """The same level of all documents that have it."""
    sizes = [len(part.boundaries) for _, part in parts]
    firsts = np.cumsum([0, *sizes])
    held = [Holdings(part.held.chunk + first, part.held.term) for (_, part), first in zip(parts, firsts, strict=False)]
    chunk, term = (np.concatenate(column) for column in zip(*held, strict=True))
    return LiveLevel(
        document=np.repeat(np.array([number for number, _ in parts], np.int32), sizes),
        starts=np.concatenate([part.boundaries.starts for _, part in parts]),
        ends=np.concatenate([part.boundaries.ends for _, part in parts]),
        tokens=np.concatenate([part.boundaries.tokens for _, part in parts]),
        sums=np.concatenate([part.sums for _, part in parts]),
        counts=np.concatenate([part.counts for _, part in parts]),
        lengths=np.concatenate([part.lengths for _, part in parts]),
        held=Holdings(chunk, term),
        headings=np.concatenate([part.headings for _, part in parts]),
    )


def _parents(own: Sequence[tuple[LiveDocument, Split]]) -> Parents:
    """Paragraph parents where the configuration has them, else runs of chunks of one section that touch."""
    columns: tuple[list[Ints], ...] = ([], [], [], [])
    total = 0
    for one, split in own:
        if split.config.parent_size:
            level = split.level(PARENT)
            groups, spans = level.groups, (level.boundaries.starts, level.boundaries.ends, level.boundaries.tokens)
        else:
            groups, spans = _section_runs(one, split.boundaries)
        for column, values in zip(columns, (groups + np.int32(total), *spans), strict=True):
            column.append(values)
        total += len(spans[0])
    return Parents(*(np.concatenate(column).astype(np.int32) for column in columns))


def _section_runs(one: LiveDocument, boundaries: Boundaries) -> tuple[Ints, tuple[Ints, Ints, Ints]]:
    """(n,) the run of each chunk, and starts, ends and tokens of the runs."""
    n, document = len(boundaries), one.chunker.document
    if not n:
        empty = np.zeros(0, np.int32)
        return empty, (empty, empty, empty)
    sections = boundaries.sections.copy()
    outside = np.flatnonzero(
        sections < 0
    )  # of several sections that have nothing in common: the one in which it begins
    if len(outside) and document.sections:
        begun = (
            np.searchsorted(
                np.array([section.start for section in document.sections]), boundaries.starts[outside], side="right"
            )
            - 1
        )
        sections[outside] = np.maximum(begun, 0)
    new = np.ones(n, np.bool_)
    new[1:] = sections[1:] != sections[:-1]
    first = np.flatnonzero(new)
    last = np.append(first[1:], n) - 1
    starts, ends = boundaries.starts[first], boundaries.ends[last]
    totals = boundaries.prefix_tokens[first] + one.chunker.measured.tokens_between(starts, ends)
    return (np.cumsum(new) - 1).astype(np.int32), (starts, ends, totals)
