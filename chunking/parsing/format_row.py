"""What is known of a format: a row of the registry, which everything else is made from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from chunking.parsing.builder.reader_types import RawFile, Reading

__all__ = ["Format", "LaterReader", "Signs"]


@dataclass(frozen=True, slots=True)
class LaterReader:
    """A reader that is imported when it is called: most processes need none, and no file more than one or two."""

    module: str
    name: str
    """Of the function in it."""

    def __call__(self, raw: RawFile) -> Reading:
        reading: Reading = getattr(import_module(self.module), self.name)(raw)
        return reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """How the content of a file shows the format, whatever the file is called; a format may have none."""

    data: Callable[[bytes], bool] | None = None
    """Whether the bytes are of it."""
    text: tuple[re.Pattern[str], ...] = ()
    """Any of these matches the beginning of the text."""
    certain: bool = False
    """That decides whatever the ending says; else not against an ending that `keeps_ending`."""
    inside: re.Pattern[str] | None = None
    """A text under an ending of it that has this anywhere in its beginning is of it, whatever else it looks like."""
    likely: Callable[[str], bool] | None = None
    """Whether a text looks like it whose ending says nothing, by its beginning."""
    mimetypes: tuple[str, ...] = ()
    """What the file `mimetype` of a ZIP archive holds."""
    main_part: re.Pattern[bytes] | None = None
    """Found in `[Content_Types].xml` of a ZIP archive."""
    member: re.Pattern[str] | None = None
    """Found in the name of a file of a ZIP archive."""
    streams: tuple[str, ...] = ()
    """An OLE2 file of it has one of these streams."""
    no_streams: tuple[str, ...] = ()
    """... and none of these, beside which it is part of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of file."""

    name: str
    label: str
    """In a line of many: a word or two."""
    description: str
    """What is read."""
    one: str
    """What a file of it is, in a sentence: a PDF, Markdown."""
    extensions: tuple[str, ...]
    """Lower case, with the dot."""
    reader: Callable[[RawFile], Reading]
    imports: tuple[str, ...] = ()
    """Modules that the reader imports when it runs, besides its own."""
    signs: Signs = Signs()
    page: str = ""
    """What a page of it is called: page, slide, sheet; empty where it has none."""
    clock: bool = False
    """Its pages are seconds: the first is page 1, and is shown as the time 00:00:00."""
    drawn: bool = False
    """Its pages can be drawn as images, for which the source file is kept."""
    second_parser: str = ""
    """The module of `unstructured.partition` that reads it too, for which the source file is kept; empty where none
    does offline.
    """
    no_second_parser: str = "it has no reader for it"
    """Why there is none."""
    text_is_file: bool = False
    """The text of a document is all of its file, decoded."""
    text: bool = False
    """Its files are text, which the ending tells apart from other text."""
    keeps_ending: bool = False
    """A text under its ending is of this format even where it looks like a parser's JSON."""
    needs_sign: bool = False
    """A text under its ending is of this format only where its signs say so; else it is plain text."""
    any_encoding: bool = False
    """Its files may be in any encoding and need not say in which."""
    text_is: str = "text"
    """Of files that are not text: the format of a text under its ending."""
    max_bytes: int = 0
    """Largest file of it that is read, where that is more than `MAX_BYTES`; 0: it is not."""
    name_words: tuple[str, ...] = ()
    """In a folder, of files with its endings only those with one of these in their names are documents; none: all of
    them.
    """

    @property
    def keeps_file(self) -> bool:
        """Whether a workspace keeps the source file of its documents."""
        return self.drawn or (bool(self.second_parser) and not self.text_is_file)

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules to import before a process is forked that reads a file."""
        return (*self.imports, *((self.reader.module,) if isinstance(self.reader, LaterReader) else ()))
