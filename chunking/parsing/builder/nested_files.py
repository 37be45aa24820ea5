"""Files in a file, such as mail attachments: names, limits, and copying of their blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from chunking.parsing.builder.reader_types import InnerFile, RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.detection.path_names import clean_source, numbered_source

__all__ = ["MAX_DEPTH", "InnerFiles", "as_raw_file", "copy_blocks", "is_archived_page", "shifted"]

MAX_DEPTH = 5
"""Most nesting levels of files; mails in mails are limited by their parser."""
_ARCHIVED_PAGE = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){0,20}?MIME-Version:", re.IGNORECASE)

_LOWEST = 6
"""Deepest heading level."""

_OFFSETS = ("header_end", "question_end")
_LISTS_OF_OFFSETS = ("row_starts", "joined_at", "statement_starts")


class InnerFiles:
    """Collector of the files found in a file, under unique names; iterates over `InnerFile`s.

    >>> files = InnerFiles()
    >>> files.add("notes.txt", b"One"), files.add("../notes.txt", b"Two")
    ('notes.txt', 'notes (2).txt')
    """

    def __init__(self) -> None:
        self._files: dict[str, InnerFile] = {}

    def __iter__(self) -> Iterator[InnerFile]:
        return iter(self._files.values())

    def add(self, name: str, data: bytes, reader: Callable[[RawFile], Reading] | None = None) -> str:
        """Add a file; return its name without folders, numbered if the name exists already.

        For the arguments see `InnerFile`.
        """
        unique = numbered_source(clean_source(name).rpartition("/")[2], self._files)
        self._files[unique] = InnerFile(unique, data, reader)
        return unique


def as_raw_file(outer: RawFile, inner: InnerFile) -> RawFile | None:
    """Return an inner file as input for a reader; None if over a limit of depth, number or size.

    Its size is charged to the budget that all inner files share (`RawFile.allowance`), unless it is nested too deep.
    """
    depth = outer.depth + (inner.reader is None)
    if depth > MAX_DEPTH or not outer.allowance.take(len(inner.data)):
        return None
    return replace(outer, data=inner.data, source=clean_source(f"{outer.source}/{inner.name}"), depth=depth)


def is_archived_page(data: bytes) -> bool:
    """True if `MIME-Version` is among the first headers, as in MHT, a web page saved as a mail."""
    return _ARCHIVED_PAGE.match(data) is not None


def copy_blocks(reading: Reading, writer: Writer, *, deeper: int = 0, page: int | None = None) -> None:
    """Write the blocks and left-out text of a reading to a writer, with offsets in `meta` moved.

    Args:
        deeper: levels added to its headings, up to level 6.
        page: of all copied blocks; None: they have none. Their own pages, boxes and lines are not copied.
    Raises:
        TooLargeError: the writer's text or blocks exceed their limits.
    """
    for block in reading.blocks:
        text = reading.text[block.start : block.end]
        shift = writer.next_start - block.start - (len(text) - len(text.lstrip()))
        level = None if block.level is None else min(block.level + deeper, _LOWEST)
        meta = {key: value for key, value in shifted(block.meta, shift).items() if key != "paragraph"}
        writer.block(block.type, [Piece(text, page)], level=level, meta=meta)
    for span in reading.left_out:
        writer.leave_out([Piece(reading.text[span.start : span.end], page)], span.reason)


def shifted(meta: Mapping[str, Any], by: int) -> dict[str, Any]:
    """Return a copy of a block's `meta` whose text offsets are moved by `by` characters.

    >>> shifted({"rows": 1, "header_end": 8, "row_starts": (8,)}, 2)
    {'rows': 1, 'header_end': 10, 'row_starts': (10,)}
    """
    moved = dict(meta)
    for key in _OFFSETS:
        if key in moved:
            moved[key] += by
    for key in _LISTS_OF_OFFSETS:
        if key in moved:
            moved[key] = tuple(place + by for place in moved[key])
    return moved
