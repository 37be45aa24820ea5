"""An e-book page by page, in its reading order, with the levels of its table of contents."""

from __future__ import annotations

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.epub.contents import read_contents
from chunking.parsing.formats.epub.package import open_book
from chunking.parsing.formats.html import write_html
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.formats.html.html_tree import parse_page

__all__ = ["read_epub"]


def read_epub(raw: RawFile) -> Reading:
    """Read an e-book.

    Raises:
        ParseError: it is damaged, hostile, locked, or no e-book.
        TooLargeError: it is over a limit.
    """
    book = open_book(raw)
    writer = Writer(raw.source)
    warnings: dict[str, None] = {}
    try:
        marks = read_contents(book)
    except ParseError:
        marks = {}
        warnings["The book's table of contents is damaged, so its sections are those of the headings on its pages."] = (
            None
        )
    shift = 0
    for name in book.pages:
        data = book.read(name)
        if name == book.nav:
            root = parse_page(data, raw.source).root
            body = None if root is None else root.find("body")
            writer.leave_out("" if body is None else collapse(" ".join(body.itertext())), "table of contents")
            continue
        facts = write_html(data, writer, source=raw.source, base_level=shift, marks=marks.get(name))
        shift = facts.level_shift
        warnings |= dict.fromkeys(facts.warnings)
    if book.missing and not writer.next_start:
        raise ParseError(
            f"{raw.source} holds none of the pages that it lists; get another copy of the file.", where=raw.source
        )
    if book.missing:
        warnings[
            f"The book lists {book.missing} {'page' if book.missing == 1 else 'pages'} that the file does not hold."
        ] = None
    return writer.finish(title=book.title, warnings=tuple(warnings))
