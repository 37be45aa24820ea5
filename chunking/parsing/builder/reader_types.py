"""Input and output of readers, and the law of blocks: in order, disjoint, and only space between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypedDict

from chunking.model import Block, BlockType, LeftOut, Location

__all__ = [
    "CONTENTS",
    "Allowance",
    "InnerFile",
    "ParseOptions",
    "RawFile",
    "Reading",
    "fill_gaps",
    "line_breaks",
    "number_lines",
    "trimmed",
]

CONTENTS = "table of contents"
"""Reason for leaving a table of contents out of chunks."""

_NOT_SPACE = re.compile(r"\S")


@dataclass(slots=True)
class Allowance:
    """Remaining budget for the files inside a file, at any depth: their number and bytes."""

    files: int = 200
    """Remaining number of files."""
    size: int = 100 * 2**20
    """Remaining bytes."""

    def take(self, size: int) -> bool:
        """Charge a file of this size to the budget in any case; True if the budget covered it."""
        self.files, self.size = self.files - 1, self.size - size
        return self.files >= 0 and self.size >= 0


@dataclass(frozen=True, slots=True)
class RawFile:
    """Input of a reader: the bytes and path of a file, and the options for reading it."""

    data: bytes
    source: str
    """Cleaned path inside the workspace, for error messages."""
    encoding: str | None = None
    """Encoding stated by the user; None: detect."""
    ocr: bool = False
    """Read scanned pages by optical character recognition, if installed."""
    comments: bool = False
    """Read comments as blocks of their own; else they are left out."""
    depth: int = 0
    """Number of files that contain it."""
    format: str = ""
    """Name of its format for a parser of several formats; empty for the reader of a format."""
    allowance: Allowance = field(default_factory=Allowance, compare=False)
    """Budget shared by all files inside one."""


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file in another one, such as a mail attachment; it becomes a document of its own."""

    name: str
    """Name without folders, unique among the file's siblings."""
    data: bytes
    """Bytes of the file; of a mail in a mail, which has none of its own, the text."""
    reader: Callable[[RawFile], Reading] | None = None
    """Reader of a mail in a mail, which is parsed already. None: detect the format."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Output of a reader: text, blocks, title, left-out spans, warnings and inner files."""

    text: str
    blocks: tuple[Block, ...]
    encoding: str = "utf-8"
    title: str | None = None
    """Title in the file's metadata."""
    title_rules: bool = False
    """True if the title overrides headings, which were only guessed."""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    locations: tuple[Location, ...] = ()
    page_count: int = 0
    """Number of pages, slides or sheets; 0 if the format has none."""
    inner_files: tuple[InnerFile, ...] = ()
    """Files inside the file, in order."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Shrink `[start, end)` to exclude surrounding white space; None if nothing else is in it.

    >>> trimmed("a  bc  ", 1, 7)
    (3, 5)
    """
    first = _NOT_SPACE.search(text, start, end)
    if not first:
        return None
    return first.start(), first.start() + len(text[first.start() : end].rstrip())


def line_breaks(text: str, start: int, end: int) -> int:
    """Count the line ends (`\\n`, `\\r`, `\\r\\n`) in [start, end).

    No end may be in the middle of a `\\r\\n`.
    """
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


def number_lines(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, which must be in order, with `line` set to the line they start on, from 1."""
    line, done = 1, 0
    for block in blocks:
        line += line_breaks(text, done, block.start)
        done = block.start
        yield replace(block, line=line)


def fill_gaps(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, with a paragraph for any visible text before, between and after them."""
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
    parser: str
