"""Measured documents: allowed cuts, token counts, and facts about tables.

Tables are measured with the document: captions, cells, and the tokens of their descriptions (`TableFacts`). Further
values that depend on the document alone are cached in its `Memo`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chunking.config import Prefix, Unit
from chunking.model import Block, BlockType, Document
from chunking.splitting.measure.cut_marks import CutMarks, mark
from chunking.splitting.measure.prefix_costs import PrefixTable
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.splitting.measure.token_positions import Survey, TokenPositions, measure
from chunking.splitting.rendering.markup_cleaning import MARKUP, without_markup
from chunking.splitting.rendering.table_text import (
    WORDINGS,
    TableCells,
    TableWording,
    caption_of,
    describe_rows,
    forms_of,
    wording_of,
    words_of,
)

__all__ = ["EmbeddedSize", "MeasuredDocument", "Memo", "SentenceVectors", "TableFacts"]

_MOST_SIZES = 100_000
"""Maximum cached sizes: of spans without markup, and of chunks as embedded."""

Value = TypeVar("Value")

_MISSING = object()


class EmbeddedSize(NamedTuple):
    """Tokens and characters of an embedded text, and a mark if the model's limit shortened it."""

    tokens: int
    """Number of tokens: exact if counts of words add up, else an estimate."""
    characters: int
    shortened: bool
    """True if the model's limit left no room for part of the table descriptions."""


