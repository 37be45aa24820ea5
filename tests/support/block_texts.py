"""Short form of a reading's blocks, for comparisons."""

from __future__ import annotations

from chunking.model import Document
from chunking.parsing.builder.reader_types import Reading

__all__ = ["block_texts"]


def block_texts(reading: Reading | Document) -> list[tuple[str, str]]:
    """Return (type and level, text) of each block."""
    return [
        (f"{block.type.value}{block.level or ''}", reading.text[block.start : block.end]) for block in reading.blocks
    ]
