"""Rows as CSV that a spreadsheet shows and does not run, and objects as lines of JSON.

A cell that begins with `=`, `+`, `-` or `@` is a formula to a spreadsheet, and a formula may send what stands beside it
to a
server. Such texts get an apostrophe before them (OWASP, "CSV injection"); numbers are written as numbers.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["CsvValue", "cell", "csv_lines", "json_line", "json_lines"]

CsvValue = str | int | float | bool | None

_FORMULA = re.compile(
    "^[\\s\x00-\x1f\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u2069]*[=+\\-@\uff1d\uff0b\uff0d\uff20\u2212|%]"
)
"""What begins a formula in a spreadsheet, also behind what it does not show; and `|`, `%`, which did in old ones."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
BOM = "\ufeff"
"""Stands first: without it a spreadsheet takes UTF-8 for something else."""
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x7f\x85\u2028\u2029\ufeff"})
"""JSON leaves these as they are, and some readers take them for the end of a line."""


def cell(value: CsvValue) -> str | int | float:
    """A value as its cell holds it.

    >>> cell("=1+1"), cell("-3 degrees"), cell(-3), cell(None), cell(True)
    ("'=1+1", "'-3 degrees", -3, '', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else value
    text = _CONTROLS.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    return f"'{text}" if _FORMULA.match(value) else text


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, CsvValue]]) -> Iterator[str]:
    """The header and a line a row, each with its line end; what a row lacks is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    buffer.write(BOM)
    writer.writerow(columns)
    yield _taken(buffer)
    for row in rows:
        writer.writerow([cell(row.get(name)) for name in columns])
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def json_line(row: object) -> str:
    """An object as a line. A lone surrogate, which has no UTF-8 form, becomes U+FFFD.

    >>> json_line({"text": "a\\u2028b\\n蓝"})
    '{"text": "a\\\\u2028b\\\\n蓝"}\\n'
    """
    text = json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


def json_lines(rows: Iterable[object]) -> Iterator[str]:
    """A line each."""
    return map(json_line, rows)
