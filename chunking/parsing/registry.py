"""The formats that can be read, a row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunking.errors import ParseError
from chunking.parsing.encoding import decode
from chunking.parsing.markdown import read_markdown
from chunking.parsing.plain import read_text
from chunking.parsing.reading import RawFile, Reading

__all__ = ["FORMATS", "Format", "format_of"]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file."""

    name: str
    extensions: tuple[str, ...]
    """Lower case, with the dot."""
    description: str
    reader: Callable[[RawFile], Reading]


FORMATS: tuple[Format, ...] = (
    Format("markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), "Markdown", read_markdown),
    Format("text", (".txt", ".text", ".log"), "plain text", read_text),
)


def format_of(raw: RawFile) -> Format:
    """The row for a file: by its ending, else by its content (text is read as text).

    Raises:
        ParseError: the ending is unknown and the content is no text; the sentence names what can be read.
    """
    ending = raw.source[raw.source.rfind(".") :].lower() if "." in raw.source.rpartition("/")[2] else ""
    for row in FORMATS:
        if ending in row.extensions:
            return row
    try:
        decode(raw.data[: 1 << 16], raw.source, raw.encoding)
    except ParseError as error:
        known = ", ".join(f"{row.description} ({' '.join(row.extensions)})" for row in FORMATS)
        raise ParseError(f"{raw.source} is of no format that can be read; these can: {known}.", where=raw.source) from error
    return next(row for row in FORMATS if row.name == "text")
