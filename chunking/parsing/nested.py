"""Files in a file, such as a text attached to a mail or a web page in a Word file: read by their own readers, written into its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chunking.errors import TooLargeError
from chunking.model import Block
from chunking.parsing.reading import RawFile, Reading
from chunking.parsing.writing import Writer

__all__ = ["MAX_DEPTH", "read_nested", "write_reading"]

MAX_DEPTH = 5
"""Most files inside one another."""
_ARCHIVED_PAGE = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){0,20}?MIME-Version:", re.IGNORECASE)
"""MHT: a web page saved with its pictures, as a mail without a sender."""


def read_nested(outer: RawFile, name: str, data: bytes) -> Reading:
    """Read a file that stands in another one, whatever its format is.

    Raises:
        TooLargeError: the files inside one another, all of them together, or this one, are over a limit.
        ParseError: it cannot be read.
    """
    from chunking.parsing.mail import read_mail  # readers read files in files: the registry knows this module's users
    from chunking.parsing.registry import recognise

    source = f"{outer.source}/{name}"
    if outer.depth >= MAX_DEPTH or not outer.allowance.take(len(data)):
        raise TooLargeError(f"{source} is one of more files inside another than are read; add it as a file of its own.", where=source)
    raw = replace(outer, data=data, source=source, depth=outer.depth + 1)
    if _ARCHIVED_PAGE.match(data):
        return read_mail(raw)
    return recognise(raw).format.reader(raw)


def write_reading(writer: Writer, reading: Reading, *, level: int) -> None:
    """Write the blocks of a file into the text of the one that it stands in; its pages are not pages of that.

    Args:
        level: added to that of its headings.
    Raises:
        TooLargeError: over a limit of the text.
    """
    for block in reading.blocks:
        text = reading.text[block.start : block.end]
        shift = writer.next_start - block.start - (len(text) - len(text.lstrip()))
        below = None if block.level is None else min(block.level + level, 6)
        writer.block(block.type, text, level=below, meta=dict(_shifted(block, shift)))
    for span in reading.left_out:
        writer.leave_out(reading.text[span.start : span.end], span.reason)


def _shifted(block: Block, shift: int) -> Iterator[tuple[str, Any]]:
    """What its format knows of a block, with the places in it where they are now."""
    for key, value in block.meta.items():
        if key in ("header_end", "question_end"):
            yield key, value + shift
        elif key == "row_starts":
            yield key, tuple(place + shift for place in value)
        elif key != "paragraph":
            yield key, value
