"""Read the pages of a PDF one by one: lines, tables and defects.

Needs numpy; only the reader imports this, and only when it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.errors import TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.pdf.characters.page_characters import PageCharacters, read_characters
from chunking.parsing.formats.pdf.characters.turned_pages import upright_box
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, place_bookmark, read_bookmarks
from chunking.parsing.formats.pdf.headings.contents_pages import is_contents_table
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine, lines_and_places
from chunking.parsing.formats.pdf.layout.ruled_tables import Table, find_tables, without_characters
from chunking.parsing.formats.pdf.pages.page_images import is_installed, recognise_page

__all__ = ["MAX_CHARACTERS", "MAX_ON_PAGE", "Pages", "is_scanned"]

MAX_CHARACTERS = 20_000_000
"""Most characters per document."""
MAX_ON_PAGE = 1_000_000
"""Most characters per page."""

_UNKNOWN = "\x00\ufffd"
_UNCLEAR = 0.1
"""Maximum share of unknown characters on a page without a warning."""


@dataclass
class Pages:
    """Lines, tables and defects of the pages read so far; bookmarks are read on creation."""

    raw: RawFile
    pdf: Any
    lines: list[PdfLine] = field(default_factory=list)
    tables: list[tuple[int, Table]] = field(default_factory=list)
    """Tables, each with the index of the line that it precedes."""
    sizes: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Width and height of each displayed page, in points."""
    damaged: list[int] = field(default_factory=list)
    """Numbers of pages that could not be read."""
    scanned: list[int] = field(default_factory=list)
    """Numbers of scanned pages without OCR."""
    recognised: list[int] = field(default_factory=list)
    """Numbers of pages read by OCR, even if no words were recognised."""
    unclear: list[int] = field(default_factory=list)
    """Numbers of pages with many characters that the file does not map to letters."""
    characters: int = 0

    def __post_init__(self) -> None:
        self.bookmarks: list[Bookmark] = read_bookmarks(self.pdf)
        self._placed_on: dict[int, list[int]] = {}
        for n, bookmark in enumerate(self.bookmarks):
            self._placed_on.setdefault(bookmark.page, []).append(n)

    def read(self, number: int) -> None:
        """Read a page (1-based) and add its lines, tables and size; a damaged one is only noted.

        A scanned page is read by OCR if `raw.ocr` and tesseract is installed. Bookmarks to the page are placed.

        Raises:
            TooLargeError: it has more than `MAX_ON_PAGE` characters, or the document more than `MAX_CHARACTERS`.
        """
        from pypdfium2 import PdfiumError

        try:
            page = flattened_page(self.pdf, number - 1)
        except PdfiumError:
            self.damaged.append(number)
            return
        try:
            self._read(page, number)
        except PdfiumError:
            self.damaged.append(number)
        finally:
            page.close()

    def _read(self, page: Any, number: int) -> None:
        characters = read_characters(page, number, most=MAX_ON_PAGE + 1)
        self.characters += len(characters.text)
        if self.characters > MAX_CHARACTERS or len(characters.text) > MAX_ON_PAGE:
            what = (
                f"more than {MAX_CHARACTERS:,} characters"
                if self.characters > MAX_CHARACTERS
                else f"a page of more than {MAX_ON_PAGE:,} characters"
            )
            raise TooLargeError(f"{self.raw.source} has {what}; split it into smaller files.", where=self.raw.source)
        self.sizes[number] = characters.width, characters.height
        tables, inside = find_tables(page, characters, skip=lambda table: is_contents_table(table.rows, len(self.pdf)))
        lines, places = lines_and_places(
            without_characters(characters, inside), [table.row_boxes for table in tables if not table.quarter]
        )
        if not tables and is_scanned(page, characters):
            lines += self._recognised(page, number)
        unknown = sum(map(characters.text.count, _UNKNOWN))
        if unknown > _UNCLEAR * max(len(characters.text), 1):
            self.unclear.append(number)
        self.tables += ((len(self.lines) + place, table) for place, table in _in_order(tables, places, lines))
        self.lines += lines
        for n in self._placed_on.get(number, ()):
            self.bookmarks[n] = place_bookmark(self.bookmarks[n], page)

    def _recognised(self, page: Any, number: int) -> list[PdfLine]:
        """Text of a scanned page, if OCR is requested."""
        lines = recognise_page(page, number) if self.raw.ocr and is_installed() else None
        (self.scanned if lines is None else self.recognised).append(number)
        return lines or []


