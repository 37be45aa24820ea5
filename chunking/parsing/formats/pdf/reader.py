"""Read a PDF: pages one by one, then the document as a whole."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading

if TYPE_CHECKING:
    from chunking.parsing.formats.pdf.layout.ruled_tables import Table
    from chunking.parsing.formats.pdf.pages.page_reading import Pages

__all__ = ["MAX_PAGES", "read_pdf"]

MAX_PAGES = 5_000

_PASSWORD, _SECURITY = 4, 5
"""pdfium's error codes for a missing password and an unknown encryption."""


def read_pdf(raw: RawFile) -> Reading:
    """Read a PDF: headings, paragraphs, lists, code, tables and footnotes, by page and position.

    Running heads, page numbers and tables of contents are left out. Damaged pages, and scanned ones without OCR
    (`raw.ocr`), become warnings if other pages have text.

    Raises:
        ParseError: it is damaged, protected by a password, or has no pages or no text (only scans, for instance).
        TooLargeError: it has more than `MAX_PAGES`, more characters than `page_reading` allows, or forms that draw one
            another more often than `form_budget` allows.
    """
    from chunking.parsing.formats.pdf.characters.form_budget import check_forms
    from chunking.parsing.formats.pdf.pages.page_reading import Pages

    pdf = _open(raw)
    try:
        check_forms(raw)
        pages = Pages(raw, pdf)
        for number in range(1, len(pdf) + 1):
            pages.read(number)
        return _reading(raw, pdf, pages)
    finally:
        pdf.close()


def _open(raw: RawFile) -> Any:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(raw.data)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) in (_PASSWORD, _SECURITY)
        reason = (
            "is protected by a password; remove it and add the file again."
            if locked
            else "is damaged or incomplete and cannot be read as a PDF; get it again from its source."
        )
        raise ParseError(f"{raw.source} {reason}", where=raw.source) from error
    count = len(pdf)
    if 0 < count <= MAX_PAGES:
        return pdf
    pdf.close()
    if not count:
        raise ParseError(f"{raw.source} has no pages; get it again from its source.", where=raw.source)
    sentence = f"{raw.source} has {count:,} pages; the limit is {MAX_PAGES:,}. Split it into smaller files."
    raise TooLargeError(sentence, where=raw.source)


def _reading(raw: RawFile, pdf: Any, pages: Pages) -> Reading:
    from chunking.parsing.builder.text_builder import Piece, Writer
    from chunking.parsing.formats.pdf.assembly import write_blocks
    from chunking.parsing.formats.pdf.headings.contents_pages import read_contents
    from chunking.parsing.formats.pdf.headings.heading_rules import RunningHeads
    from chunking.parsing.formats.pdf.headings.pdf_headings import headings_of
    from chunking.parsing.formats.pdf.layout.footnotes import find_footnotes
    from chunking.parsing.formats.pdf.pages.furniture import HEADER, find_furniture

    if not pages.lines and not pages.tables:
        raise ParseError(f"{raw.source} {no_text(pages)}", where=raw.source)
    furniture = find_furniture(pages.lines, len(pdf))
    running = [index for index, line in enumerate(pages.lines) if index not in furniture and not line.left_out]
    contents = read_contents([pages.lines[index] for index in running])
    text = [place for place in range(len(running)) if place not in contents.listed]
    notes = find_footnotes([pages.lines[running[place]] for place in text])
    places = [text[place] for place in notes.line_indices]
    text_lines = [running[place] for place in places]
    contents_here = contents.among(places)
    heads = RunningHeads(
        (pages.lines[index].text, pages.lines[index].page) for index, reason in furniture.items() if reason == HEADER
    )
    title = _title(pdf)
    headings = headings_of(pages.bookmarks, notes.lines, contents_here, heads, title)
    tables: dict[int, list[Table]] = {}
    for index, table in pages.tables:
        tables.setdefault(bisect_left(text_lines, index), []).append(table)
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
    """Title in the metadata, unless it is the name of a file or a program."""
    title = " ".join(pdf.get_metadata_value("Title").replace("\x00", "").split())
    title = _PROGRAM.sub("", title)
    words = title.casefold().strip("0123456789 -_.()")
    if len(title) < 3 or _FILE_NAME.search(title) or words in _NOTHING or not re.search(r"[^\W\d_]{2}", title):
        return None
    return title[:500]


def no_text(pages: Pages) -> str:
    """Return why no text was read (scans, damage, nothing there), to follow the file's name."""
    if pages.scanned:
        return f"has no text: its pages are scanned. {_advice(pages)}"
    if pages.recognised:
        return "has no text: its pages are scanned, and no words were recognised on them; add a version with text."
    if pages.damaged:
        return "has no readable page; get it again from its source."
    return "has no text; leave it out."


def _advice(pages: Pages) -> str:
    from chunking.parsing.formats.pdf.pages.page_images import NOT_INSTALLED, is_installed

    if not pages.raw.ocr:
        return (
            f"Read the file with OCR to have {'it' if len(pages.scanned) == 1 else 'them'} too, or add a version "
            f"with text."
        )
    return NOT_INSTALLED if not is_installed() else "Text recognition failed on it; add a version with text."


def warnings_of(pages: Pages) -> list[str]:
    """Return a warning each for damaged, scanned, OCR-read and badly mapped pages; else empty."""
    warnings = []
    if pages.damaged:
        warnings.append(f"{_named(pages.damaged)} damaged and could not be read.")
    if pages.scanned:
        warnings.append(f"{_named(pages.scanned, 'has', 'have')} no text: scanned. {_advice(pages)}")
    if pages.recognised:
        warnings.append(f"{_named(pages.recognised, 'was', 'were')} read by OCR; letters may be wrong.")
    if pages.unclear:
        warnings.append(
            f"{_named(pages.unclear, 'uses', 'use')} fonts without a Unicode mapping; some of "
            f"the text is missing or wrong."
        )
    return warnings


def _named(pages: Sequence[int], one: str = "is", many: str = "are") -> str:
    """Phrase for page numbers: `Page 3 is`, `Pages 3, 5–8 and 11 are`.

    >>> _named([3]), _named([3, 5, 6, 7, 11])
    ('Page 3 is', 'Pages 3, 5–7 and 11 are')
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    names = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"Page {listed} {one}" if len(pages) == 1 else f"Pages {listed} {many}"
