"""Embedded sizes of chunks, and the flags of those that tables make longer than the size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chunking.config import ChunkConfig, Unit
from chunking.model import CHUNK, PARENT, Chunk, Flag
from chunking.splitting.chunks.embedded_text import EmbeddedTexts
from chunking.splitting.chunks.generated_prefix import room_for
from chunking.splitting.chunks.related_chunks import ALONE, related_tables
from chunking.splitting.chunks.size_flags import flagged_by_size, with_flag
from chunking.splitting.packing.boundaries import FLAG_BITS, Boundaries

__all__ = ["recount_chunks", "with_embedded_sizes"]


def with_embedded_sizes(boundaries: Boundaries, texts: EmbeddedTexts, config: ChunkConfig) -> Boundaries:
    """Add `embedded_tokens`, and the flags of descriptions and placeholders, to boundaries.

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
    """Numbers of the chunks that hold a table or part of one."""
    b = texts.boundaries
    starts, ends = texts.table_bounds
    first, after = np.searchsorted(b.ends, starts, "right"), np.searchsorted(b.starts, ends)
    return {number for low, high in zip(first.tolist(), after.tolist(), strict=True) for number in range(low, high)}


def recount_chunks(chunks: list[Chunk], config: ChunkConfig, texts: EmbeddedTexts) -> list[Chunk]:
    """Chunks with exact counts, where the tokenizer crosses white space and boundaries hold upper bounds."""
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
