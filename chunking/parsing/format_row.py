"""A format: a row of the registry, from which everything else is made."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from chunking.parsing.builder.reader_types import RawFile, Reading

__all__ = ["Format", "LaterReader", "Signs"]


@dataclass(frozen=True, slots=True)
class LaterReader:
    """A reader imported when called: most processes need none, and no file more than one or two."""

    module: str
    name: str
    """Function name."""

    def __call__(self, raw: RawFile) -> Reading:
        reading: Reading = getattr(import_module(self.module), self.name)(raw)
        return reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Content signs of a format, whatever the file is called; it may have none."""

    data: Callable[[bytes], bool] | None = None
    """Tests the bytes."""
    text: tuple[re.Pattern[str], ...] = ()
    """Patterns of the start of the text; any suffices."""
    certain: bool = False
    """They decide whatever the extension says; else not against an extension that `keeps_ending`."""
    inside: re.Pattern[str] | None = None
    """With its extension, a text containing this near its start is of it, whatever else it looks like."""
    likely: Callable[[str], bool] | None = None
    """Guess the format from the content when the extension is ambiguous."""
    mimetypes: tuple[str, ...] = ()
    """Content of the file `mimetype` in a ZIP archive."""
    main_part: re.Pattern[bytes] | None = None
    """Pattern in `[Content_Types].xml` of a ZIP archive."""
    member: re.Pattern[str] | None = None
    """Pattern of a file name in a ZIP archive."""
    streams: tuple[str, ...] = ()
    """An OLE2 file of it has one of these streams."""
    no_streams: tuple[str, ...] = ()
    """... and none of these, which mark it as part of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A kind of file."""

    name: str
    label: str
    """A word or two, for lists."""
    description: str
    """What is read."""
    one: str
    """A file of it, in a sentence: a PDF, Markdown."""
    extensions: tuple[str, ...]
    """Lower case, with the dot."""
    reader: Callable[[RawFile], Reading]
    imports: tuple[str, ...] = ()
    """Modules the reader imports when it runs, besides its own."""
    signs: Signs = Signs()
    page: str = ""
    """Name of its pages: page, slide, sheet; empty without pages."""
    clock: bool = False
    """Its pages are seconds: the first is page 1, shown as 00:00:00."""
    drawn: bool = False
    """Its pages can be rendered as images, which needs the source file."""
    second_parser: str = ""
    """Module of `unstructured.partition` that reads it too, which needs the source file; empty if none."""
    no_second_parser: str = "it has no reader for it"
    """Reason for having none."""
    text_is_file: bool = False
    """The text of a document is its whole file, decoded."""
    text: bool = False
    """Text files, distinguished from other text by extension."""
    keeps_ending: bool = False
    """A text with its extension is of this format even if it looks like a parser's JSON."""
    needs_sign: bool = False
    """A text with its extension is of this format only if its signs match; else it is plain text."""
    any_encoding: bool = False
    """Files may be in any encoding without stating it."""
    text_is: str = "text"
    """For binary formats: format of a text with its extension."""
    max_bytes: int = 0
    """Size limit, if above `MAX_BYTES`; 0: none."""
    name_words: tuple[str, ...] = ()
    """In a folder, only files with one of these words in their names are documents; empty: all."""

    @property
    def keeps_file(self) -> bool:
        """True if a workspace stores the source files of its documents."""
        return self.drawn or (bool(self.second_parser) and not self.text_is_file)

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules to import before forking a process that reads a file."""
        return (*self.imports, *((self.reader.module,) if isinstance(self.reader, LaterReader) else ()))
