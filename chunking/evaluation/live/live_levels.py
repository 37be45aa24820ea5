"""Documents split by a configuration, as arrays of bounds, vectors and terms; no chunk is built."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, TableText
from chunking.embedding import Encoding
from chunking.embedding.base import Vectors
from chunking.embedding.late.context_parts import header_spans, parts_of_prefix, title_texts
from chunking.evaluation.live.live_terms import TermPlaces, TextTerms, WordOccurrences
from chunking.model import PARENT, BlockType, Document, larger_level
from chunking.splitting import Boundaries, Chunker, Split

__all__ = ["LiveDocument", "LiveLevel", "Parents", "PooledDocument", "SplitDocuments", "split_documents"]

Ints = NDArray[np.int32]

_MOST_PREFIXES = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class LiveDocument:
    """A document prepared for live recall: measured, encoded, the questions' words located."""

    chunker: Chunker
    pooled: PooledDocument | None
    """None if the model's vectors cannot be pooled."""
    terms: TermPlaces
    first_heading: int
    """Row of its first section's title path among those of all documents; its last section is followed by a row without
    a heading.
    """


@dataclass(frozen=True, slots=True, eq=False)
class LiveLevel:
    """The n chunks of one level over all documents, in document order."""

    document: Ints
    """(n,) number of each chunk's document."""
    starts: Ints
    ends: Ints
    tokens: Ints
    sums: Vectors
    """(n, width) sums of token states; no columns if the model's vectors cannot be pooled."""
    counts: Vectors
    """(n,) number of summed tokens."""
    lengths: Ints
    """(n,) number of words in the full-text index."""
    occurrences: WordOccurrences
    """Occurrences of the questions' words in the chunks."""
    headings: Ints
    """(n,) row of each chunk's title path."""

    def __len__(self) -> int:
        return len(self.starts)


class Parents(NamedTuple):
    """Parents (p rows) that replace chunks as results in parent document retrieval."""

    of: Ints
    """(n,) row of each chunk's parent."""
    starts: Ints
    ends: Ints
    tokens: Ints


@dataclass(frozen=True, slots=True, eq=False)
class SplitDocuments:
    """Documents split by a configuration: chunks, larger sizes and parents as arrays."""

    boundaries: tuple[Boundaries, ...]
    """Chunk boundaries of each document."""
    chunks: LiveLevel
    larger: dict[int, LiveLevel]
    """Larger levels by multiple, ascending."""
    outer: dict[int, Ints]
    """By multiple: (n,) the larger chunk around each chunk; -1 if its document has none of that size."""
    parents: Parents
    texts: Sequence[str]
    """Text of each document."""
    _plain: dict[int, int] = field(default_factory=dict)

    def text_key(self, chunk: int) -> int:
        """Return a cached hash of a chunk's text: equal if only white space or composition differs.

        Composition is that of Unicode letters with accents.

        Args:
            chunk: its row in `chunks`.
        """
        cached = self._plain.get(chunk)
        if cached is None:
            level = self.chunks
            text = self.texts[level.document[chunk]][level.starts[chunk] : level.ends[chunk]]
            text = text if text.isascii() else unicodedata.normalize("NFC", text)
            cached = self._plain[chunk] = hash(" ".join(text.split()))
        return cached


class _Part(NamedTuple):
    """Level of a single document."""

    boundaries: Boundaries
    sums: Vectors
    counts: Vectors
    lengths: Ints
    occurrences: WordOccurrences
    headings: Ints


def split_documents(
    documents: Sequence[LiveDocument], configs: Sequence[ChunkConfig], texts: TextTerms
) -> SplitDocuments:
    """Split each document by its settings, and sum token states and count words of each chunk.

    Args:
        texts: counts the words of prefixes and table descriptions.
    """
    own = [(one, one.chunker.split(config)) for one, config in zip(documents, configs, strict=True)]
    chunks = _level([(number, _part(one, split, split.boundaries, texts)) for number, (one, split) in enumerate(own)])
    larger, parents = {}, {}
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
        larger[multiple], parents[multiple] = _level(parts), np.concatenate(of).astype(np.int32)
    return SplitDocuments(
        tuple(split.boundaries for _, split in own),
        chunks,
        larger,
        parents,
        _parents(own),
        [one.chunker.document.text for one in documents],
    )


def _part(one: LiveDocument, split: Split, boundaries: Boundaries, texts: TextTerms) -> _Part:
    starts, ends = boundaries.starts, boundaries.ends
    n = len(starts)
    sums, counts = np.zeros((n, 0), np.float32), np.zeros(n, np.float32)
    if one.pooled is not None:
        sums, counts = one.pooled.sums(starts, ends, boundaries.prefixes)
    lengths, occurrences = one.terms.lengths(starts, ends), [one.terms.occurrences(starts, ends)]
    language = one.chunker.document.language
    before, of_prefixes = texts.occurrences(boundaries.prefixes, language)
    lengths, occurrences = lengths + before, [*occurrences, of_prefixes]
    described = split.descriptions(boundaries) if split.config.table_text is TableText.SENTENCES else {}
    if described:
        numbers = np.fromiter(described, np.int64, len(described))
        after, of_tables = texts.occurrences(list(described.values()), language)
        np.add.at(lengths, numbers, after)
        occurrences.append(WordOccurrences(numbers[of_tables.chunk], of_tables.term))
    sections = len(one.chunker.document.sections)
    headings = np.where(boundaries.sections < 0, sections, boundaries.sections) + np.int32(one.first_heading)
    chunk, term = (np.concatenate(column) for column in zip(*occurrences, strict=True))
    return _Part(boundaries, sums, counts, lengths, WordOccurrences(chunk, term), headings.astype(np.int32))


