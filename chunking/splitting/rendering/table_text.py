"""Tables as sentences: subject, rows and columns, then each row as "column value" clauses.

A row alone means little to a model ("nginx | 80 | yes"); with the names of its columns it carries what a reader of the
table sees. The cells come from pipe rows, or from fields between delimiters (`TableCells`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields

from chunking.model import Block
from chunking.parsing.formats.delimited import split_row as split_fields
from chunking.parsing.formats.markup.markup_tables import ROW_READERS

__all__ = [
    "WORDINGS",
    "TableCells",
    "TableWording",
    "caption_of",
    "describe_rows",
    "describe_table",
    "forms_of",
    "placeholder",
    "split_row",
    "wording_of",
    "words_of",
]

_HAN, _KANA = re.compile("[\u3400-\u9fff]"), re.compile("[\u3041-\u30ff]")
_WORD = re.compile("[A-Za-z]{2,}")
_HAN_A_WORD = 2
"""Chinese characters that count as an English word."""
_SAMPLE = 2000
"""Characters of a table that determine its language."""
_CAPTION = 100

_OPENING = re.compile(r"[ \t>]*\|?")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")


@dataclass(frozen=True, slots=True)
class TableWording:
    """Templates of a language, filled with texts of the table; numbers are plain digits."""

    named: str
    nameless: str
    """Subject with and without a caption."""
    lists: str
    """Continuation with column names."""
    has: str
    """Continuation without column names."""
    all_rows: str
    some_rows: str
    one_row: str
    """Endings for all rows of the table, some, or a single one."""
    rows: tuple[str, str]
    columns: tuple[str, str]
    """Singular and plural."""
    comma: str
    stop: str
    placeholder: str
    placeholder_nameless: str


WORDINGS: dict[str, TableWording] = {
    "en": TableWording(
        named='The table "{caption}"',
        nameless="This table",
        lists=" lists {names}",
        has=" has {columns}",
        all_rows=" in {rows}.",
        some_rows=" in {rows}, here rows {first} to {last}.",
        one_row=" in {rows}, here row {first}.",
        rows=("{} row", "{} rows"),
        columns=("{} column", "{} columns"),
        comma=", ",
        stop=".",
        placeholder="[Table: {caption}, {rows}]",
        placeholder_nameless="[Table: {rows}]",
    ),
    "zh": TableWording(
        named="表格“{caption}”",
        nameless="此表格",
        lists="列出{names}",
        has="有{columns}",
        all_rows="，共{rows}。",
        some_rows="，共{rows}，以下是第{first}至{last}行。",
        one_row="，共{rows}，以下是第{first}行。",
        rows=("{}行", "{}行"),
        columns=("{}列", "{}列"),
        comma="，",
        stop="。",
        placeholder="[表格：{caption}，共{rows}]",
        placeholder_nameless="[表格：共{rows}]",
    ),
}


def wording_of(text: str, block: Block) -> TableWording:
    """Return the English or Chinese wording for a table.

    The language of its header decides, or Chinese if most of its beginning is.
    """
    header = text[block.start : int(block.meta.get("header_end", block.start))]
    sample = text[block.start : min(block.end, block.start + _SAMPLE)]
    chinese = not _KANA.search(sample) and (_is_chinese(header, 1) or _is_chinese(sample, _HAN_A_WORD))
    return WORDINGS["zh" if chinese else "en"]


def _is_chinese(text: str, characters_a_word: int) -> bool:
    return len(_HAN.findall(text)) >= max(characters_a_word * len(_WORD.findall(text)), 1)


def caption_of(block: Block, heading: str = "") -> str:
    """Return a block's caption, else the heading, cut to 100 characters; may be empty."""
    return " ".join(str(block.meta.get("caption") or heading).split())[:_CAPTION].rstrip()


def describe_table(table: TableCells, rows: range, wording: TableWording, *, caption: str = "") -> str:
    """Write the sentence above the rows: caption, column names, row count, which rows these are."""
    subject = wording.named.format(caption=caption) if caption else wording.nameless
    names = wording.comma.join(filter(None, table.columns))
    columns = (
        wording.lists.format(names=names) if names else wording.has.format(columns=_count(table.width, wording.columns))
    )
    total = len(table.starts)
    count = wording.all_rows if len(rows) == total else wording.some_rows if len(rows) > 1 else wording.one_row
    return subject + columns + count.format(rows=_count(total, wording.rows), first=rows.start + 1, last=rows.stop)


def describe_rows(table: TableCells, rows: Iterable[int], wording: TableWording) -> list[str]:
    """Write a sentence per row: each value after its column name; "" for an empty row."""
    return [_row(table, table.cells(row), wording) for row in rows]


def _row(table: TableCells, cells: Sequence[str], wording: TableWording) -> str:
    names = table.columns or [""] * table.width
    clauses = [f"{name} {cell}".strip() for name, cell in zip(names, cells, strict=False) if cell]
    beyond = [cell for cell in cells[table.width :] if cell]  # no comma between extra fields, as none is counted
    sentence = " ".join([wording.comma.join(clauses), *beyond]).strip()
    sentence = sentence.replace(":, ", ": ").replace("：，", "：")  # a label needs no comma before its value
    return sentence + wording.stop if sentence else ""


def words_of(wording: TableWording) -> tuple[str, ...]:
    """Return a description and a placeholder without a table's texts, to count their own words."""
    empty = dict.fromkeys(("caption", "names", "first", "last"), "")
    empty |= {"rows": wording.rows[1].format(""), "columns": wording.columns[1].format("")}
    return (wording.named + wording.has + wording.some_rows).format(**empty), wording.placeholder.format(**empty)


def forms_of(wording: TableWording) -> tuple[str, ...]:
    """Return every template of a language without its fields, to count all words."""
    fields = (getattr(wording, field.name) for field in dataclass_fields(wording))
    forms = [form for field in fields for form in ((field,) if isinstance(field, str) else field)]
    return tuple(re.sub(r"\{\w*\}", " ", form) for form in forms)


def _count(number: int, forms: tuple[str, str]) -> str:
    return forms[number != 1].format(number)


def placeholder(rows: int, caption: str, language: str) -> str:
    """Return the text that replaces a large table in the embedded text next to it.

    >>> placeholder(120, "Parameters", "en"), placeholder(30, "", "zh")
    ('[Table: Parameters, 120 rows]', '[表格：共30行]')
    """
    wording = WORDINGS["zh" if language.partition("-")[0] == "zh" else "en"]
    return (wording.placeholder if caption else wording.placeholder_nameless).format(
        caption=caption, rows=_count(rows, wording.rows)
    )


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
        """Return the end of a row, including its line end."""
        return self.starts[row + 1] if row + 1 < len(self.starts) else self._end

    def rows_in(self, start: int, end: int) -> range:
        """Return the rows that lie completely in [start, end), but for white space at their end."""
        first, after = bisect_left(self.starts, start), bisect_right(self.starts, end - 1)
        if after > first and self._text[end : self.end_of(after - 1)].strip():
            after -= 1
        return range(first, max(after, first))

    def cells(self, row: int) -> list[str]:
        """Return the cleaned cells of a row."""
        return [self._clean(cell) for cell in self._split(self._text[self.starts[row] : self.end_of(row)])]

    def _split(self, row: str) -> list[str]:
        return split_row(row, self._delimiter) if self._read_row is None else self._read_row(row, self._meta)

    def _columns(self) -> tuple[str, ...]:
        """Return the column names, joined from several header rows."""
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
