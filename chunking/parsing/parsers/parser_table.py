"""Table of the parsers that can be chosen for a document or a workspace, a row each.

A parser returns a `Reading` as the reader of a format does, so that sections, chunks, indexes and exports need not know
which parser read a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import pairwise
from typing import overload

from chunking.allowed import allowed
from chunking.errors import ChunkscopeError, ConfigError, ParseError
from chunking.model import BUILT_IN
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.format_row import Format, LaterReader
from chunking.plugins import PARSERS as ENTRY_POINTS
from chunking.plugins import installed_rows

__all__ = ["PARSERS", "Parser", "parser_named", "parsers_for", "read_with", "register_parser"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """A parser of files: its name, the formats it reads, what it needs; a row of the table."""

    name: str
    """Name on the command line and in a workspace."""
    label: str
    """Name in lists and sentences."""
    description: str
    """Description in one clause."""
    reader: Callable[[RawFile], Reading] | None = None
    """Reader of a file whose format is in `RawFile.format`; None: the reader of its format."""
    formats: frozenset[str] = frozenset()
    """Names of the formats it reads; empty: all."""
    unread: Callable[[Format], str] | None = None
    """Reason why it does not read a format, empty if it does; overrides `formats`."""
    requires: str = ""
    """Package that must be installed."""
    engine: str = ""
    """Key of `allowed.ENGINES` that an operator allows; empty: always allowed, as an operator installed it."""
    memory: int = 0
    """Bytes of memory for a file, if more than `ChildLimits.memory`."""

    def why_not(self, row: Format | None) -> str:
        """Return why this parser does not read files of a format; empty if it does, or if that is unknown."""
        if row is None:
            return ""
        if self.unread is not None:
            return self.unread(row)
        return "" if not self.formats or row.name in self.formats else "it is not made for that format"

    @property
    def is_installed(self) -> bool:
        """True if the package it needs is installed."""
        return not self.requires or find_spec(self.requires) is not None

    @property
    def is_offered(self) -> bool:
        """True if it is installed and allowed here."""
        return self.is_installed and (not self.engine or allowed().engine(self.engine))


_ROWS: tuple[Parser, ...] = (
    Parser(name=BUILT_IN, label="built-in", description="Chunkscope's own readers, one for each format"),
    Parser(
        name="unstructured",
        label="unstructured",
        description="the library unstructured: its elements become headings, paragraphs, lists and tables",
        reader=LaterReader("chunking.parsing.parsers.unstructured_reader", "read_document"),
        unread=lambda row: "" if row.second_parser else row.no_second_parser,
        requires="unstructured",
        engine="unstructured",
        memory=3 * 2**30,
    ),
)
_registered: list[Parser] = []


class _Parsers(Sequence[Parser]):
    """Sequence of the rows at the time of access, since packages' rows load after this module."""

    def __len__(self) -> int:
        return len(_rows())

    def __iter__(self) -> Iterator[Parser]:
        return iter(_rows())

    @overload
    def __getitem__(self, place: int) -> Parser: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Parser]: ...
    def __getitem__(self, place: int | slice) -> Parser | Sequence[Parser]:
        return _rows()[place]


def _rows() -> tuple[Parser, ...]:
    installed: tuple[Parser, ...] = installed_rows(ENTRY_POINTS)
    if clashes := {row.name for row in installed} & {row.name for row in _ROWS}:
        raise ConfigError(
            f"An installed package adds a parser '{min(clashes)}', which already exists.", where=ENTRY_POINTS
        )
    return (*_ROWS, *installed, *_registered)


PARSERS: Sequence[Parser] = _Parsers()
"""Rows of the library, of installed packages (`chunkscope.parsers`), and of `register_parser`; the built-in one first.

Raises:
    ConfigError: a row of an installed package cannot be loaded.
"""


def parser_named(name: str) -> Parser:
    """Return the parser of a name.

    Raises:
        ParseError: there is none, it is not installed, or it is not allowed here (`chunking.allowed`).
    """
    row = next((row for row in PARSERS if row.name == name), None)
    if row is None:
        names = ", ".join(one.name for one in PARSERS if one.is_offered)
        raise ParseError(f"There is no parser '{name}' here; the parsers are {names}.", where=name)
    if row.engine:
        allowed().check_engine(row.engine)
    if not row.is_installed:
        raise ParseError.needs_full_installation(f"The parser {row.label}", where=name)
    return row


def parsers_for(row: Format | None) -> list[Parser]:
    """Return the parsers offered here that read a format, the built-in one first."""
    return [one for one in PARSERS if one.is_offered and not one.why_not(row)]


def register_parser(row: Parser) -> Callable[[], None]:
    """Add a parser to this process alone, and return a function that removes it.

    Files of a workspace are read in guarded processes, which know only the parsers of the library and of installed
    packages: an entry point of `chunkscope.parsers` makes it known there too.

    Raises:
        ValueError: there is one of that name.
    """
    if any(row.name == one.name for one in PARSERS):
        raise ValueError(f"A parser '{row.name}' already exists.")
    _registered.append(row)
    return lambda: _registered.remove(row)


def read_with(parser: Parser, row: Format, raw: RawFile) -> tuple[Reading, Parser]:
    """Read a file with a parser, or with the built-in one and a warning if it does not read the format.

    Files inside the file (attachments) are found by the built-in reader in any case.

    Returns:
        The reading, and the parser that made it.
    Raises:
        ParseError: the file cannot be read, the parser failed or found no text, or its blocks are not in order.
    """
    if parser.reader is None:
        return row.reader(raw), parser
    if reason := parser.why_not(row):
        reading = row.reader(raw)
        note = f"The parser {parser.label} does not read {row.label} ({reason}), so the built-in one read it."
        return replace(reading, warnings=(*reading.warnings, note)), PARSERS[0]
    reading = _read(parser, replace(raw, format=row.name))
    if raw.encoding and row.any_encoding:  # it is the file's, whatever the parser says of its own text
        reading = replace(reading, encoding=raw.encoding)
    if row.holds_files:
        reading = replace(reading, inner_files=row.reader(raw).inner_files)
    return reading, parser


def _read(parser: Parser, raw: RawFile) -> Reading:
    assert parser.reader is not None
    try:
        reading = parser.reader(raw)
        fault = _fault(reading)
    except (ChunkscopeError, MemoryError, RecursionError):
        raise
    except Exception as error:  # a parser of a package may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise ParseError(f"The parser {parser.label} failed on {raw.source} ({reason}).", where=raw.source) from error
    if fault:
        raise ParseError(f"The parser {parser.label} {fault} {raw.source}; choose another parser.", where=raw.source)
    return reading


def _fault(reading: Reading) -> str:
    """Return what is wrong with a parser's reading, as a verb phrase that ends before the file's name."""
    if not isinstance(reading, Reading):
        return "returned something other than a reading for"
    if not reading.blocks or not reading.text.strip():
        return "found no text in"
    spans = [(block.start, block.end) for block in reading.blocks]
    in_order = all(one[1] <= other[0] for one, other in pairwise(spans))
    if not in_order or not all(0 <= start < end <= len(reading.text) for start, end in spans):
        return "returned blocks that overlap, or lie outside its text, for"
    return ""
