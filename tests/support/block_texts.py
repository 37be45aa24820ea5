"""The blocks of a reading in short, for comparing."""

from __future__ import annotations

from chunking.model import Document
from chunking.parsing.builder.reader_types import Reading

__all__ = ["block_texts"]


def block_texts(reading: Reading | Document) -> list[tuple[str, str]]:
    """(type and level, text) of each block."""
    return [
        (f"{block.type.value}{block.level or ''}", reading.text[block.start : block.end]) for block in reading.blocks
    ]
