"""Row of the registry that describes a format; everything else is derived from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from chunking.parsing.builder.reader_types import RawFile, Reading

__all__ = ["Format", "LaterReader", "Signs"]


@dataclass(frozen=True, slots=True)
class LaterReader:
    """Reader of a format, imported when called, since most processes need few of them."""

    module: str
    name: str
    """Function name."""

    def __call__(self, raw: RawFile) -> Reading:
        reading: Reading = getattr(import_module(self.module), self.name)(raw)
        return reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Content signs by which files of a format are recognised; each is optional."""

    data: Callable[[bytes], bool] | None = None
    """Test of the bytes."""
    text: tuple[re.Pattern[str], ...] = ()
    """Patterns for the start of the text; any suffices."""
    certain: bool = False
    """True if the signs override any extension; else not one whose format has `keeps_ending`."""
    inside: re.Pattern[str] | None = None
    """Text near the start that identifies the format in a file with its extension, despite other signs."""
    likely: Callable[[str], bool] | None = None
    """Guess the format from the content when the extension is ambiguous."""
    mimetypes: tuple[str, ...] = ()
    """Contents of the file `mimetype` in a ZIP archive."""
    main_part: re.Pattern[bytes] | None = None
    """Pattern in `[Content_Types].xml` of a ZIP archive."""
    member: re.Pattern[str] | None = None
    """Pattern of a file name in a ZIP archive."""
    streams: tuple[str, ...] = ()
    """Streams of OLE2 files, of which the format has at least one."""
    no_streams: tuple[str, ...] = ()
    """Streams that the format has none of, since they mark it as part of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A readable file format: names, extensions, content signs, reader; a row of the registry."""

    name: str
    label: str
    """Short name for lists."""
    description: str
    """Description of what is read."""
    one: str
    """Noun phrase for a file, in a sentence: a PDF, Markdown."""
    extensions: tuple[str, ...]
    """Extensions in lower case, with the dot."""
    reader: Callable[[RawFile], Reading]
    imports: tuple[str, ...] = ()
    """Modules the reader imports when it runs, besides its own."""
    signs: Signs = Signs()
    page: str = ""
    """Word for a page: page, slide, sheet; empty without pages."""
    clock: bool = False
    """True if pages are seconds: the first is page 1, shown as 00:00:00."""
    drawn: bool = False
    """True if pages can be rendered as images, which needs the source file."""
    second_parser: str = ""
    """Module of `unstructured.partition` that reads it too, which needs the source file; empty if none."""
    no_second_parser: str = "it has no reader for it"
    """Reason for having no second parser."""
    text_is_file: bool = False
    """True if the text of a document is the whole file, decoded."""
    text: bool = False
    """True for text formats, which are distinguished from one another by extension."""
    keeps_ending: bool = False
    """A text with its extension is of this format even if it looks like a parser's JSON."""
    needs_sign: bool = False
    """A text with its extension is of this format only if its signs match; else it is plain text."""
    any_encoding: bool = False
    """Files may be in any encoding without stating it."""
    holds_files: bool = False
    """True if its files may hold other files, which become documents of their own."""
    text_is: str = "text"
    """For binary formats: format of a text with its extension."""
    max_bytes: int = 0
    """Size limit, if above `MAX_BYTES`; 0: none."""
    name_words: tuple[str, ...] = ()
    """In a folder, only files with one of these words in their names are documents; empty: all."""

    @property
    def keeps_file(self) -> bool:
        """True if a workspace stores the files, to draw their pages or for the second parser."""
        return self.drawn or (bool(self.second_parser) and not self.text_is_file)

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules to import before forking a process that reads a file of this format."""
        return (*self.imports, *((self.reader.module,) if isinstance(self.reader, LaterReader) else ()))
