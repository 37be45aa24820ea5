"""Pages read from a line of markup."""

from __future__ import annotations

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.html.reader import read_html


def read(markup: str) -> Reading:
    """The reading of a page."""
    return read_html(RawFile(markup.encode(), "page.html"))
