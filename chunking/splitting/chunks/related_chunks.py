"""Relations between the chunks of a large table and those of the text next to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from chunking.model import Block, Document
from chunking.splitting.packing.boundaries import Boundaries

__all__ = ["ALONE", "ChunkNeighbours", "related_tables"]

_PARTS_AT_MOST = 100
"""Most chunks of one table that are related to its text; further ones follow from chunk to chunk."""


@dataclass(frozen=True, slots=True)
class ChunkNeighbours:
    """The large tables next to a chunk, or the text next to a large table."""

    numbers: tuple[int, ...] = ()
    """Numbers of the related chunks: of the table next to a text, or of the text before and after a table."""
    before: tuple[Block, ...] = ()
    """The large tables between the chunk and the text before it."""
    after: tuple[Block, ...] = ()


ALONE = ChunkNeighbours()


def related_tables(document: Document, boundaries: Boundaries) -> dict[int, ChunkNeighbours]:
    """The neighbours of each chunk that has some, by number: large tables and their text, both ways.

    A table's text is in its own section: the chunks right before and after it, across other large tables.
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
    """Runs of tables without text between, as (block, its chunks), with the chunks before and after."""
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
