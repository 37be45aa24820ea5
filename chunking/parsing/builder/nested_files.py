"""Files in a file, such as mail attachments or web pages in a Word file: names and limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from chunking.parsing.builder.reader_types import InnerFile, RawFile, Reading
from chunking.parsing.detection.path_names import clean_source, numbered_source

__all__ = ["MAX_DEPTH", "InnerFiles", "as_raw_file", "is_archived_page"]

MAX_DEPTH = 5
"""Nesting of files; mails in mails are limited by their parser."""
_ARCHIVED_PAGE = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){0,20}?MIME-Version:", re.IGNORECASE)


class InnerFiles:
    """Collects the files found in a file under unique names.

    >>> files = InnerFiles()
    >>> files.add("notes.txt", b"One"), files.add("../notes.txt", b"Two")
    ('notes.txt', 'notes (2).txt')
    """

    def __init__(self) -> None:
        self._files: dict[str, InnerFile] = {}

    def __iter__(self) -> Iterator[InnerFile]:
        return iter(self._files.values())

    def add(self, name: str, data: bytes, reader: Callable[[RawFile], Reading] | None = None) -> str:
        """Add a file and return its name. For the arguments see `InnerFile`."""
        unique = numbered_source(clean_source(name).rpartition("/")[2], self._files)
        self._files[unique] = InnerFile(unique, data, reader)
        return unique


def as_raw_file(outer: RawFile, inner: InnerFile) -> RawFile | None:
    """An inner file as one to read; None if it exceeds the limits of depth, number or size."""
    depth = outer.depth + (inner.reader is None)
    if depth > MAX_DEPTH or not outer.allowance.take(len(inner.data)):
        return None
    return replace(outer, data=inner.data, source=clean_source(f"{outer.source}/{inner.name}"), depth=depth)


def is_archived_page(data: bytes) -> bool:
    """True for MHT: a web page saved with its pictures, as a mail without a sender."""
    return _ARCHIVED_PAGE.match(data) is not None
