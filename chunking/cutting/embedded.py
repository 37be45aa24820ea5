"""What the model reads of each chunk: its prefix, and its text without markup and with its tables in sentences.

Nothing is counted here (law 6): a description has at most the tokens of the rows it is made of, which were measured with the
document, and those of the names and words added to each. What has no room in the model's limit stays as plain cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunking.config import ChunkConfig, TableText
from chunking.context import SEPARATOR, clean_for_embedding
from chunking.context.cells import TableCells
from chunking.context.tables import WORDINGS, Wording, caption_of, describe_rows, describe_table, placeholder, wording_of, words_of
from chunking.cutting.boundaries import Boundaries
from chunking.cutting.marks import Marks
from chunking.cutting.measure import Measured
from chunking.cutting.tokens import TokenCounter
from chunking.model import Block, BlockType, Document

__all__ = ["EmbeddedTexts", "TableFacts"]

_WITH_MARKUP = frozenset({"markdown"})
"""Formats whose text has markup to be cleaned of."""


class TableFacts:
    """The tables of a measured document: what they are called, and what their descriptions cost; counted once (law 6)."""

    def __init__(self, document: Document, marks: Marks, measured: Measured, counter: TokenCounter) -> None:
        self.document, self._marks, self._measured = document, marks, measured
        self.captions: dict[int, str] = {}
        tables = [block for block in document.blocks if block.type is BlockType.TABLE]
        for block in tables:
            section = document.section_at(block.start) if document.sections else None
            self.captions[block.start] = caption_of(block, "" if section is None or section.title_made else section.title)
        self._caption_tokens = {caption: counter.count(caption) for caption in set(self.captions.values())}
        described, named = zip(*map(words_of, WORDINGS.values()), strict=True)
        self._cells: dict[int, TableCells] = {}
        self._costs: dict[int, _Costs] = {}
        self._described, self._named = (max(map(counter.count, words)) if tables else 0 for words in (described, named))

    def tokens(self, start: int, end: int) -> int:
        """Tokens between two offsets that have white space before them."""
        return self._measured.tokens_between(self._marks.place(start), self._marks.place(end)) if start < end else 0

    def cells(self, block: Block) -> TableCells:
        """A table's rows and the names of its columns, read once."""
        known = self._cells.get(block.start)
        if known is None:
            clean = clean_for_embedding if self.document.format in _WITH_MARKUP else _as_it_is
            known = self._cells[block.start] = TableCells(self.document.text, block, clean)
        return known

    def caption(self, block: Block) -> str:
        """What a table is called."""
        return self.captions[block.start]

    def costs(self, block: Block) -> _Costs:
        """What it takes to say something of a table, measured once."""
        known = self._costs.get(block.start)
        if known is None:
            table = self.cells(block)
            names, commas = self.tokens(block.start, table.names_end), table.width - 1
            between = 0 if table.has_spaces_between else commas
            known = self._costs[block.start] = _Costs(
                wording=wording_of(self.document.text, block),
                about=self._described_by(block) + names + commas - between,
                header=self.tokens(block.start, table.body),
                row=max(names - between, 0) + commas - between + 1,
            )
        return known

    def _described_by(self, block: Block) -> int:
        """Most tokens of the sentence about a table, without its columns' names: a digit is a token at worst."""
        rows, columns = (len(str(number)) for number in (len(block.meta["row_starts"]), block.meta.get("columns", 1)))
        return self._described + self._caption_tokens[self.caption(block)] + 3 * rows + columns

    def named(self, block: Block) -> int:
        """Most tokens of what stands for a table."""
        return self._named + self._caption_tokens[self.caption(block)] + len(str(block.meta.get("rows", 0)))


class _Costs(NamedTuple):
    """Most tokens that sentences take beside the rows of a table as they stand."""

    wording: Wording
    about: int
    """The sentence above the rows."""
    header: int
    """What its header row takes: saved where that becomes the sentence."""
    row: int
    """A row as a sentence."""


