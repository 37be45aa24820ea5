"""The pages of a PDF one by one: their lines and tables, and what is wrong with them.

Only the reader imports this, and only when it reads: it needs numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.errors import TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.pdf.characters.form_fields import opened_page
from chunking.parsing.formats.pdf.characters.page_characters import read_characters
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, place_bookmark, read_bookmarks
from chunking.parsing.formats.pdf.headings.contents_pages import is_contents_table
from chunking.parsing.formats.pdf.layout.lines import PdfLine, lines_and_places
from chunking.parsing.formats.pdf.pages.ocr import is_installed, recognised
from chunking.parsing.formats.pdf.pages.scans import is_scanned
from chunking.parsing.formats.pdf.tables.ruled_tables import Table, find_tables, without
from chunking.parsing.formats.pdf.tables.turned_pages import upright_box

__all__ = ["MAX_CHARACTERS", "MAX_ON_PAGE", "Pages"]

MAX_CHARACTERS = 20_000_000
"""Of a document."""
MAX_ON_PAGE = 1_000_000
"""Characters of one page."""

_UNKNOWN = "\x00\ufffd"
_UNCLEAR = 0.1
"""Share of a page's characters that may be unknown without a word about it."""


@dataclass
class Pages:
    """What was read of the pages so far."""

    raw: RawFile
    pdf: Any
    lines: list[PdfLine] = field(default_factory=list)
    tables: list[tuple[int, Table]] = field(default_factory=list)
    """Each with the index of the line before which it stands."""
    sizes: dict[int, tuple[float, float]] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    """Scanned pages that were not recognised."""
    recognised: list[int] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)
    """Pages with many characters of which the file does not say what letters they are."""
    characters: int = 0

    def __post_init__(self) -> None:
        self.bookmarks: list[Bookmark] = read_bookmarks(self.pdf)
        self._placed_on: dict[int, list[int]] = {}
        for n, bookmark in enumerate(self.bookmarks):
            self._placed_on.setdefault(bookmark.page, []).append(n)

    def read(self, number: int) -> None:
        """Add a page (1-based); one that cannot be read is only noted.

        Raises:
            TooLargeError: it has more than `MAX_ON_PAGE` characters, or the document more than `MAX_CHARACTERS`.
        """
        from pypdfium2 import PdfiumError

        try:
            page = opened_page(self.pdf, number - 1)
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
            without(characters, inside), [table.row_boxes for table in tables if not table.quarter]
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
        """The text of a scanned page, if the user asks for it."""
        found = recognised(page, number) if self.raw.ocr and is_installed() else None
        (self.scanned if found is None else self.recognised).append(number)
        return found or []


def _in_order(
    tables: Sequence[Table], places: Sequence[tuple[int, int]], lines: Sequence[PdfLine]
) -> list[tuple[int, Table]]:
    """The tables of a page, each with the line before which it stands.

    Args:
        places: of those whose text stands upright: line and number among these.
    """
    upright = [table for table in tables if not table.quarter]
    placed = [(line, upright[number]) for line, number in places]
    known = {id(table) for _, table in placed}
    others = [(_place_of(table, lines), table) for table in tables if id(table) not in known]
    return sorted([*placed, *others], key=lambda one: one[0])


def _place_of(table: Table, lines: Sequence[PdfLine]) -> int:
    """Before which line of its page a table stands: below what is above it in the columns that it reaches into."""
    left, top, right, _ = upright_box(table.bbox, table.quarter)
    boxes = [upright_box(line.bbox, table.quarter) for line in lines]
    beside = [n for n, line in enumerate(lines) if not line.left_out and boxes[n][0] < right and boxes[n][2] > left]
    above = [n for n in beside if boxes[n][1] < top]
    return above[-1] + 1 if above else beside[0] if beside else 0
