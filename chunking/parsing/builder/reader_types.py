"""What a reader takes and gives, and the blocks' one law: in order, apart, and nothing but space between them."""

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
    """What may still be read of the files in a file, those in them included."""

    files: int = 200
    size: int = 100 * 2**20
    """Bytes."""

    def take(self, size: int) -> bool:
        """Whether a file of this size may be read; it counts from now on."""
        self.files, self.size = self.files - 1, self.size - size
        return self.files >= 0 and self.size >= 0


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as it came."""

    data: bytes
    source: str
    """Cleaned path inside the workspace, for error sentences."""
    encoding: str | None = None
    """What the user says it is; None: find out."""
    ocr: bool = False
    """Read scanned pages by optical character recognition, where it is installed."""
    comments: bool = False
    """Read comments as blocks of their own; else they are left out."""
    depth: int = 0
    """In how many other files it stands."""
    allowance: Allowance = field(default_factory=Allowance, compare=False)
    """Shared by all files that are in one."""


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file in another one, such as a text attached to a mail: it becomes a document of its own."""

    name: str
    """Safe, without folders, and its alone among the files beside it."""
    data: bytes
    """Its bytes; of a mail in a mail, which has none of its own, its words."""
    reader: Callable[[RawFile], Reading] | None = None
    """Of a mail in a mail, which is taken apart already. None: it is recognised and read as any file is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as its reader understood it."""

    text: str
    blocks: tuple[Block, ...]
    encoding: str = "utf-8"
    title: str | None = None
    """What the file's own metadata call it."""
    title_rules: bool = False
    """That is its title whatever its headings are, which were only guessed."""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    locations: tuple[Location, ...] = ()
    page_count: int = 0
    inner_files: tuple[InnerFile, ...] = ()
    """In their order."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """`[start, end)` without white space at its ends; None where there is nothing else.

    >>> trimmed("a  bc  ", 1, 7)
    (3, 5)
    """
    first = _NOT_SPACE.search(text, start, end)
    if not first:
        return None
    return first.start(), first.start() + len(text[first.start() : end].rstrip())


def line_breaks(text: str, start: int, end: int) -> int:
    """Line ends (`\\r\\n`, `\\n` or `\\r`) in [start, end), which does not begin or end inside one."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


def fill_gaps(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, with a paragraph wherever text was between two of them, so that no character is in none."""
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
    """How a file is to be read; `parse_all` says what each means, and what it is where it is not given."""

    encoding: str | None
    category: str | None
    updated_at: str | None
    doc_id: str | None
    ocr: bool
    comments: bool