@dataclass(slots=True)
class _Room:
    """Tokens that the model still reads beside a chunk's text as it stands; None: as many as there may be."""

    left: int | None

    def take(self, tokens: int) -> bool:
        """Use some, if there are as many."""
        if self.left is not None and tokens > self.left:
            return False
        self.left = None if self.left is None else self.left - tokens
        return True

    def times(self, tokens: int, most: int) -> int:
        """How often, up to `most` times, so many tokens can be used."""
        number = most if self.left is None or tokens <= 0 else max(min(most, self.left // tokens), 0)
        self.take(number * tokens)
        return number


class _Said(NamedTuple):
    """What is said of the rows of a table that a chunk holds."""

    table: TableCells
    rows: range
    said: range
    """Those of them that become sentences."""
    wording: Wording
    about: str


class EmbeddedTexts:
    """The texts of the chunks of one configuration."""

    def __init__(self, facts: TableFacts, boundaries: Boundaries, config: ChunkConfig, max_tokens: int | None) -> None:
        self._facts, self.boundaries, self.document = facts, boundaries, facts.document
        self._sentences = config.table_text is TableText.SENTENCES
        self._limit = max_tokens
        self._text, self._format = facts.document.text, facts.document.format

    def text(self, number: int, blocks: Sequence[Block], before: Sequence[Block] = (), after: Sequence[Block] = ()) -> tuple[str, str]:
        """What is embedded of a chunk, and the sentences about the tables in it, without those of their rows.

        Args:
            blocks: those that the chunk holds or takes a part of.
            before, after: large tables right beside it, for each of which a word stands.
        """
        b = self.boundaries
        start, end = int(b.starts[number]), int(b.ends[number])
        room = self._room(number)
        parts, descriptions = [], []
        for block in blocks if self._sentences else ():
            low, high = max(block.start, start), min(block.end, end)
            about, rows = self._described(block, low, high, room)
            if about:
                parts += [self._clean(blocks, start, low), rows]
                descriptions.append(about)
                start = high
        parts.append(self._clean(blocks, start, end))
        whole = (b.prefixes[number], *self._stands_for(before, room), *parts, *self._stands_for(after, room))
        return SEPARATOR.join(part for part in whole if part), SEPARATOR.join(descriptions)

    def descriptions(self) -> dict[int, str]:
        """The second of what `text` makes of each chunk, by its number: of those that have one, and without the rest."""
        found: dict[int, list[str]] = {}
        rooms: dict[int, _Room] = {}
        b = self.boundaries
        for block in self.document.blocks if self._sentences else ():
            if block.type is not BlockType.TABLE:
                continue
            for number in range(int(np.searchsorted(b.ends, block.start, "right")), int(np.searchsorted(b.starts, block.end))):
                room = rooms.get(number) or rooms.setdefault(number, self._room(number))
                said = self._about(block, max(block.start, int(b.starts[number])), min(block.end, int(b.ends[number])), room)
                if said is not None:
                    found.setdefault(number, []).append(said.about)
        return {number: SEPARATOR.join(some) for number, some in found.items()}

    def plain(self, number: int) -> str:
        """What is embedded of a chunk where nothing besides has room."""
        b = self.boundaries
        cleaned = self._clean(self.document.blocks, int(b.starts[number]), int(b.ends[number]))
        return SEPARATOR.join(part for part in (b.prefixes[number], cleaned) if part)

    def _clean(self, blocks: Sequence[Block], start: int, end: int) -> str:
        text = self._text[start:end]
        if not text.strip():
            return ""
        if self._format not in _WITH_MARKUP:
            return text.strip("\r\n")
        return clean_for_embedding(text, (block for block in blocks if block.start < end and start < block.end), offset=start).strip("\r\n")

    def _room(self, number: int) -> _Room:
        b = self.boundaries
        return _Room(None if self._limit is None else self._limit - int(b.tokens[number]) - int(b.free_tokens[number]))

    def _described(self, block: Block, start: int, end: int, room: _Room) -> tuple[str, str]:
        """The sentence about a table, and the part of it in [start, end) in sentences as far as there is room; else nothing."""
        said = self._about(block, start, end, room)
        if said is None:
            return "", ""
        table, rows = said.table, said.rows
        rest = rows[len(said.said) :]
        cut = () if start == block.start else (self._clean((block,), start, table.starts[rows.start]),)
        lines = (
            *cut,
            said.about,
            *describe_rows(table, said.said, said.wording),
            self._clean((block,), table.starts[rest.start] if rest else table.end_of(rows[-1]), end),
        )
        return said.about, "\n".join(line for line in lines if line)

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
        return _Said(table, rows, said, costs.wording, about)

    def _stands_for(self, tables: Sequence[Block], room: _Room) -> Iterator[str]:
        for block in tables:
            if room.take(self._facts.named(block)):
                yield placeholder(int(block.meta.get("rows", 0)), self._facts.caption(block), self.document.language)


def _as_it_is(cell: str) -> str:
    return cell