class TableFacts:
    """Captions, cells and description costs of a document's tables; counted once (law 6)."""

    def __init__(self, document: Document, marks: CutMarks, measured: TokenPositions, counter: TokenCounter) -> None:
        self._measured, self.count, self._counter = measured, counter.count, counter
        self._cells: dict[int, TableCells] = {}
        self._costs: dict[int, Costs] = {}
        self._sentences: dict[int, RowSentences] = {}
        self._plain_sizes = Memo(_MOST_SIZES)
        self.embedded_sizes = Memo(_MOST_SIZES)
        tables = self._read_tables(document, marks)
        self._learn_words(tables, counter)
        described, named = zip(*map(words_of, WORDINGS.values()), strict=True)
        self._described, self._named = (max(map(counter.count, words)) if tables else 0 for words in (described, named))

    def under(self, document: Document, marks: CutMarks) -> TableFacts:
        """Return the facts of the same tables under other sections, which may change only their captions."""
        other = copy(self)
        other._read_tables(document, marks)
        more = {
            start: other._caption_tokens[caption] - self._caption_tokens[self.captions[start]]
            for start, caption in other.captions.items()
        }
        other._costs = {
            start: costs._replace(about=costs.about + more[start]) for start, costs in list(self._costs.items())
        }
        return other

    def _read_tables(self, document: Document, marks: CutMarks) -> list[Block]:
        """Index a document's tables and captions."""
        self.document, self._marks = document, marks
        self.captions: dict[int, str] = {}
        tables = [block for block in document.blocks if block.type is BlockType.TABLE]
        for block in tables:
            section = document.section_at(block.start) if document.sections else None
            self.captions[block.start] = caption_of(
                block, "" if section is None or section.title_made else section.title
            )
        self._caption_tokens = {caption: self.count(caption) for caption in set(self.captions.values())}
        self._block_starts, self._block_ends = (
            [getattr(block, edge) for block in document.blocks] for edge in ("start", "end")
        )
        self._table_starts, self._table_ends = ([getattr(block, edge) for block in tables] for edge in ("start", "end"))
        self.table_bounds = np.array(self._table_starts, np.int32), np.array(self._table_ends, np.int32)
        return tables

    def _learn_words(self, tables: Sequence[Block], counter: TokenCounter) -> None:
        """Count all words of cleaned texts, descriptions and placeholders before any size is known."""
        if tables or self.document.markup in MARKUP:
            counter.learn(self.document.text)
        if tables:
            rows = (max(len(block.meta.get("row_starts", ())), int(block.meta.get("rows", 0))) for block in tables)
            most = max(*rows, *(self.cells(block).width for block in tables), 0)
            counter.learn(" ".join(map(str, range(most + 1))))
            counter.learn(" ".join(chain.from_iterable(map(forms_of, WORDINGS.values()))))

    def blocks_in(self, start: int, end: int) -> Sequence[Block]:
        """Return the blocks that overlap [start, end)."""
        return self.document.blocks[bisect_right(self._block_ends, start) : bisect_left(self._block_starts, end)]

    def plain(self, start: int, end: int) -> str:
        """Return the text between two offsets without markup, its outer line ends stripped."""
        text = self.document.text[start:end]
        if not text.strip():
            return ""
        if self.document.markup in MARKUP:
            text = without_markup(self.document.markup, text, self.blocks_in(start, end), offset=start)
        return text.strip("\r\n")

    def plain_size(self, start: int, end: int) -> tuple[int, int]:
        """Return the tokens and characters of `plain`, cached: sections and sizes do not change them."""

        def measured() -> tuple[int, int]:
            plain = self.plain(start, end)
            return self.count(plain), len(plain)

        size: tuple[int, int] = self._plain_sizes.of((start, end), measured)
        return size

    def captions_in(self, start: int, end: int) -> tuple[str, ...]:
        """Return the captions of the tables that overlap [start, end)."""
        starts = self._table_starts[bisect_right(self._table_ends, start) : bisect_left(self._table_starts, end)]
        return tuple(self.captions[at] for at in starts)

    def sentences(self, block: Block) -> RowSentences:
        """Return running tokens and characters of the sentences of a table's rows, counted once."""
        lengths = self._sentences.get(block.start)
        if lengths is None:
            table = self.cells(block)
            sentences = describe_rows(table, range(len(table.starts)), self.costs(block).wording)
            lengths = self._sentences[block.start] = RowSentences.of(sentences, self._counter)
        return lengths

    def tokens(self, start: int, end: int) -> int:
        """Sum known token counts between two offsets, which must follow white space."""
        return self._measured.tokens_between(self._marks.place(start), self._marks.place(end)) if start < end else 0

    def cells(self, block: Block) -> TableCells:
        """Return a table's rows and column names, read once."""
        cells = self._cells.get(block.start)
        if cells is None:
            clean = MARKUP.get(self.document.markup, _unchanged)
            cells = self._cells[block.start] = TableCells(self.document.text, block, clean)
        return cells

    def caption(self, block: Block) -> str:
        """Return a table's caption, else the title of its section; may be empty."""
        return self.captions[block.start]

    def costs(self, block: Block) -> Costs:
        """Return upper bounds on the tokens of a table's description, measured once."""
        costs = self._costs.get(block.start)
        if costs is None:
            table = self.cells(block)
            names, commas = self.tokens(block.start, table.names_end), table.width - 1
            between = 0 if table.has_spaces_between else commas
            costs = self._costs[block.start] = Costs(
                wording=wording_of(self.document.text, block),
                about=self._described_by(block) + names + commas - between,
                header=self.tokens(block.start, table.body),
                row=max(names - between, 0) + commas - between + 1,
            )
        return costs

    def _described_by(self, block: Block) -> int:
        """Return the maximum tokens of the sentence above the rows, without column names.

        A digit is a token at worst.
        """
        rows, columns = (len(str(number)) for number in (len(block.meta["row_starts"]), block.meta.get("columns", 1)))
        return self._described + self._caption_tokens[self.caption(block)] + 3 * rows + columns

    def named(self, block: Block) -> int:
        """Return the maximum tokens of a table's placeholder."""
        return self._named + self._caption_tokens[self.caption(block)] + len(str(block.meta.get("rows", 0)))


class RowSentences(NamedTuple):
    """Running sums of tokens and characters over the sentences of a table's n rows."""

    tokens: NDArray[np.int64]
    """(n + 1,) running sum."""
    characters: NDArray[np.int64]
    """(n + 1,) running sum, including a line break per sentence; an empty row has no line."""

    @classmethod
    def of(cls, sentences: Sequence[str], counter: TokenCounter) -> RowSentences:
        """Count each row's sentence in tokens and characters, and return the running sums."""
        lengths = [len(sentence) + bool(sentence) for sentence in sentences]
        counts = counter.count_each(sentences)
        return cls(*(np.concatenate(([0], np.cumsum(some, dtype=np.int64))) for some in (counts, lengths)))


