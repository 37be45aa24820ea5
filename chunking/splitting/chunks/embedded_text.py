"""Embedded text of each chunk: prefix, then content without markup and with tables as sentences.

Fit in the model's limit is decided by an upper bound on description tokens: those of the rows, measured with the
document, and those of the names and words added to each. Rows without room stay plain cells. Descriptions are then
counted exactly, each row once; their words are counted with the document (law 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, TableText
from chunking.model import Block, BlockType
from chunking.splitting.measure.measured_document import EmbeddedSize, MeasuredDocument, TableFacts
from chunking.splitting.packing.boundaries import Boundaries
from chunking.splitting.rendering.markup_cleaning import MARKUP
from chunking.splitting.rendering.prefixes import SEPARATOR
from chunking.splitting.rendering.table_text import (
    TableCells,
    TableWording,
    describe_rows,
    describe_table,
    placeholder,
)

__all__ = ["EmbeddedTexts"]


@dataclass(slots=True)
class _Room:
    """Tokens left in the model's limit after a chunk's plain text."""

    tokens: int | None
    """Remaining tokens; None: no limit."""
    exceeded: bool = False
    """True if an item did not fit."""

    def take(self, tokens: int) -> bool:
        """Use some tokens; False if there are not enough."""
        if self.tokens is not None and tokens > self.tokens:
            self.exceeded = True
            return False
        self.tokens = None if self.tokens is None else self.tokens - tokens
        return True

    def take_up_to(self, most: int, tokens: int) -> int:
        """Use tokens for as many items as fit, up to `most`, and return their number."""
        number = most if self.tokens is None or tokens <= 0 else max(min(most, self.tokens // tokens), 0)
        self.take(number * tokens)
        self.exceeded |= number < most
        return number


class _TableDescription(NamedTuple):
    """Description of a table's rows in a chunk."""

    block: Block
    table: TableCells
    rows: range
    described: range
    """Rows that become sentences."""
    wording: TableWording
    about: str
    """Sentence above the rows."""


class _Rows(NamedTuple):
    """Sentences of a table's rows, one per line."""

    of: _TableDescription

    @property
    def text(self) -> str:
        return "\n".join(filter(None, describe_rows(self.of.table, self.of.described, self.of.wording)))


class _Plain(NamedTuple):
    """Text between two offsets without its markup."""

    facts: TableFacts
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.facts.plain(self.start, self.end)


_Line = str | _Rows | _Plain


class _Composed(NamedTuple):
    """Embedded text of a chunk after its prefix."""

    paragraphs: list[list[_Line]]
    """Lines of each paragraph; empty paragraphs do not count."""
    about: list[str]
    """Sentences about its tables, without those of their rows."""
    shortened: bool
    """True if the model's limit left something out."""


