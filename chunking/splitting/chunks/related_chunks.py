"""Which chunks belong to each other though they stand apart: a large table's, and those of the text around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from chunking.model import Block, Document
from chunking.splitting.packing.boundaries import Boundaries

__all__ = ["ALONE", "ChunkNeighbours", "related_tables"]

_PARTS_AT_MOST = 100
"""Chunks of one table that are related to its text, and it to them; a table of more is followed from chunk to chunk."""


@dataclass(frozen=True, slots=True)
class ChunkNeighbours:
    """What stands around a chunk without being part of it."""

    numbers: tuple[int, ...] = ()
    """Of the chunks: of the table beside a text, or of the text before and after a table."""
    before: tuple[Block, ...] = ()
    """The large tables between the chunk and the text before it."""
    after: tuple[Block, ...] = ()


ALONE = ChunkNeighbours()


def related_tables(document: Document, boundaries: Boundaries) -> dict[int, ChunkNeighbours]:
    """What each chunk is related to, by its number; chunks that are related to none are left out.

    A table's text is that of its own section: the chunk right before it and the one right behind it, over other large
    tables between. Relations go both ways.
    """
    numbers: dict[int, list[int]] = {}
    before: dict[int, list[Block]] = {}
    after: dict[int, list[Block]] = {}
    for tables, low, high in _groups(boundaries):
        for number, parts in tables:
            block = document.blocks[number]
            section = document.section_at(block.start) if document.sections else None
            if low >= 0 and (section is None or boundaries.ends[low] > section.start):
                after.setdefault(low, []).append(block)
                _relate(numbers, low, parts)
            if high < len(boundaries) and (section is None or boundaries.starts[high] < section.own_end):
                before.setdefault(high, []).append(block)
                _relate(numbers, high, parts)
    return {
        number: ChunkNeighbours(tuple(sorted(others)), tuple(before.get(number, ())), tuple(after.get(number, ())))
        for number, others in numbers.items()
    }


def _groups(boundaries: Boundaries) -> Iterator[tuple[list[tuple[int, range]], int, int]]:
    """Tables with no text between: (index of the block, its chunks) of each, and the chunks before and after all of
    them.
    """
    at = 0
    tables: list[tuple[int, range]] = []
    for unit, some in groupby(boundaries.units.tolist()):
        first, at = at, at + len(list(some))
        if unit >= 0:
            tables.append((unit, range(first, at)))
        elif tables:
            yield tables, tables[0][1].start - 1, first
            tables = []
    if tables:
        yield tables, tables[0][1].start - 1, at


def _relate(numbers: dict[int, list[int]], text: int, parts: range) -> None:
    some = parts[:_PARTS_AT_MOST]
    numbers.setdefault(text, []).extend(some)
    for part in some:
        numbers.setdefault(part, []).append(text)
