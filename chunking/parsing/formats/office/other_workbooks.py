"""Read workbooks other than XLSX: XLS (Excel 97 and 5), XLSB, ODS.

python-calamine (Rust, MIT) reads their cells; regions are found as in XLSX files (`xlsx.regions`), so that all
workbooks follow one model. It returns values rather than displayed text: dates and times become ISO 8601, other numbers
lose their format (0.25, not 25 %). Comments, charts and boxes are not read.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.detection.path_names import stem
from chunking.parsing.formats.office.xlsx.formats import general
from chunking.parsing.formats.office.xlsx.reader import LEVEL, names_of
from chunking.parsing.formats.office.xlsx.regions import LooseCell, find_regions
from chunking.parsing.formats.office.xlsx.sheet_cells import MAX_CELLS, Cells, Merged, check_limits
from chunking.parsing.formats.office.xlsx.workbook import MAX_SHEETS
from chunking.parsing.safe_input.safe_archives import open_archive, read_entry

__all__ = ["MAX_AREA", "read_workbook"]

MAX_AREA = 10_000_000
"""Most cells up to the last one of a sheet, empty ones included: calamine holds them all."""
_MOST_MERGED = 100_000
_BEGIN_SHEET, _ROW, _CELLS = b"\x81\x01", 0, range(1, 12)
"""Records of [MS-XLSB]: start of a sheet, a row, and kinds of cells, whose number comes first."""
_MANIFEST = "META-INF/manifest.xml"


def read_workbook(raw: RawFile) -> Reading:
    """Read an XLS, XLSB or ODS file: a section per sheet, titled by its name; none for empty ones.

    Hidden sheets are read, with a warning; damaged ones become warnings if another sheet has cells. The library trusts
    the sizes stated in the file: read untrusted files in a guarded process.

    Raises:
        ParseError: it is no workbook, damaged, or protected by a password.
        TooLargeError: over a limit of archives, sheets, rows, cells or characters.
    """
    import python_calamine

    if raw.data.startswith(b"PK"):
        _check_archive(raw)
    with _library_errors(raw):
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw.data))
        sheets = book.sheets_metadata
    if len(sheets) > MAX_SHEETS:
        message = f"{raw.source} has {len(sheets):,} sheets; the limit is {MAX_SHEETS:,}. Split it into smaller files."
        raise TooLargeError(message, where=raw.source)
    writer, count, hidden, damaged = Writer(raw.source), 0, list[str](), list[str]()
    for number, sheet in enumerate(sheets, 1):
        if sheet.typ is python_calamine.SheetTypeEnum.ChartSheet:
            continue
        try:
            cells = _cells(raw, book, sheet.name, MAX_CELLS - count)
        except TooLargeError:
            raise
        except ParseError:
            damaged.append(sheet.name)
            continue
        count += cells.count
        if cells.rows:
            is_hidden = sheet.visible is not python_calamine.SheetVisibleEnum.Visible
            hidden += [sheet.name] * is_hidden
            _write(writer, cells, number, sheet.name, hidden=is_hidden, source=raw.source)
    if damaged and not writer.next_start:
        raise _damaged(raw)
    return writer.finish(title=stem(raw.source), warnings=_warnings(hidden, damaged), page_count=len(sheets))


def _check_archive(raw: RawFile) -> None:
    """Check limits and encryption, which only the manifest of a spreadsheet states."""
    archive = open_archive(raw)
    names = archive.namelist()
    manifest = read_entry(archive, _MANIFEST, raw.source) if _MANIFEST in names else b""
    if "encrypted-package" in names or b"encryption-data" in manifest:
        raise _locked(raw)
    for name in names:
        data = read_entry(archive, name, raw.source) if name.startswith("xl/") and name.endswith(".bin") else b""
        if data.startswith(_BEGIN_SHEET):
            _check_area(raw, name.rpartition("/")[2], *_reach(data))


def _check_area(raw: RawFile, sheet: str, rows: int, columns: int) -> None:
    if rows * columns > MAX_AREA:
        raise TooLargeError(
            (
                f"The sheet '{sheet}' of {raw.source} spans {rows:,} rows and {columns:,} columns, most of them "
                f"empty; split it, or save it as CSV."
            ),
            where=raw.source,
        )


def _reach(data: bytes) -> tuple[int, int]:
    """Rows and columns up to the last cell of a binary sheet, from its records.

    The library would allocate all cells up to it, and end the process if memory is short.
    """
    at = rows = columns = 0
    while at + 1 < len(data):
        kind, at = (data[at], at + 1) if data[at] < 128 else (data[at] & 0x7F | data[at + 1] << 7, at + 2)
        size = shift = 0
        more = True
        while more and shift < 28 and at < len(data):
            size |= (data[at] & 0x7F) << shift
            more, shift, at = data[at] > 127, shift + 7, at + 1
        number = int.from_bytes(data[at : at + 4], "little") + 1
        if kind == _ROW:
            rows = max(rows, number)
        elif kind in _CELLS:
            columns = max(columns, number)
        at += size
    return rows, columns


def _locked(raw: RawFile) -> ParseError:
    return ParseError(
        f"{raw.source} is protected by a password; remove the password and add the file again.", where=raw.source
    )


@contextmanager
def _library_errors(raw: RawFile) -> Iterator[None]:
    """Turn the library's errors into ParseError; a panic of its Rust code is no `Exception`."""
    import python_calamine

    try:
        yield
    except python_calamine.PasswordError as error:
        raise _locked(raw) from error
    except (python_calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        raise _damaged(raw) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(raw) from error


def _damaged(raw: RawFile) -> ParseError:
    return ParseError(
        f"{raw.source} cannot be read as a workbook: it is damaged, protected by a password or something else; save it "
        "again with the program that made it.",
        where=raw.source,
    )


def _cells(raw: RawFile, book: Any, name: str, left: int) -> Cells:
    """Non-empty cells of a sheet.

    Args:
        left: cells the workbook may still have.
    """
    with _library_errors(raw):
        sheet = book.get_sheet_by_name(name)
        cells = Cells()
        _check_area(raw, name, sheet.total_height, sheet.total_width)
        for number, values in enumerate(sheet.iter_rows(), 1):
            row = {
                column: text for column, value in enumerate(values, 1) if value != "" and (text := _text(value)).strip()
            }
            if row:
                cells.rows[number] = row
                cells.count += len(row)
                cells.characters += sum(map(len, row.values()))
                check_limits(cells, raw.source, name, left)
        ranges = sheet.merged_cell_ranges or ()
    cells.merged += [
        Merged(top + 1, first + 1, bottom + 1, last + 1) for (top, first), (bottom, last) in ranges[:_MOST_MERGED]
    ]
    return cells


def _text(value: object) -> str:
    """Text of a cell as displayed, as far as its value determines it.

    >>> [_text(value) for value in (3.0, 0.25, True, time(9, 5), timedelta(hours=36))]
    ['3', '0.25', 'TRUE', '09:05', '36:00']
    >>> _text(datetime(2021, 5, 1)), _text(datetime(2021, 5, 1, 9, 30))
    ('2021-05-01', '2021-05-01 09:30')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return general(value) if math.isfinite(value) else ""
    if isinstance(value, datetime):
        day = f"{value.year:04}-{value.month:02}-{value.day:02}"
        return day if value.time() == time() else f"{day} {_clock(value.time())}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _clock(value)
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        clock = f"{'-' if seconds < 0 else ''}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60:02}"
        return f"{clock}:{abs(seconds) % 60:02}" if seconds % 60 else clock
    return str(value)


def _clock(value: time) -> str:
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def _write(writer: Writer, cells: Cells, number: int, name: str, *, hidden: bool, source: str) -> None:
    writer.block(
        BlockType.HEADING, [Piece(" ".join(name.split()), number)], level=LEVEL, meta={"hidden": True} if hidden else {}
    )
    for region in find_regions(cells, source):
        if isinstance(region, LooseCell):
            writer.block(BlockType.PARAGRAPH, [Piece(region.text, number)])
        else:
            writer.table(region.rows, header_rows=region.header_rows, page=number)


def _warnings(hidden: list[str], damaged: list[str]) -> Iterator[str]:
    if damaged:
        yield f"{names_of(damaged)} could not be read, because of damage in the file."
    if hidden:
        yield f"{names_of(hidden)} {'is' if len(hidden) == 1 else 'are'} hidden, and read like the others."
