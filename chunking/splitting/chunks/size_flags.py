"""The flag of a chunk whose embedded text was made or changed after its boundaries were known."""

from __future__ import annotations

from dataclasses import replace

from chunking.config import ChunkConfig, Unit
from chunking.model import Chunk, Flag

__all__ = ["flagged_by_size", "with_flag"]


def flagged_by_size(chunk: Chunk, config: ChunkConfig) -> Chunk:
    """A chunk with the flag that says whether a description or a placeholder makes it longer than the size.

    Args:
        chunk: counted.
        config: with the size of the chunk's level.
    """
    units = chunk.token_count if config.unit is Unit.TOKENS else len(chunk.embedding_content)
    says_more = bool(chunk.description) or "related_chunk_ids" in chunk.metadata
    return with_flag(
        chunk,
        Flag.DESCRIPTION_OVER_SIZE,
        wanted=says_more and units > config.size and Flag.OVER_SIZE not in chunk.flags,
    )


def with_flag(chunk: Chunk, flag: Flag, *, wanted: bool = True) -> Chunk:
    """A chunk with or without one of its flags, which stay in their order."""
    there = {*chunk.flags} - {flag} | ({flag} if wanted else set())
    return replace(chunk, flags=tuple(one for one in Flag if one in there))
