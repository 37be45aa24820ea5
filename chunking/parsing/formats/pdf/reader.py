"""A PDF as a document: its pages read one by one, then looked at together."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading

if TYPE_CHECKING:
    from chunking.parsing.formats.pdf.pages.page_reading import Pages
    from chunking.parsing.formats.pdf.tables.ruled_tables import Table

__all__ = ["MAX_PAGES", "read_pdf"]

MAX_PAGES = 5_000

_PASSWORD, _SECURITY = 4, 5
"""pdfium's numbers for a file that wants a password, and for one locked in a way it does not know."""


def read_pdf(raw: RawFile) -> Reading:
    """Read a PDF.

    Raises:
        ParseError: it is damaged, protected by a password, or holds no text (its pages are scanned, for instance).
        TooLargeError: it has more than `MAX_PAGES`, more characters than `page_reading` allows, or forms that draw one
            another more
            often than `form_budget` allows.
    """
    from chunking.parsing.formats.pdf.characters.form_budget import check_forms
    from chunking.parsing.formats.pdf.pages.page_reading import Pages

    pdf = _opened(raw)
    try:
        check_forms(raw)
        pages = Pages(raw, pdf)
        for number in range(1, len(pdf) + 1):
            pages.read(number)
        return _reading(raw, pdf, pages)
    finally:
        pdf.close()


def _opened(raw: RawFile) -> Any:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(raw.data)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) in (_PASSWORD, _SECURITY)
        reason = (
            "is protected by a password; remove it and add the file again."
            if locked
            else "is damaged or incomplete and cannot be read as a PDF; get it again from where it came."
        )
        raise ParseError(f"{raw.source} {reason}", where=raw.source) from error
    count = len(pdf)
    if 0 < count <= MAX_PAGES:
        return pdf
    pdf.close()
    if not count:
        raise ParseError(f"{raw.source} has no pages; get it again from where it came.", where=raw.source)
    sentence = f"{raw.source} has {count:,} pages; the limit is {MAX_PAGES:,}. Split it into smaller files."
    raise TooLargeError(sentence, where=raw.source)


def _reading(raw: RawFile, pdf: Any, pages: Pages) -> Reading:
    from chunking.parsing.builder.text_builder import Piece, Writer
    from chunking.parsing.formats.pdf.assembly import write_blocks
    from chunking.parsing.formats.pdf.headings.contents_pages import CONTENTS, read_contents
    from chunking.parsing.formats.pdf.headings.heading_evidence import RunningHeads
    from chunking.parsing.formats.pdf.headings.headings import headings_of
    from chunking.parsing.formats.pdf.layout.footnotes import find_footnotes
    from chunking.parsing.formats.pdf.pages.furniture import HEADER, find_furniture
    from chunking.parsing.formats.pdf.pages.notices import no_text, warnings_of

    if not pages.lines and not pages.tables:
        raise ParseError(f"{raw.source} {no_text(pages)}", where=raw.source)
    furniture = find_furniture(pages.lines, len(pdf))
    running = [index for index, line in enumerate(pages.lines) if index not in furniture and not line.left_out]
    contents = read_contents([pages.lines[index] for index in running])
    text = [place for place in range(len(running)) if place not in contents.listed]
    notes = find_footnotes([pages.lines[running[place]] for place in text])
    places = [text[place] for place in notes.kept]
    kept = [running[place] for place in places]
    contents_here = contents.among(places)
    heads = RunningHeads(
        (pages.lines[index].text, pages.lines[index].page) for index, reason in furniture.items() if reason == HEADER
    )
    title = _title(pdf)
    headings = headings_of(pages.bookmarks, notes.lines, contents_here, heads, title)
    tables: dict[int, list[Table]] = {}
    for index, table in pages.tables:
        tables.setdefault(bisect_left(kept, index), []).append(table)
    writer = Writer(raw.source)
    write_blocks(writer, notes.lines, headings, tables, pages.sizes, notes.footnotes, contents_here.unsure)
    listed = {running[place] for place in contents.listed}
    for index, line in enumerate(pages.lines):
        reason = furniture.get(index) or line.left_out or (CONTENTS if index in listed else "")
        if reason:
            writer.leave_out([Piece(line.text, line.page, line.bbox)], reason)
    return writer.finish(title=title, warnings=warnings_of(pages), page_count=len(pdf))


_PROGRAM = re.compile(r"^(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation)\s*-?\s*", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"\.(?:docx?|pptx?|xlsx?|odt|rtf|tex|dvi|indd|qxd|pdf|ps|eps|html?|txt|pages|pub|ai|cdr)$", re.IGNORECASE
)
_NOTHING = frozenset(
    {"untitled", "anonymous", "unknown", "none", "title", "document", "unspecified", "slide 1", "无标题", "文档"}
)


def _title(pdf: Any) -> str | None:
    """What its metadata call it, unless that is a file's or a program's name."""
    title = " ".join(pdf.get_metadata_value("Title").replace("\x00", "").split())
    title = _PROGRAM.sub("", title)
    words = title.casefold().strip("0123456789 -_.()")
    if len(title) < 3 or _FILE_NAME.search(title) or words in _NOTHING or not re.search(r"[^\W\d_]{2}", title):
        return None
    return title[:500]
