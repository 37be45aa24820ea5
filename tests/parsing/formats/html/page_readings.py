"""Pages read from a line of markup."""

from __future__ import annotations

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.html import read_html


def read(markup: str) -> Reading:
    """The reading of a page."""
    return read_html(RawFile(markup.encode(), "page.html"))


def told(reading: Reading) -> list[tuple[str, str]]:
    """(type and level, text) of each block."""
    return [(f"{block.type.value}{block.level or ''}", reading.text[block.start : block.end]) for block in reading.blocks]
