"""Rows and cells of a table in a text: pipe rows, or fields between delimiters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from chunking.model import Block
from chunking.parsing.formats.delimited import split_row as split_fields
from chunking.parsing.formats.markup.markup_tables import ROW_READERS

__all__ = ["TableCells", "split_row"]

_OPENING = re.compile(r"[ \t>]*\|?")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")


class TableCells:
    """A table block, read row by row on demand.

    Attributes:
        starts: offset of each row of its body.
        columns: names of its columns; empty without a header.
        width: number of its columns.
    """

    def __init__(self, text: str, block: Block, clean: Callable[[str], str]) -> None:
        """Read the header.

        Args:
            text: the document's.
            clean: removes the markup from a cell.
        """
        self._text, self._end, self._clean = text, block.end, clean
        self.starts: Sequence[int] = tuple(block.meta.get("row_starts", ()))
        self._delimiter = block.meta.get("delimiter")
        self._meta = block.meta
        self._read_row = ROW_READERS.get(str(block.meta.get("cells", "")))
        self.body = self.starts[0] if self.starts else block.end
        self._header = (block.start, int(block.meta.get("header_end", block.start)))
        self.columns = self._columns()
        self.width = len(self.columns) or int(block.meta.get("columns", 1))

    @property
    def has_spaces_between(self) -> bool:
        """True if white space separates its cells, which no tokenizer counts."""
        return self._meta.get("cells") == "simple" or (self._delimiter is not None and str(self._delimiter).isspace())

    @property
    def names_end(self) -> int:
        """End of the line with the column names, before the rule under it."""
        start, end = self._header
        lines = self._text[start:end].splitlines(keepends=True)
        return (
            start + len(lines[0])
            if self._delimiter is None and len(lines) > 1 and _RULE.fullmatch(lines[1].strip())
            else end
        )

    def end_of(self, row: int) -> int:
        """End of a row, with its line end."""
        return self.starts[row + 1] if row + 1 < len(self.starts) else self._end

    def rows_in(self, start: int, end: int) -> range:
        """The rows wholly in [start, end), white space at its ends aside."""
        first, after = bisect_left(self.starts, start), bisect_right(self.starts, end - 1)
        if after > first and self._text[end : self.end_of(after - 1)].strip():
            after -= 1
        return range(first, max(after, first))

    def cells(self, row: int) -> list[str]:
        """The cells of a row, cleaned."""
        return [self._clean(cell) for cell in self._split(self._text[self.starts[row] : self.end_of(row)])]

    def _split(self, row: str) -> list[str]:
        return split_row(row, self._delimiter) if self._read_row is None else self._read_row(row, self._meta)

    def _columns(self) -> tuple[str, ...]:
        """Names of the columns; names of several header rows are joined."""
        header = self._text[slice(*self._header)]
        if self._read_row is not None:
            return tuple(map(self._clean, self._read_row(header, self._meta)))
        quoted = self._delimiter is not None and '"' in header  # line ends may be inside a field
        lines = [header] if quoted else [line for line in header.splitlines() if not _RULE.fullmatch(line.strip())]
        names: dict[int, dict[str, None]] = {}
        for line in lines:
            for column, cell in enumerate(split_row(line, self._delimiter)):
                names.setdefault(column, {})[self._clean(cell)] = None
        return tuple(" ".join(filter(None, some)) for some in names.values())


def split_row(row: str, delimiter: str | None = None) -> list[str]:
    """Split a row into cells, without the white space and quotes around them.

    Args:
        delimiter: None: a pipe row.

    >>> split_row(r"| a | b \\| c |"), split_row('1,"a ""b"", c"', ",")
    (['a', 'b | c'], ['1', 'a "b", c'])
    """
    if delimiter is not None:
        return [" ".join(field.split()) for field in split_fields(row.rstrip("\r\n"), delimiter)]
    line = row.strip()
    opening = _OPENING.match(line)
    line = line[opening.end() :] if opening else line
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells
