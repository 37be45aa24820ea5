"""Read CSV and TSV: the source itself as one table whose rows have exact offsets.

A quoted field may hold delimiters, doubled quotes and line ends; an opening quote that is not closed before a delimiter
or line end is an ordinary character, so that a stray quote does not swallow the rows after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from chunking.display import quantity
from chunking.errors import TooLargeError
from chunking.model import Block, BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading, line_breaks, number_lines
from chunking.parsing.builder.table_headers import count_header_rows, count_preamble_rows
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.plain_text import read_text

__all__ = ["DELIMITERS", "MAX_ROWS", "read_delimited", "read_rows", "split_row"]

DELIMITERS = "\t;|,"
"""Candidates; the first wins between equals (`1,5;2,5`)."""
MAX_ROWS = 2_000_000
"""Most rows of a file: each has its offset in the table's block."""

_SAMPLE = 1 << 16
_SAMPLED_ROWS = 200
_MOST_ALIKE = 0.6
"""Minimum share of rows with equal field counts for a delimiter."""
_SHORT = 80
_MOST_PREAMBLE = 20

_LINE_END = re.compile(r"\r\n?|\n")
_SEPARATOR = re.compile(r"sep=(.)[ \t]*(?:\r\n?|\n)(?=\s*\S)", re.IGNORECASE)
"""Separator declaration on Excel's first line; with text after it, it is data."""
_ROOM = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*\Z")
"""End of a row before an empty line."""
_SENTENCE_END = re.compile(r"[.!?。！？]['\")”]?\s*$")


def read_delimited(raw: RawFile) -> Reading:
    """Read a CSV or TSV file as a table, with any delimiter; without columns, as plain text.

    The document's text is the file's.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: more than `MAX_ROWS` rows.
    """
    decoded = decode(raw.data, raw.source, raw.encoding)
    text = decoded.text
    if max(text.count("\n"), text.count("\r")) > MAX_ROWS:
        raise TooLargeError(
            f"{raw.source} has more than {MAX_ROWS:,} rows; split it into smaller files.", where=raw.source
        )
    declared = _SEPARATOR.match(text)
    start = declared.end() if declared else 0
    delimiter = declared[1] if declared else _sniff(text, raw.source)
    if delimiter is None:
        note = f"{raw.source} has no recognisable columns, so it was read as plain text."
        reading = read_text(raw)
        return replace(reading, warnings=(*reading.warnings, note))
    table = _Table(text, start, delimiter)
    blocks = tuple(number_lines(text, table.blocks()))
    return Reading(text, blocks, decoded.encoding, warnings=(*decoded.warnings, *table.warnings()))


def split_row(row: str, delimiter: str) -> list[str]:
    """Split a row into fields, without the quotes around them and with doubled quotes as one.

    >>> split_row('Finch,"3 cm, ""or so"" high",', ",")
    ['Finch', '3 cm, "or so" high', '']
    """
    fields, done = [], 0
    quoted = _quoted(delimiter)
    while True:
        match = quoted.match(row, done)
        end = row.find(delimiter, match.end() if match else done)
        content = row[done : end if end >= 0 else len(row)]
        fields.append(match[0][1:-1].replace('""', '"') if match else content.strip("\r\n"))
        if end < 0:
            return fields
        done = end + len(delimiter)


def read_rows(text: str, delimiter: str, start: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number from 1, fields) of each non-empty row; a quoted field may span lines.

    Args:
        start: offset of the first row.

    >>> list(read_rows('a,b\\n\\n"1\\n2",3', ","))
    [(1, ['a', 'b']), (3, ['1\\n2', '3'])]
    """
    starts, _ = _row_starts(text, start, delimiter)
    line, done = 1, 0
    for first, after in zip(starts, [*starts[1:], len(text)], strict=True):
        line, done = line + line_breaks(text, done, first), first
        yield line, split_row(text[first:after], delimiter)


class _Table:
    """The source as a table."""

    def __init__(self, text: str, start: int, delimiter: str) -> None:
        self.text, self.delimiter = text, delimiter
        self._start = start
        self._starts, self._unclosed = _row_starts(text, start, delimiter)
        self._ends = [*self._starts[1:], len(text)]
        self._counts = [
            _count_fields(text[first:after], delimiter) for first, after in zip(self._starts, self._ends, strict=True)
        ]
        several = next((number for number, count in enumerate(self._counts[: _MOST_PREAMBLE + 1]) if count > 1), 0)
        self.columns = Counter(self._counts[several:]).most_common(1)[0][0]
        self._first = self._first_row()

    def blocks(self) -> Iterator[Block]:
        """Yield the text before the table (a separator line, a title), then the table."""
        if self._start:
            yield self._block(BlockType.METADATA, 0, self._start)
        first = self._first
        if first:
            yield self._block(BlockType.PARAGRAPH, self._starts[0], self._starts[first])
        rows = self._starts[first:]
        header = min(count_header_rows(self._sample(first)), len(rows) - 1)
        meta = {
            "rows": len(rows) - header,
            "columns": self.columns,
            "delimiter": self.delimiter,
            "row_starts": tuple(rows[header:]),
        }
        if header:
            meta["header_end"] = rows[header]
        table = self._block(BlockType.TABLE, rows[0], len(self.text))
        yield replace(table, meta=meta)

    def _block(self, kind: BlockType, start: int, end: int) -> Block:
        """Block from a row's start, whose first field may be empty, to the end of the last row's text."""
        return Block(kind, start, start + len(self.text[start:end].rstrip()), meta={})

    def _first_row(self) -> int:
        """Number of rows before the table: single fields, and whatever precedes its header."""
        if self.columns == 1:
            return 0
        single = next((number for number, count in enumerate(self._counts[: _MOST_PREAMBLE + 1]) if count > 1), 0)
        rows = self._sample(0)
        gaps = [
            number
            for number in range(min(len(rows), _MOST_PREAMBLE))
            if _ROOM.search(self.text, self._starts[number], self._ends[number])
        ]
        preamble = count_preamble_rows(rows, gaps)
        empty = re.compile(rf'(?<![^{re.escape(self.delimiter)}\r\n])""(?=[{re.escape(self.delimiter)}\r\n]|\Z)')
        if empty.search(
            self.text, self._start, self._starts[preamble]
        ):  # a program that quotes empty fields writes records, and no titles
            preamble = 0
        return max(single, preamble)

    def _sample(self, first: int) -> list[list[str]]:
        """Fields of a row and of some rows after it."""
        spans = zip(self._starts[first : first + _SAMPLED_ROWS], self._ends[first : first + _SAMPLED_ROWS], strict=True)
        return [split_row(self.text[start:end], self.delimiter) for start, end in spans]

    def warnings(self) -> Iterator[str]:
        """A warning each for rows of another length and an unclosed quote."""
        first = self._first
        odd = [
            row for row, count in zip(self._starts[first:], self._counts[first:], strict=True) if count != self.columns
        ]
        if odd:
            line = 1 + line_breaks(self.text, 0, odd[0])
            fields = quantity(self.columns, "field")
            if len(odd) == 1:
                yield f"The row on line {line:,} has more or fewer than the {fields} of the others."
            else:
                yield (
                    f"{len(odd):,} rows have more or fewer than the {fields} of the others, the first on line {line:,}."
                )
        if self._unclosed is not None:
            line = 1 + line_breaks(self.text, 0, self._unclosed)
            yield (
                f"A quotation mark on line {line:,} opens a field and is not closed; it was read as a character "
                f"of the text."
            )


@lru_cache(maxsize=16)
def _quoted(delimiter: str) -> re.Pattern[str]:
    """Pattern of a quoted field. It starts with the quote, so that `re` jumps from quote to quote."""
    edge = re.escape(delimiter) + r"\r\n"
    return re.compile(rf'"(?<![^{edge}]")(?:[^"]++|"")*+"(?=[ ]*+(?:[{edge}]|\Z))')


@lru_cache(maxsize=16)
def _opening(delimiter: str) -> re.Pattern[str]:
    return re.compile(rf'"(?<![^{re.escape(delimiter)}\r\n]")')


def _row_starts(text: str, start: int, delimiter: str) -> tuple[list[int], int | None]:
    """Offsets of non-empty rows, and of the first unclosed opening quote."""
    lines = _line_starts(text, start)
    unclosed = None
    if '"' in text:
        done, inside = start, []
        for match in _quoted(delimiter).finditer(text, start):
            if unclosed is None:
                unclosed = _first_match(_opening(delimiter), text, done, match.start())
            done = match.end()
            if "\n" in match[0] or "\r" in match[0]:
                inside.append(match.span())
        if unclosed is None:
            unclosed = _first_match(_opening(delimiter), text, done, len(text))
        lines = _outside(lines, inside)
    ends = [*lines[1:], len(text)]
    return [
        first for first, after in zip(lines, ends, strict=True) if not text[first:after].isspace() and first < after
    ], unclosed


def _first_match(pattern: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    match = pattern.search(text, start, end)
    return match.start() if match else None


def _line_starts(text: str, start: int) -> list[int]:
    """Offsets at which lines begin."""
    if text.count("\r") == text.count("\r\n"):  # splitting is ten times as fast as a pattern
        return [start, *(start + end for end in accumulate(len(line) + 1 for line in text[start:].split("\n")[:-1]))]
    return [start, *(match.end() for match in _LINE_END.finditer(text, start))]


def _outside(lines: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Filter line starts outside of spans, which are in order and disjoint."""
    outside: list[int] = []
    done = 0
    for start, end in spans:
        first = bisect_right(lines, start, lo=done)
        outside += lines[done:first]
        done = bisect_left(lines, end, lo=first)
    return outside + list(lines[done:])


def _count_fields(row: str, delimiter: str) -> int:
    return (_quoted(delimiter).sub("", row) if '"' in row else row).count(delimiter) + 1


def _sniff(text: str, source: str) -> str | None:
    """Detect the delimiter with the most uniform rows; None if the text is neither a table nor a column."""
    sample = text[:_SAMPLE]
    candidates: list[tuple[bool, bool, float, str]] = []
    tabbed = source.lower().endswith((".tsv", ".tab"))
    for delimiter in DELIMITERS:
        counts, unclosed = _sample_counts(sample, delimiter, is_complete=len(sample) == len(text))
        several = Counter(count for count in counts if count > 1).most_common(1)
        if several and several[0][1] >= _MOST_ALIKE * len(counts):
            candidates.append(
                (tabbed and delimiter == "\t", not unclosed, round(several[0][1] / len(counts), 1), delimiter)
            )
    if candidates:
        best = max(candidates, key=lambda row: row[:3])[3]
        return None if _is_prose(sample, best) else best
    return DELIMITERS[-1] if _is_column(sample) else None


def _sample_counts(sample: str, delimiter: str, *, is_complete: bool) -> tuple[list[int], bool]:
    """Field counts of the first rows, and whether a quote stays open, so that the delimiter is wrong.

    Skips the last row if the sample may have cut it, and rows before the first with the usual count.
    """
    starts, unclosed = _row_starts(sample, 0, delimiter)
    ends = [*starts[1:], len(sample)]
    rows = list(zip(starts, ends, strict=True))
    if not is_complete and len(rows) > 1:
        cut = rows.pop()
        unclosed = unclosed if unclosed is not None and unclosed < cut[0] else None
    counts = [_count_fields(sample[start:end], delimiter) for start, end in rows[:_SAMPLED_ROWS]]
    usual = Counter(count for count in counts if count > 1).most_common(1)
    first = next((number for number, count in enumerate(counts[:_MOST_PREAMBLE]) if usual and count == usual[0][0]), 0)
    return counts[first:], unclosed is not None


def _is_prose(sample: str, delimiter: str) -> bool:
    """True for commas followed by spaces, in lines that end like sentences."""
    if delimiter != ",":
        return False
    lines = [line for line in _LINE_END.split(sample) if line.strip()][:_SAMPLED_ROWS]
    ended = sum(bool(_SENTENCE_END.search(line)) for line in lines)
    return 2 * ended > len(lines) and sample.count(", ") >= 0.9 * sample.count(",")


def _is_column(sample: str) -> bool:
    """True if the text has one short value per line."""
    lines = [line for line in _LINE_END.split(sample.rstrip()) if line.strip()][:_SAMPLED_ROWS]
    ended = sum(bool(_SENTENCE_END.search(line)) for line in lines)
    short = sorted(map(len, lines))[len(lines) // 2] <= _SHORT if lines else False
    return len(lines) > 2 and short and 10 * ended <= len(lines) and not re.search(r"\S(?:\r\n|\n){2,}\S", sample)