def _level(parts: Sequence[tuple[int, _Part]]) -> LiveLevel:
    """Concatenate one level over all documents that have it."""
    sizes = [len(part.boundaries) for _, part in parts]
    firsts = np.cumsum([0, *sizes])
    occurrences = [
        WordOccurrences(part.occurrences.chunk + first, part.occurrences.term)
        for (_, part), first in zip(parts, firsts, strict=False)
    ]
    chunk, term = (np.concatenate(column) for column in zip(*occurrences, strict=True))
    return LiveLevel(
        document=np.repeat(np.array([number for number, _ in parts], np.int32), sizes),
        starts=np.concatenate([part.boundaries.starts for _, part in parts]),
        ends=np.concatenate([part.boundaries.ends for _, part in parts]),
        tokens=np.concatenate([part.boundaries.tokens for _, part in parts]),
        sums=np.concatenate([part.sums for _, part in parts]),
        counts=np.concatenate([part.counts for _, part in parts]),
        lengths=np.concatenate([part.lengths for _, part in parts]),
        occurrences=WordOccurrences(chunk, term),
        headings=np.concatenate([part.headings for _, part in parts]),
    )


def _parents(own: Sequence[tuple[LiveDocument, Split]]) -> Parents:
    """Return paragraph parents where configured, else runs of adjacent chunks of one section."""
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
    """Return the (n,) run of each chunk, and starts, ends and tokens of the runs."""
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


class PooledDocument:
    """Sums of a document's token states over spans and prefixes, from which vectors are pooled.

    The vectors equal those of `LateEncoder.vectors`.

    Args:
        encoding: of the document.
        alone: mean state and number of tokens of each title (`LateEncoder.alone`).
    """

    def __init__(self, document: Document, encoding: Encoding, alone: Mapping[str, Vectors]) -> None:
        self._document, self._encoding, self._alone = document, encoding, alone
        self._titles = title_texts(document)
        tables = [block for block in document.blocks if block.type is BlockType.TABLE]
        self._tables = np.array([(block.start, block.end) for block in tables], np.int32).reshape(-1, 2)
        self._sums: dict[tuple[str, bool], Vectors] = {}

    def span_sums(self, starts: Ints, ends: Ints) -> tuple[Vectors, Vectors]:
        """Return (n, width) state sums and (n,) token counts of spans without prefix and headers."""
        return self._encoding.span_sums(starts, ends)

    def sums(self, starts: Ints, ends: Ints, prefixes: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return each chunk's sum of token states (n, width) and token count, prefix and headers included."""
        sums, tokens = self._encoding.span_sums(starts, ends)
        headed = self._add_headers(starts, ends, sums, tokens)
        keys = list(zip(prefixes, headed.tolist(), strict=True))
        kinds = {key: row for row, key in enumerate(dict.fromkeys(keys))}
        if any(prefix for prefix, _ in kinds):
            added = np.stack([self._of_prefix(*key) for key in kinds])[
                np.fromiter(map(kinds.__getitem__, keys), np.int64, len(keys))
            ]
            sums += added[:, :-1]
            tokens += added[:, -1]
        return sums, tokens

    def _add_headers(self, starts: Ints, ends: Ints, sums: Vectors, tokens: Vectors) -> NDArray[np.bool_]:
        """Add the header rows of tables in which chunks begin; return (n,) True where a header was added."""
        headed = np.zeros(len(starts), np.bool_)
        if not len(self._tables):
            return headed
        table = np.searchsorted(self._tables[:, 0], starts) - 1
        inside = np.flatnonzero((table >= 0) & (self._tables[np.maximum(table, 0), 1] > starts))
        spans = [
            (row, span)
            for row in inside.tolist()
            for span in header_spans(self._document, int(starts[row]), int(ends[row]))
        ]
        if spans:
            rows = np.array([row for row, _ in spans])
            edges = np.array([(span.start, span.end) for _, span in spans], np.int32)
            more, count = self._encoding.span_sums(edges[:, 0], edges[:, 1])
            special = np.float32(self._encoding.edge_tokens)  # each span has these already
            np.add.at(sums, rows, more - self._encoding.edge * special)
            np.add.at(tokens, rows, count - special)
            headed[rows] = True
        return headed

    def _of_prefix(self, prefix: str, in_table: bool) -> Vectors:
        """Return (width + 1,) the sum of states over the titles of a prefix, and their tokens."""
        cached = self._sums.get((prefix, in_table))
        if cached is None:
            cached = np.zeros(self._encoding.means.shape[1] + 1, np.float32)
            for part in parts_of_prefix(prefix, self._titles, in_table=in_table):
                one = self._alone.get(part.text)
                if one is not None:  # else it is no title: words that another splitter has put before its chunks
                    count = one[-1] * np.float32(part.share)
                    cached[:-1] += one[:-1] * count
                    cached[-1] += count
            if len(self._sums) > _MOST_PREFIXES:
                self._sums = {}
            self._sums[prefix, in_table] = cached
        return cached
