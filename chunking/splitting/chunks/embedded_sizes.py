"""Which chunks are embedded over the size because of what is said of their tables; told with the boundaries, before any text is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chunking.config import ChunkConfig, Unit
from chunking.model import BlockType, Flag
from chunking.splitting.chunks.embedded_text import EmbeddedTexts, SizeCache
from chunking.splitting.chunks.related_chunks import ALONE, related_tables
from chunking.splitting.packing.boundaries import FLAG_BITS, Boundaries

__all__ = ["with_embedded_sizes"]


def with_embedded_sizes(boundaries: Boundaries, texts: EmbeddedTexts, config: ChunkConfig, cache: SizeCache) -> Boundaries:
    """Boundaries with `embedded_tokens`, and the flags of descriptions and placeholders.

    Args:
        texts: of these boundaries.
        config: with the size of their level.
        cache: of the document.
    """
    embedded, flags, longest = boundaries.tokens.copy(), boundaries.flags.copy(), 0
    related = related_tables(texts.document, boundaries)
    for number in sorted(_with_tables(texts) | related.keys()):
        beside = related.get(number, ALONE)
        size = texts.size(number, cache, beside.before, beside.after)
        embedded[number] = size.tokens
        units = size.tokens if config.unit is Unit.TOKENS else size.characters
        over = units > config.size and not flags[number] & FLAG_BITS[Flag.OVER_SIZE]
        flags[number] |= over * FLAG_BITS[Flag.DESCRIPTION_OVER_SIZE] | size.shortened * FLAG_BITS[Flag.DESCRIPTION_SHORTENED]
        longest = max(longest, units * over)
    described = int(((flags & np.int32(FLAG_BITS[Flag.DESCRIPTION_OVER_SIZE])) != 0).sum())
    shortened = int(((flags & np.int32(FLAG_BITS[Flag.DESCRIPTION_SHORTENED])) != 0).sum())
    achieved = replace(boundaries.achieved, description_over_size=described, description_shortened=shortened, embedded_max=longest)
    return replace(boundaries, embedded_tokens=embedded, flags=flags, achieved=achieved)


def _with_tables(texts: EmbeddedTexts) -> set[int]:
    """The numbers of the chunks that hold a table or a part of one."""
    b = texts.boundaries
    tables = [block for block in texts.document.blocks if block.type is BlockType.TABLE]
    first = np.searchsorted(b.ends, np.array([block.start for block in tables], np.int32), "right")
    after = np.searchsorted(b.starts, np.array([block.end for block in tables], np.int32))
    return {number for low, high in zip(first.tolist(), after.tolist(), strict=True) for number in range(low, high)}