class Costs(NamedTuple):
    """Maximum tokens of a description beyond the plain rows of a table."""

    wording: TableWording
    about: int
    """Tokens of the sentence above the rows."""
    header: int
    """Tokens of the header row: saved if the sentence replaces it."""
    row: int
    """Tokens of a row as a sentence."""


def _unchanged(cell: str) -> str:
    return cell


class Memo:
    """Cache of values by key, each made at the first call.

    Threads may share it, and may both make a value.

    Args:
        most: number of values at which the cache is emptied; None: no limit.
    """

    def __init__(self, most: int | None = None) -> None:
        self._values: dict[Hashable, Any] = {}
        self._most = most

    def get(self, key: Hashable) -> Any:
        """Return the cached value of a key, or None."""
        return self._values.get(key)

    def of(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the cached value of a key, or make it.

        >>> memo = Memo()
        >>> memo.of("size", lambda: 3), memo.of("size", lambda: 4)
        (3, 3)
        """
        value: Value = self._values.get(key, _MISSING)
        if value is _MISSING:
            value = make()
            if self._most is not None and len(self._values) >= self._most:
                self._values.clear()
            self._values[key] = value
        return value


Ints = NDArray[np.int32]

SentenceVectors = Callable[[Document, Ints, Ints], NDArray[np.float32]]
"""Function from (n,) starts and ends of a document's spans to (n, d) unit vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredDocument:
    """A document's cuts and counts: no later step calls the tokenizer for its text (law 6)."""

    document: Document
    counter: TokenCounter
    """Counter of the embedding model's tokenizer."""
    max_tokens: int | None
    """Token limit of the model without special tokens (254 for MiniLM); None: no limit."""
    sentences: SentenceVectors | None
    """Vectors for the strategy semantic; None: that strategy falls back."""
    marks: CutMarks
    positions: TokenPositions
    tables: TableFacts
    memo: Memo = field(default_factory=Memo, init=False, repr=False)
    """Cache of values that depend on this document alone, such as a splitter's chunks."""

    @classmethod
    def of(
        cls,
        document: Document,
        counter: TokenCounter,
        *,
        max_tokens: int | None = None,
        sentences: SentenceVectors | None = None,
    ) -> MeasuredDocument:
        """Find a document's cuts and count tokens of text, tables and prefixes, in one pass."""
        marks = mark(document, counter)
        positions = measure(document.text, marks, counter)
        tables = TableFacts(document, marks, positions, counter)
        measured = cls(document, counter, max_tokens, sentences, marks, positions, tables)
        for kind in Prefix:  # counted before any size is known
            measured.prefixes(kind)
        return measured

    def under(self, document: Document) -> MeasuredDocument:
        """Return the measure of the same text under other blocks and sections."""
        if document is self.document:
            return self
        marks = mark(document, self.counter, self.marks.places)
        return replace(self, document=document, marks=marks, tables=self.tables.under(document, marks))

    def survey(self, unit: Unit) -> Survey:
        """Return the document's allowed cuts and spans measured in tokens or characters; cached."""
        return self.memo.of((Survey, unit), lambda: Survey.of(self.document, self.marks, self.positions, unit))

    def prefixes(self, kind: Prefix) -> PrefixTable:
        """Return the full prefixes of one kind with their counts, one row per section; cached."""
        if kind.written:  # the generated text comes after the titles, and is not counted here
            kind = Prefix.TITLE_PATH
        return self.memo.of((PrefixTable, kind), lambda: PrefixTable(self.document, kind, self.counter))

    def tokens_between(self, starts: Ints, ends: Ints) -> Ints:
        """Count the tokens of spans of the text.

        Args:
            starts, ends: (k,) offsets at which chunks of any configuration start and end.
        Returns:
            (k,) exact if counts of words add up, else an upper bound.
        """
        first = self.marks.places.first
        return self.positions.tokens(
            np.searchsorted(first, starts).astype(np.int32), np.searchsorted(first, ends).astype(np.int32)
        )
