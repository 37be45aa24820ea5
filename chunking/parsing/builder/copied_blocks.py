"""Copy the blocks of one reading into another text: a text in a mail, a Markdown cell of a notebook."""

from __future__ import annotations

from chunking.parsing.builder.block_meta import shifted
from chunking.parsing.builder.reader_types import Reading
from chunking.parsing.builder.text_builder import Piece, Writer

__all__ = ["copy_blocks"]

_LOWEST = 6
"""Deepest heading level."""


def copy_blocks(reading: Reading, writer: Writer, *, deeper: int = 0, page: int | None = None) -> None:
    """Write all blocks of a reading, and what it leaves out.

    Args:
        deeper: levels added to its headings.
        page: of all of it in the other text.
    Raises:
        TooLargeError: the other text is full.
    """
    for block in reading.blocks:
        text = reading.text[block.start : block.end]
        shift = writer.next_start - block.start - (len(text) - len(text.lstrip()))
        level = None if block.level is None else min(block.level + deeper, _LOWEST)
        meta = {key: value for key, value in shifted(block.meta, shift).items() if key != "paragraph"}
        writer.block(block.type, [Piece(text, page)], level=level, meta=meta)
    for span in reading.left_out:
        writer.leave_out([Piece(reading.text[span.start : span.end], page)], span.reason)