def _in_order(
    tables: Sequence[Table], places: Sequence[tuple[int, int]], lines: Sequence[PdfLine]
) -> list[tuple[int, Table]]:
    """Tables of a page with the index of the line that each precedes.

    Args:
        places: of upright tables: line index and number.
    """
    upright = [table for table in tables if not table.quarter]
    placed = [(line, upright[number]) for line, number in places]
    placed_ids = {id(table) for _, table in placed}
    others = [(_place_of(table, lines), table) for table in tables if id(table) not in placed_ids]
    return sorted([*placed, *others], key=lambda one: one[0])


def _place_of(table: Table, lines: Sequence[PdfLine]) -> int:
    """Index of the line before which a table is placed: below the text above it in its columns."""
    left, top, right, _ = upright_box(table.bbox, table.quarter)
    boxes = [upright_box(line.bbox, table.quarter) for line in lines]
    in_columns = [n for n, line in enumerate(lines) if not line.left_out and boxes[n][0] < right and boxes[n][2] > left]
    higher = [n for n in in_columns if boxes[n][1] < top]
    return higher[-1] + 1 if higher else in_columns[0] if in_columns else 0


MAX_ANNOTATIONS = 5_000
"""Most annotations examined per page."""
_FREE_TEXT, _WIDGET = 3, 20
_AS_SHOWN = 0
_DRAWN = 1


def flattened_page(pdf: Any, index: int) -> Any:
    """Open a page with its form fields and typed notes flattened into its content, as printed.

    pdfium does not count annotations among a page's text. The file itself is not changed.

    Args:
        pdf: a `pypdfium2.PdfDocument`.
        index: 0-based.
    Raises:
        pypdfium2.PdfiumError: the page cannot be read.
    """
    import pypdfium2.raw as pdfium

    page = pdf[index]
    if _has_text_annotation(page) and pdfium.FPDFPage_Flatten(page.raw, _AS_SHOWN) == _DRAWN:
        page.close()
        page = pdf[index]
    return page


def _has_text_annotation(page: Any) -> bool:
    """True if a page has a form field or a typed note."""
    import pypdfium2.raw as pdfium

    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind in (_FREE_TEXT, _WIDGET):
            return True
    return False


_FEW = 60
"""Most characters on a scanned page besides its picture: a stamp, a page number."""
_BEGINNING = 500
"""Leading characters that usually suffice to rule out a scan."""
_COVERS = 0.6
"""Minimum share of the page covered by a scan over text."""
_DEEPEST = 3


def is_scanned(page: Any, characters: PageCharacters) -> bool:
    """True if a page shows a picture and no text, or up to 60 characters over a large picture."""
    if sum(map(len, characters.text[:_BEGINNING].split())) > _FEW:
        return False
    visible = sum(map(len, characters.text.split()))
    if visible > _FEW:
        return False
    shares = _image_shares(page, characters.width * characters.height)
    return bool(shares) and (not visible or max(shares) >= _COVERS)


def _image_shares(page: Any, area: float) -> list[float]:
    """Share of the page covered by each image, then by all together, since scans may be in strips."""
    import pypdfium2.raw as pdfium

    boxes = [image.get_bounds() for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST)]
    shares = [(right - left) * (top - bottom) / max(area, 1.0) for left, bottom, right, top in boxes]
    return [*shares, min(sum(shares), 1.0)] if shares else []
