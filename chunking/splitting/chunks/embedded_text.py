"""What the model reads of each chunk: its prefix, and its text without markup and with its tables in sentences.

What has room in the model's limit is told from the most tokens that a description can have: those of the rows it is
made of,
which were measured with the document, and those of the names and words added to each. What has none stays as plain
cells.
Descriptions are then counted exactly, each row once; they are made of words that are known (law 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, TableText
from chunking.model import Block, BlockType
from chunking.splitting.measure.measured_document import MeasuredDocument
from chunking.splitting.measure.table_facts import EmbeddedSize, TableFacts
from chunking.splitting.packing.boundaries import Boundaries
from chunking.splitting.rendering.format_markup import MARKUP
from chunking.splitting.rendering.prefixes import SEPARATOR
from chunking.splitting.rendering.table_cells import TableCells
from chunking.splitting.rendering.table_text import (
    TableWording,
    describe_rows,
    describe_table,
    placeholder,
)

__all__ = ["EmbeddedTexts"]


@dataclass(slots=True)
class _Room:
    """Tokens that the model still reads beside a chunk's text as it stands; None: as many as there may be."""

    left: int | None
    refused: bool = False
    """Something had no room."""

    def take(self, tokens: int) -> bool:
        """Use some, if there are as many."""
        if self.left is not None and tokens > self.left:
            self.refused = True
            return False
        self.left = None if self.left is None else self.left - tokens
        return True

    def times(self, tokens: int, most: int) -> int:
        """How often, up to `most` times, so many tokens can be used."""
        number = most if self.left is None or tokens <= 0 else max(min(most, self.left // tokens), 0)
        self.take(number * tokens)
        self.refused |= number < most
        return number


class _Said(NamedTuple):
    """What is said of the rows of a table that a chunk holds."""

    block: Block
    table: TableCells
    rows: range
    said: range
    """Those of them that become sentences."""
    wording: TableWording
    about: str


class _Rows(NamedTuple):
    """Sentences of the rows of a table, a line each."""

    said: _Said

    @property
    def text(self) -> str:
        return "\n".join(filter(None, describe_rows(self.said.table, self.said.said, self.said.wording)))


class _Plain(NamedTuple):
    """The text between two offsets without its markup."""

    facts: TableFacts
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.facts.plain(self.start, self.end)


_Line = str | _Rows | _Plain


class _Composed(NamedTuple):
    """What is embedded of a chunk behind its prefix."""

    paragraphs: list[list[_Line]]
    """Paragraphs of lines; empty ones count for nothing."""
    about: list[str]
    """The sentences about its tables, without those of their rows."""
    shortened: bool
    """Something had no room in the model's limit."""


class EmbeddedTexts:
    """The texts of the chunks of one configuration."""

    def __init__(self, measured: MeasuredDocument, boundaries: Boundaries, config: ChunkConfig) -> None:
        self.measured, self.document, self._facts, self.boundaries = (
            measured,
            measured.document,
            measured.tables,
            boundaries,
        )
        self._sentences = config.table_text is TableText.SENTENCES
        self._limit = measured.max_tokens
        self._format = measured.document.format

    def text(
        self, number: int, blocks: Sequence[Block], before: Sequence[Block] = (), after: Sequence[Block] = ()
    ) -> tuple[str, str]:
        """What is embedded of a chunk, and the sentences about the tables in it, without those of their rows.

        Args:
            blocks: those that the chunk holds or takes a part of.
            before, after: large tables right beside it, for each of which a word stands.
        """
        composed = self._composed(number, blocks, before, after)
        paragraphs = ("\n".join(filter(None, map(_text_of, lines))) for lines in composed.paragraphs)
        return SEPARATOR.join(filter(None, (self.boundaries.prefixes[number], *paragraphs))), SEPARATOR.join(
            composed.about
        )

    def size(self, number: int, before: Sequence[Block] = (), after: Sequence[Block] = ()) -> EmbeddedSize:
        """Measure what is embedded of a chunk without making the sentences of its rows."""
        b = self.boundaries
        numbers = [some.item(number) for some in (b.starts, b.ends, b.tokens, b.prefix_tokens, b.free_tokens)]
        captions = self._facts.captions_in(numbers[0], numbers[1])
        key = (self._sentences, b.prefixes[number], *numbers, captions, self._named(before), self._named(after))
        return self._facts.embedded_sizes.of(key, lambda: self._size(number, before, after))

    def _named(self, tables: Sequence[Block]) -> tuple[tuple[int, str], ...]:
        """Start and caption of each table."""
        return tuple([(block.start, self._facts.caption(block)) for block in tables]) if tables else ()

    def _size(self, number: int, before: Sequence[Block], after: Sequence[Block]) -> EmbeddedSize:
        b = self.boundaries
        blocks = self.blocks_in(int(b.starts[number]), int(b.ends[number]))
        composed = self._composed(number, blocks, before, after)
        if self._format not in MARKUP and len(composed.paragraphs) == 1:  # as it stands: measured with the document
            known = len(SEPARATOR.join(filter(None, (b.prefixes[number], *map(_text_of, composed.paragraphs[0])))))
            return EmbeddedSize(int(b.tokens[number]), known, composed.shortened)
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
        """The blocks that [start, end) holds or takes a part of."""
        return self._facts.blocks_in(start, end)

    def tokens_of(self, text: str) -> int:
        """Tokens of a text."""
        return self._facts.count(text)

    def _size_of(self, line: _Line) -> tuple[int, int]:
        """Tokens and characters."""
        if isinstance(line, str):
            return self._facts.count(line), len(line)
        if isinstance(line, _Plain):
            return self._facts.plain_size(line.start, line.end)
        rows, known = line.said.said, self._facts.sentences(line.said.block)
        tokens, characters = (int(running[rows.stop] - running[rows.start]) for running in known)
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
            said = self._about(block, low, high, room)
            if said is not None:
                parts += [[_Plain(self._facts, start, low)], self._lines(said, low, high)]
                about.append(said.about)
                start = high
        parts.append([_Plain(self._facts, start, end)])
        first: list[list[_Line]] = [[word] for word in self._stands_for(before, room)]
        last: list[list[_Line]] = [[word] for word in self._stands_for(after, room)]
        return _Composed([*first, *parts, *last], about, room.refused)

    def descriptions(self) -> dict[int, str]:
        """The second of what `text` makes of each chunk, by its number: of those that have one, and without the rest."""
        found: dict[int, list[str]] = {}
        rooms: dict[int, _Room] = {}
        b = self.boundaries
        for block in self.document.blocks if self._sentences else ():
            if block.type is not BlockType.TABLE:
                continue
            for number in range(
                int(np.searchsorted(b.ends, block.start, "right")), int(np.searchsorted(b.starts, block.end))
            ):
                room = rooms.get(number) or rooms.setdefault(number, self._room(number))
                said = self._about(
                    block, max(block.start, int(b.starts[number])), min(block.end, int(b.ends[number])), room
                )
                if said is not None:
                    found.setdefault(number, []).append(said.about)
        return {number: SEPARATOR.join(some) for number, some in found.items()}

    def plain(self, number: int) -> str:
        """What is embedded of a chunk where nothing besides has room."""
        b = self.boundaries
        plain = self._facts.plain(int(b.starts[number]), int(b.ends[number]))
        return SEPARATOR.join(part for part in (b.prefixes[number], plain) if part)

    def _room(self, number: int) -> _Room:
        b = self.boundaries
        return _Room(None if self._limit is None else self._limit - int(b.tokens[number]) - int(b.free_tokens[number]))

    def _lines(self, said: _Said, start: int, end: int) -> list[_Line]:
        """The sentence about a table, and the part of it in [start, end) in sentences as far as there is room."""
        block, table, rows = said.block, said.table, said.rows
        rest = rows[len(said.said) :]
        return [
            "" if start == block.start else _Plain(self._facts, start, table.starts[rows.start]),
            said.about,
            _Rows(said),
            _Plain(self._facts, table.starts[rest.start] if rest else table.end_of(rows[-1]), end),
        ]

    def _about(self, block: Block, start: int, end: int, room: _Room) -> _Said | None:
        """What is said of the part of a table in [start, end), where there is room for it."""
        if block.type is not BlockType.TABLE or not block.meta.get("row_starts"):
            return None
        table = self._facts.cells(block)
        rows = table.rows_in(start, end)
        if not rows:
            return None
        costs = self._facts.costs(block)
        if not room.take(costs.about - (costs.header if start == block.start else 0)):
            return None
        said = rows[: room.times(costs.row, len(rows))]
        about = describe_table(table, rows, costs.wording, caption=self._facts.caption(block))
        return _Said(block, table, rows, said, costs.wording, about)

    def _stands_for(self, tables: Sequence[Block], room: _Room) -> Iterator[str]:
        for block in tables:
            if room.take(self._facts.named(block)):
                yield placeholder(int(block.meta.get("rows", 0)), self._facts.caption(block), self.document.language)


def _text_of(line: _Line) -> str:
    return line if isinstance(line, str) else line.text