class EmbeddedTexts:
    """Texts to embed for the chunks of one split, made or only measured on demand."""

    def __init__(self, measured: MeasuredDocument, boundaries: Boundaries, config: ChunkConfig) -> None:
        self.measured, self.document, self.boundaries = measured, measured.document, boundaries
        self._facts = measured.tables
        self._sentences = config.table_text is TableText.SENTENCES
        self._limit = measured.max_tokens
        self._format = measured.document.markup

    def text(
        self, number: int, blocks: Sequence[Block], before: Sequence[Block] = (), after: Sequence[Block] = ()
    ) -> tuple[str, str]:
        """Return the embedded text of a chunk, and the sentences about its tables without those of their rows.

        Args:
            blocks: those that overlap the chunk.
            before, after: large tables next to it, each replaced by a placeholder.
        """
        composed = self._composed(number, blocks, before, after)
        paragraphs = ("\n".join(filter(None, map(_text_of, lines))) for lines in composed.paragraphs)
        return SEPARATOR.join(filter(None, (self.boundaries.prefixes[number], *paragraphs))), SEPARATOR.join(
            composed.about
        )

    def size(self, number: int, before: Sequence[Block] = (), after: Sequence[Block] = ()) -> EmbeddedSize:
        """Return the size of a chunk's embedded text from counts of its parts; cached."""
        b = self.boundaries
        numbers = [some.item(number) for some in (b.starts, b.ends, b.tokens, b.prefix_tokens, b.free_tokens)]
        captions = self._facts.captions_in(numbers[0], numbers[1])
        key = (self._sentences, b.prefixes[number], *numbers, captions, self._named(before), self._named(after))
        # Looked up first: each step of the slider asks for each chunk, and a closure costs more than the look-up.
        size: EmbeddedSize | None = self._facts.embedded_sizes.get(key)
        return self._facts.embedded_sizes.of(key, lambda: self._size(number, before, after)) if size is None else size

    def _named(self, tables: Sequence[Block]) -> tuple[tuple[int, str], ...]:
        """Return start and caption of each table."""
        return tuple([(block.start, self._facts.caption(block)) for block in tables]) if tables else ()

    def _size(self, number: int, before: Sequence[Block], after: Sequence[Block]) -> EmbeddedSize:
        b = self.boundaries
        blocks = self.blocks_in(int(b.starts[number]), int(b.ends[number]))
        composed = self._composed(number, blocks, before, after)
        if self._format not in MARKUP and len(composed.paragraphs) == 1:  # unchanged: measured with the document
            characters = len(SEPARATOR.join(filter(None, (b.prefixes[number], *map(_text_of, composed.paragraphs[0])))))
            return EmbeddedSize(int(b.tokens[number]), characters, composed.shortened)
        tokens, lengths = int(b.prefix_tokens[number]), [len(b.prefixes[number])]
        for lines in composed.paragraphs:
            sizes = [self._size_of(line) for line in lines if line]
            tokens += sum(size for size, _ in sizes)
            breaks = sum(1 for _, length in sizes if length) - 1
            lengths.append(sum(length for _, length in sizes) + max(breaks, 0))
        joints = sum(1 for length in lengths if length) - 1
        return EmbeddedSize(tokens, sum(lengths) + len(SEPARATOR) * max(joints, 0), composed.shortened)

    @property
    def table_bounds(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Starts and ends of the document's tables, (n,) each."""
        return self._facts.table_bounds

    def blocks_in(self, start: int, end: int) -> Sequence[Block]:
        """Return the blocks that overlap [start, end)."""
        return self._facts.blocks_in(start, end)

    def tokens_of(self, text: str) -> int:
        """Count the tokens of a text."""
        return self._facts.count(text)

    def _size_of(self, line: _Line) -> tuple[int, int]:
        """Return the tokens and characters of a line."""
        if isinstance(line, str):
            return self._facts.count(line), len(line)
        if isinstance(line, _Plain):
            return self._facts.plain_size(line.start, line.end)
        rows, lengths = line.of.described, self._facts.sentences(line.of.block)
        tokens, characters = (int(running[rows.stop] - running[rows.start]) for running in lengths)
        return tokens, max(characters - 1, 0)

    def _composed(
        self, number: int, blocks: Sequence[Block], before: Sequence[Block], after: Sequence[Block]
    ) -> _Composed:
        b = self.boundaries
        start, end = int(b.starts[number]), int(b.ends[number])
        room = self._room(number)
        parts, about = list[list[_Line]](), []
        for block in blocks if self._sentences else ():
            low, high = max(block.start, start), min(block.end, end)
            described = self._describe(block, low, high, room)
            if described is not None:
                parts += [[_Plain(self._facts, start, low)], self._lines(described, low, high)]
                about.append(described.about)
                start = high
        parts.append([_Plain(self._facts, start, end)])
        first: list[list[_Line]] = [[text] for text in self._placeholders(before, room)]
        last: list[list[_Line]] = [[text] for text in self._placeholders(after, room)]
        return _Composed([*first, *parts, *last], about, room.exceeded)

    def descriptions(self) -> dict[int, str]:
        """Return by chunk number the sentences above the rows of its tables, as far as they fit.

        Sentences of rows are not included; empty unless the setting `table_text` is sentences.
        """
        sentences: dict[int, list[str]] = {}
        rooms: dict[int, _Room] = {}
        b = self.boundaries
        for block in self.document.blocks if self._sentences else ():
            if block.type is not BlockType.TABLE:
                continue
            for number in range(
                int(np.searchsorted(b.ends, block.start, "right")), int(np.searchsorted(b.starts, block.end))
            ):
                room = rooms.get(number) or rooms.setdefault(number, self._room(number))
                start, end = max(block.start, int(b.starts[number])), min(block.end, int(b.ends[number]))
                described = self._describe(block, start, end, room)
                if described is not None:
                    sentences.setdefault(number, []).append(described.about)
        return {number: SEPARATOR.join(some) for number, some in sentences.items()}

    def plain(self, number: int) -> str:
        """Return a chunk's prefix and text without markup: tables as cells, no placeholders."""
        b = self.boundaries
        plain = self._facts.plain(int(b.starts[number]), int(b.ends[number]))
        return SEPARATOR.join(part for part in (b.prefixes[number], plain) if part)

    def _room(self, number: int) -> _Room:
        b = self.boundaries
        return _Room(None if self._limit is None else self._limit - int(b.tokens[number]) - int(b.free_tokens[number]))

    def _lines(self, described: _TableDescription, start: int, end: int) -> list[_Line]:
        """Return the lines of a table's part in [start, end).

        The sentence about the table, sentences of rows, and plain rows without room.
        """
        block, table, rows = described.block, described.table, described.rows
        rest = rows[len(described.described) :]
        return [
            "" if start == block.start else _Plain(self._facts, start, table.starts[rows.start]),
            described.about,
            _Rows(described),
            _Plain(self._facts, table.starts[rest.start] if rest else table.end_of(rows[-1]), end),
        ]

    def _describe(self, block: Block, start: int, end: int, room: _Room) -> _TableDescription | None:
        """Describe the part of a table in [start, end); None for other blocks, and without room."""
        if block.type is not BlockType.TABLE or not block.meta.get("row_starts"):
            return None
        table = self._facts.cells(block)
        rows = table.rows_in(start, end)
        if not rows:
            return None
        costs = self._facts.costs(block)
        if not room.take(costs.about - (costs.header if start == block.start else 0)):
            return None
        described = rows[: room.take_up_to(len(rows), costs.row)]
        about = describe_table(table, rows, costs.wording, caption=self._facts.caption(block))
        return _TableDescription(block, table, rows, described, costs.wording, about)

    def _placeholders(self, tables: Sequence[Block], room: _Room) -> Iterator[str]:
        for block in tables:
            if room.take(self._facts.named(block)):
                yield placeholder(int(block.meta.get("rows", 0)), self._facts.caption(block), self.document.language)


def _text_of(line: _Line) -> str:
    return line if isinstance(line, str) else line.text
