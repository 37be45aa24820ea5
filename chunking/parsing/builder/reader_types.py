"""Input and output of readers, and the law of blocks: in order, disjoint, and only space between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypedDict

from chunking.model import Block, BlockType, LeftOut, Location

__all__ = [
    "Allowance",
    "InnerFile",
    "ParseOptions",
    "RawFile",
    "Reading",
    "fill_gaps",
    "line_breaks",
    "trimmed",
]

_NOT_SPACE = re.compile(r"\S")


@dataclass(slots=True)
class Allowance:
    """Remaining budget for files inside a file, at any depth."""

    files: int = 200
    size: int = 100 * 2**20
    """Bytes."""

    def take(self, size: int) -> bool:
        """Charge a file of this size; True if it may be read."""
        self.files, self.size = self.files - 1, self.size - size
        return self.files >= 0 and self.size >= 0


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as uploaded."""

    data: bytes
    source: str
    """Cleaned path inside the workspace, for error sentences."""
    encoding: str | None = None
    """Stated by the user; None: detect."""
    ocr: bool = False
    """Read scanned pages by optical character recognition, if installed."""
    comments: bool = False
    """Read comments as blocks of their own; else they are left out."""
    depth: int = 0
    """Number of files it is nested in."""
    allowance: Allowance = field(default_factory=Allowance, compare=False)
    """Shared by all files inside one."""


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file in another one, such as a mail attachment; it becomes a document of its own."""

    name: str
    """Safe, without folders, and unique among its siblings."""
    data: bytes
    """Its bytes; of a mail in a mail, which has none of its own, its text."""
    reader: Callable[[RawFile], Reading] | None = None
    """Of a mail in a mail, which is parsed already. None: detect its format."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as its reader understood it."""

    text: str
    blocks: tuple[Block, ...]
    encoding: str = "utf-8"
    title: str | None = None
    """Title in the file's own metadata."""
    title_rules: bool = False
    """The title wins over headings, which were only guessed."""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    locations: tuple[Location, ...] = ()
    page_count: int = 0
    inner_files: tuple[InnerFile, ...] = ()
    """In order."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """`[start, end)` without surrounding white space; None if there is nothing else.

    >>> trimmed("a  bc  ", 1, 7)
    (3, 5)
    """
    first = _NOT_SPACE.search(text, start, end)
    if not first:
        return None
    return first.start(), first.start() + len(text[first.start() : end].rstrip())


def line_breaks(text: str, start: int, end: int) -> int:
    """Number of line ends (`\\r\\n`, `\\n` or `\\r`) in [start, end), which cuts none in two."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


def fill_gaps(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Add a paragraph for any text between blocks, so that every character is in one."""
    end = 0
    for block in blocks:
        yield from _gap(text, end, block.start)
        yield block
        end = block.end
    yield from _gap(text, end, len(text))


def _gap(text: str, start: int, end: int) -> Iterator[Block]:
    span = trimmed(text, start, end)
    if span:
        yield Block(BlockType.PARAGRAPH, *span, meta={})


class ParseOptions(TypedDict, total=False):
    """Options of reading a file; `parse_all` explains them and their defaults."""

    encoding: str | None
    category: str | None
    updated_at: str | None
    doc_id: str | None
    ocr: bool
    comments: bool
