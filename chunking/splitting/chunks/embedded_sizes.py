"""Embedded sizes of chunks, with the large tables next to them and the flags that follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from chunking.config import ChunkConfig, Unit
from chunking.model import CHUNK, PARENT, Block, Chunk, Document, Flag
from chunking.splitting.chunks.embedded_text import EmbeddedTexts
from chunking.splitting.chunks.generated_prefix import flagged_by_size, room_for, with_flag
from chunking.splitting.packing.boundaries import FLAG_BITS, Boundaries

__all__ = ["ALONE", "recount_chunks", "related_tables", "with_embedded_sizes"]

_PARTS_AT_MOST = 100
"""Maximum chunks of one table that are related to its text; further ones follow from chunk to chunk."""


def with_embedded_sizes(boundaries: Boundaries, texts: EmbeddedTexts, config: ChunkConfig) -> Boundaries:
    """Return boundaries with the embedded tokens and flags of chunks with or next to tables.

    Other chunks stay as they are; `achieved` counts the new flags.


    Args:
        texts: of these boundaries.
        config: with the size of their level.
    """
    embedded, flags = boundaries.tokens.copy(), boundaries.flags.copy()
    related = related_tables(texts.document, boundaries)
    numbers = sorted(_with_tables(texts) | related.keys())
    if numbers:
        neighbours = [related.get(number, ALONE) for number in numbers]
        sizes = [texts.size(at, one.before, one.after) for at, one in zip(numbers, neighbours, strict=True)]
        tokens, characters, is_shortened = (np.array(column, np.int32) for column in zip(*sizes, strict=True))
        units = tokens if config.unit is Unit.TOKENS else characters
        over = (units > config.size) & ((flags[numbers] & FLAG_BITS[Flag.OVER_SIZE]) == 0)
        embedded[numbers] = tokens
        flags[numbers] |= over * np.int32(FLAG_BITS[Flag.DESCRIPTION_OVER_SIZE])
        flags[numbers] |= is_shortened * np.int32(FLAG_BITS[Flag.DESCRIPTION_SHORTENED])
    described = int(((flags & np.int32(FLAG_BITS[Flag.DESCRIPTION_OVER_SIZE])) != 0).sum())
    shortened = int(((flags & np.int32(FLAG_BITS[Flag.DESCRIPTION_SHORTENED])) != 0).sum())
    longest = int((units * over).max()) if numbers else 0
    achieved = replace(
        boundaries.achieved, description_over_size=described, description_shortened=shortened, embedded_max=longest
    )
    return replace(boundaries, embedded_tokens=embedded, flags=flags, achieved=achieved)


def _with_tables(texts: EmbeddedTexts) -> set[int]:
    """Return the numbers of the chunks with a table or part of one."""
    b = texts.boundaries
    starts, ends = texts.table_bounds
    first, after = np.searchsorted(b.ends, starts, "right"), np.searchsorted(b.starts, ends)
    return {number for low, high in zip(first.tolist(), after.tolist(), strict=True) for number in range(low, high)}


def recount_chunks(chunks: list[Chunk], config: ChunkConfig, texts: EmbeddedTexts) -> list[Chunk]:
    """Count each chunk again if the tokenizer crosses white space; else return the list unchanged.

    Boundaries then have upper bounds only. Flags follow the exact counts, and table sentences beyond the model's limit
    become cells again.
    """
    exact = not texts.measured.counter.crosses_space
    return chunks if exact else [_recount(chunk, config, texts) for chunk in chunks]


def _recount(chunk: Chunk, config: ChunkConfig, texts: EmbeddedTexts) -> Chunk:
    """Count a chunk, correct its flags, and leave table sentences without room as cells."""
    count, limit = texts.measured.counter.count, texts.measured.max_tokens
    tokens, free = count(chunk.counted_text), room_for(chunk, config, count).tokens
    beyond = limit is not None and tokens + free > limit
    over = {
        Flag.OVER_MODEL_LIMIT: beyond and chunk.level == CHUNK,
        Flag.MEAN_OF_WINDOWS: beyond and chunk.level not in (CHUNK, PARENT),
    }
    if config.unit is Unit.TOKENS:
        over[Flag.OVER_SIZE] = tokens > config.size
        over[Flag.KEPT_OVER_SIZE] = tokens > config.size and Flag.KEPT_OVER_SIZE in chunk.flags
    flags = tuple(flag for flag in FLAG_BITS if over.get(flag, flag in chunk.flags))
    chunk = replace(chunk, token_count=count(chunk.embedding_content), flags=flags)
    longer = chunk.description or "related_chunk_ids" in chunk.metadata
    if longer and limit is not None and tokens <= limit < chunk.token_count + free:
        plain = texts.plain(chunk.chunk_index)
        chunk = with_flag(chunk, Flag.DESCRIPTION_SHORTENED)
        chunk = replace(chunk, embedding_content=plain, token_count=count(plain), description="")
    return chunk if chunk.level == PARENT else flagged_by_size(chunk, config)


@dataclass(frozen=True, slots=True)
class ChunkNeighbours:
    """Large tables next to a chunk, or the text next to a large table."""

    numbers: tuple[int, ...] = ()
    """Numbers of the related chunks: of the table next to a text, or of the text before and after a table."""
    before: tuple[Block, ...] = ()
    """Large tables between the chunk and the text before it."""
    after: tuple[Block, ...] = ()


ALONE = ChunkNeighbours()


def related_tables(document: Document, boundaries: Boundaries) -> dict[int, ChunkNeighbours]:
    """Return the large tables next to each text, and the texts next to each, by chunk number.

    Chunks without a relation are missing. A table's text is in its own section: the chunks right before and after it,
    across other large tables.
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
    """Yield runs of tables without text between, as (block, its chunks), with the chunks before and after."""
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
