"""Files in a file, such as a text attached to a mail or a web page in a Word file: their names, and how many of them
are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from chunking.parsing.builder.reader_types import InnerFile, RawFile, Reading
from chunking.parsing.detection.path_names import clean_source, numbered_source

__all__ = ["MAX_DEPTH", "InnerFiles", "is_archived_page", "opened"]

MAX_DEPTH = 5
"""Most files inside one another. Mails in mails are bounded by their parser."""
_ARCHIVED_PAGE = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){0,20}?MIME-Version:", re.IGNORECASE)


class InnerFiles:
    """Takes the files that a reader meets in a file.

    >>> files = InnerFiles()
    >>> files.add("notes.txt", b"One"), files.add("../notes.txt", b"Two")
    ('notes.txt', 'notes (2).txt')
    """

    def __init__(self) -> None:
        self._files: dict[str, InnerFile] = {}

    def __iter__(self) -> Iterator[InnerFile]:
        return iter(self._files.values())

    def add(self, name: str, data: bytes, reader: Callable[[RawFile], Reading] | None = None) -> str:
        """Take a file; under which name. For the arguments see `InnerFile`."""
        unique = numbered_source(clean_source(name).rpartition("/")[2], self._files)
        self._files[unique] = InnerFile(unique, data, reader)
        return unique


def opened(outer: RawFile, inner: InnerFile) -> RawFile | None:
    """A file in a file as one to read; None where more of them, or larger ones, are inside one another than are read."""
    depth = outer.depth + (inner.reader is None)
    if depth > MAX_DEPTH or not outer.allowance.take(len(inner.data)):
        return None
    return replace(outer, data=inner.data, source=clean_source(f"{outer.source}/{inner.name}"), depth=depth)


def is_archived_page(data: bytes) -> bool:
    """Whether it is MHT: a web page saved with its pictures, as a mail without a sender."""
    return _ARCHIVED_PAGE.match(data) is not None
