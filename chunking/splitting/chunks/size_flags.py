"""The flags of a chunk whose embedded text changed after its boundaries were made."""

from __future__ import annotations

from dataclasses import replace

from chunking.config import ChunkConfig, Unit
from chunking.model import Chunk, Flag

__all__ = ["flagged_by_size", "with_flag"]


def flagged_by_size(chunk: Chunk, config: ChunkConfig) -> Chunk:
    """Set or clear the flag of a chunk that a description or a placeholder makes longer than the size.

    Args:
        chunk: counted.
        config: with the size of the chunk's level.
    """
    units = chunk.token_count if config.unit is Unit.TOKENS else len(chunk.embedding_content)
    has_more = bool(chunk.description) or "related_chunk_ids" in chunk.metadata
    return with_flag(
        chunk,
        Flag.DESCRIPTION_OVER_SIZE,
        present=has_more and units > config.size and Flag.OVER_SIZE not in chunk.flags,
    )


def with_flag(chunk: Chunk, flag: Flag, *, present: bool = True) -> Chunk:
    """Set or clear one flag of a chunk; flags stay in order."""
    flags = {*chunk.flags} - {flag} | ({flag} if present else set())
    return replace(chunk, flags=tuple(one for one in Flag if one in flags))
