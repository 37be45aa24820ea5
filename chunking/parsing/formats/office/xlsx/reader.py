"""Read a workbook sheet by sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.display import first_names, quantity
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.detection.path_names import stem
from chunking.parsing.formats.office.file_comments import Comment, not_read, write_comments
from chunking.parsing.formats.office.office_parts import OfficePart, Package, whole_number
from chunking.parsing.formats.office.pptx.graphics import chart_rows, chart_titles, charts_of
from chunking.parsing.formats.office.pptx.text import paragraphs_of
from chunking.parsing.formats.office.xlsx.regions import LooseCell, find_regions
from chunking.parsing.formats.office.xlsx.sheet_cells import MAX_CELLS, read_cells
from chunking.parsing.formats.office.xlsx.workbook import Sheet, Workbook

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LEVEL", "names_of", "read_sheets"]

LEVEL = 2
"""Level of a sheet's heading, below the workbook's: `Sheet1` is no title of a document."""


def read_sheets(raw: RawFile) -> Reading:
    """Read an XLSX file: a section per sheet, titled by its name; empty sheets are skipped.

    Tables keep their number formats, dates are ISO 8601, formulas show their stored results. Texts in boxes and
    requested comments follow the cells of their sheet. Pages are sheet numbers. Hidden sheets are read, with a warning;
    damaged ones become warnings if another has text.

    Raises:
        ParseError: it is no workbook, or damaged.
        TooLargeError: over a limit of archives, rows, cells or characters.
    """
    book = Workbook(raw)
    reader = _Reader(book, Writer(raw.source), raw.comments)
    for number, sheet in enumerate(book.sheets, 1):
        reader.read(number, sheet)
    if (reader.damaged or reader.lost) and not reader.writer.next_start:
        raise ParseError(
            f"{raw.source} cannot be read: its cell data is damaged; save it again with the program that made it.",
            where=raw.source,
        )
    title = book.package.title() or stem(raw.source)
    return reader.writer.finish(title=title, warnings=reader.warnings(), page_count=len(book.sheets))


@dataclass(slots=True)
class _Reader:
    """Writer of the sheets of a workbook."""

    book: Workbook
    writer: Writer
    comments: bool
    """True to read comments."""
    cells: int = 0
    without_result: int = 0
    lost: int = 0
    hidden: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    charts: int = 0
    pictures: int = 0
    not_read: int = 0
    """Number of comments left out."""

    def read(self, number: int, sheet: Sheet) -> None:
        """Write a sheet; damage in it becomes a warning."""
        try:
            self._write(number, sheet)
        except TooLargeError:
            raise
        except ParseError:
            self.damaged.append(sheet.name)

    def _write(self, number: int, sheet: Sheet) -> None:
        package = self.book.package
        related = list(package.related(sheet.part).values())
        charts = self._charts(related)
        if not sheet.cells:
            self._write_charts(number, charts, sheet)
            return
        cells = read_cells(self.book, sheet, cells_left=MAX_CELLS - self.cells)
        self.cells += cells.count
        self.without_result += cells.without_result
        self.lost += cells.lost
        texts, comments = list(_boxes(package, related)), list(comments_of(self.book, related))
        if not (cells.rows or texts or charts or comments):
            return
        if sheet.hidden:
            self.hidden.append(sheet.name)
        meta = {"hidden": True} if sheet.hidden else {}
        self.writer.block(BlockType.HEADING, [Piece(sheet.name, number)], level=LEVEL, meta=meta)
        for region in find_regions(cells, package.source):
            if isinstance(region, LooseCell):
                self.writer.block(BlockType.PARAGRAPH, [Piece(region.text, number)])
            else:
                self.writer.table(region.rows, header_rows=region.header_rows, page=number)
        for text in texts:
            self.writer.block(BlockType.PARAGRAPH, [Piece(text, number)], meta={"text_box": True})
        self.not_read += write_comments(self.writer, comments, read=self.comments, page=number)
        self._write_charts(number, charts)

    def _write_charts(self, number: int, charts: list[_Element], heading: Sheet | None = None) -> None:
        """Write titles, categories and names of series: the numbers themselves are in cells.

        Args:
            heading: a sheet that holds nothing else, to be titled by its name.
        """
        for chart in charts:
            if heading is not None:
                self.writer.block(BlockType.HEADING, [Piece(heading.name, number)], level=LEVEL)
                heading = None
            rows = chart_rows(chart)
            labels = [*(rows[0][1:] if rows else ()), *(row[0] for row in rows[1:])]
            for line in (*chart_titles(chart), ", ".join(filter(None, labels))):
                self.writer.block(BlockType.PARAGRAPH, [Piece(line, number)], meta={"chart": True})

    def _charts(self, related: list[OfficePart]) -> list[_Element]:
        """Charts on a sheet; unreadable ones are counted."""
        package = self.book.package
        roots: list[_Element] = []
        for one in related:
            if one.kind != "drawing":
                continue
            kinds = [relation.kind for relation in package.related(one.part).values()]
            self.charts += kinds.count("chart") + kinds.count("chartEx")
            self.pictures += kinds.count("image")
            try:
                charts = list(charts_of(package, one.part).values())
            except TooLargeError:
                raise
            except ParseError:
                continue
            self.charts -= len(charts)
            roots += charts
        return roots

    def warnings(self) -> Iterator[str]:
        """Yield warnings: damage, hidden sheets, formulas without results, unread charts."""
        if self.damaged:
            yield f"{names_of(self.damaged)} could not be read, because of damage in the file."
        if self.lost:
            yield f"{quantity(self.lost, 'cell')} could not be read, because of damage in the file."
        if self.hidden:
            yield (
                f"{names_of(self.hidden)} {'is' if len(self.hidden) == 1 else 'are'} hidden, and read like the others."
            )
        if self.without_result:
            noun = (
                "formula has no stored result and shows"
                if self.without_result == 1
                else "formulas have no stored result and show"
            )
            yield (
                f"{self.without_result:,} {noun} as written; open and save the file in a spreadsheet program to "
                f"see the numbers."
            )
        not_shown = [
            quantity(number, noun) for number, noun in ((self.charts, "chart"), (self.pictures, "picture")) if number
        ]
        if not_shown:
            verb = "was" if self.charts + self.pictures == 1 else "were"
            yield f"{' and '.join(not_shown)} {verb} not read."
        yield from not_read(self.not_read)


def _boxes(package: Package, related: list[OfficePart]) -> Iterator[str]:
    """Texts in boxes on a sheet."""
    for one in related:
        if one.kind == "drawing" and one.part in package:
            for body in package.root(one.part).iter("{*}txBody"):
                yield from (paragraph.numbered_text for paragraph in paragraphs_of(body))


def names_of(sheets: list[str]) -> str:
    """Return the subject of a sentence, such as `The sheets 'A', 'B'`; over five are counted."""
    quoted = first_names([f"'{name}'" for name in sheets], 5)
    return f"The sheet {quoted}" if len(sheets) == 1 else f"The sheets {quoted}"


def comments_of(book: Workbook, related: Sequence[OfficePart]) -> Iterator[Comment]:
    """Yield a sheet's notes, then its threaded comments with answers, in file order.

    A note on a cell with a thread is skipped: newer programs write it as a copy.

    Args:
        related: parts the sheet refers to.
    Raises:
        ParseError: one of these parts is damaged.
    """
    package = book.package
    roots = {
        kind: [package.root(one.part) for one in related if one.kind == kind and one.part in package] for kind in _KINDS
    }
    talks = [talk for root in roots["threadedComment"] for talk in root.iter("{*}threadedComment")]
    copied = {talk.get("ref") for talk in talks}
    for root in roots["comments"]:
        authors = ["".join(author.itertext()) for author in root.iterfind("{*}authors/{*}author")]
        for note in root.iter("{*}comment"):
            if note.get("ref") not in copied:
                yield Comment(_words(note), _at(authors, note.get("authorId")), note.get("ref", ""))
    if talks:
        people = {
            one.get("id"): one.get("displayName", "")
            for part in _people(book)
            for one in package.root(part).iter("{*}person")
        }
        for talk in talks:
            yield Comment(talk.findtext("{*}text") or "", people.get(talk.get("personId"), ""), talk.get("ref", ""))


_KINDS = ("comments", "threadedComment")


def _people(book: Workbook) -> list[str]:
    """Parts with the names of authors."""
    return book.package.parts(book.package.main("workbook"), "person")


def _at(authors: Sequence[str], number: str | None) -> str:
    place = whole_number(number, len(authors))
    return authors[place] if place < len(authors) else ""


def _words(note: _Element) -> str:
    return "".join(part.text or "" for part in note.iter("{*}t"))
