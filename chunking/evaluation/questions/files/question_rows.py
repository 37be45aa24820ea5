"""Rows of a question file: CSV, JSON, JSON lines, Parquet, or BEIR, in any supported format.

    question,references,corpus_id                     Chroma's: references are a JSON list of content, start_index,
                                                      end_index
    question,doc,answer                               a row per answer, or a list of answers; start and end optional
    {"id", "question", "language", "doc", "answers"}  JSON lines; answers are texts, or objects of text, start and end
    RAGAS, SQuAD, BEIR, LegalBench-RAG                by their own columns: `question_formats`

The content decides how a file is read, not its name.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.config import QuerySyntax
from chunking.errors import ParseError, QuestionError
from chunking.evaluation.questions.files.beir_files import RecordTable, beir_rows, is_qrels
from chunking.evaluation.questions.files.question_formats import (
    QuestionFormat,
    field_of,
    form_of,
    missing_columns,
    normalised,
)
from chunking.evaluation.questions.files.row_values import (
    QuestionFileRow,
    Quote,
    flat_records,
    language_tag,
    listed,
    offset,
    one_of,
    pool,
    quotes,
    quotes_judged,
    read_cell,
    short_text,
    yes,
)
from chunking.evaluation.questions.question import Made, QuestionPart
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.delimited import DELIMITERS, read_rows

__all__ = [
    "MOST_BYTES",
    "MOST_ROWS",
    "QuestionFileRow",
    "QuestionFileRows",
    "Quote",
    "field_of",
    "read_file",
    "unguarded",
]

MOST_BYTES = 64 * 1024 * 1024
MOST_ROWS = 20_000
"""Most rows of a file; larger sets measure no more than a thousand questions do."""
_MOST_CORPUS = 500_000
"""Most rows of a file with documents or relevance judgements."""
_MOST_FILES = 50
"""Most files of an archive."""
_GUARD = re.compile(r"'(?='*[=+\-@\t\r])")
_COLUMNS_FROM = 1_000
"""Number of rows that are searched for column names."""
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"
_NO_TABLE = (".md", ".txt", ".py", "/")
"""Extensions of files in an archive that are ignored."""


@dataclass(frozen=True, slots=True)
class QuestionFileRows:
    """Rows of a question file, with notes."""

    rows: tuple[QuestionFileRow, ...]
    notes: tuple[str, ...] = ()
    syntax: QuerySyntax = QuerySyntax.PLAIN
    """Query syntax common to all rows; PLAIN if they differ."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A row of a file by normalised column name, or the error."""

    line: int
    columns: Mapping[str, Any]
    error: str = ""
    cells: bool = False
    """True for a table of texts, where a list is written as text."""


def read_file(data: bytes, name: str, other_files: Mapping[str, bytes] | None = None) -> QuestionFileRows:
    """Read the rows of a question file in order; an unreadable row carries its error.

    Args:
        other_files: other files that belong to it, by name: BEIR's judgements and documents.
    Raises:
        QuestionError: it has more than 64 MiB or 20,000 questions, is no text, empty, or of no known format.
    """
    files = {name: data, **(other_files or {})}
    for one, content in files.items():
        if len(content) > MOST_BYTES:
            raise QuestionError(
                f"{one} has {len(content):,} bytes, more than {MOST_BYTES:,}; split it into smaller files.", where=one
            )
    if data.startswith(_ZIP):
        files = {**_members(data, name), **(other_files or {})}
    if len(files) == 1:
        ((only, content),) = files.items()
        records, columns, notes = _records(content, only, MOST_ROWS)
        if not is_qrels(_table(only, records)):
            return _rows_of(only, records, columns, notes)
    tables = [_table(one, _records(content, one, _MOST_CORPUS)[0]) for one, content in files.items()]
    if not any(map(is_qrels, tables)):
        raise QuestionError(
            f"{name} holds several tables ({', '.join(files)[:200]}), and none says which documents are relevant for "
            "each query (BEIR's qrels: query-id, corpus-id, score); give one file of questions at a time.",
            where=name,
        )
    rows, notes = beir_rows(tables, name)
    return _bounded(rows, name, notes)


def unguarded(cell: str) -> str:
    """Strip the apostrophe that protects a cell from being read as a formula.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if _GUARD.match(cell) else cell


# -- bytes to records


def _members(data: bytes, name: str) -> dict[str, bytes]:
    """Read the tables of a ZIP archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [
                one
                for one in archive.infolist()
                if not one.filename.lower().endswith(_NO_TABLE) and "__MACOSX" not in one.filename
            ]
            if not members or len(members) > _MOST_FILES:
                raise QuestionError(
                    f"{name} is a ZIP archive of {len(members)} tables; give one with 1 to {_MOST_FILES}.", where=name
                )
            bytes_left, tables = MOST_BYTES, dict[str, bytes]()
            for one in members:
                with archive.open(one) as file:
                    tables[one.filename] = file.read(bytes_left + 1)
                bytes_left -= len(tables[one.filename])
                if bytes_left < 0:
                    raise QuestionError(
                        f"{name} unpacks to more than {MOST_BYTES:,} bytes; pack fewer files.", where=name
                    )
    except QuestionError:
        raise
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError) as error:
        raise QuestionError(
            f"{name} is a damaged ZIP archive, or one with a password; pack it again.", where=name
        ) from error
    return tables


def _records(data: bytes, name: str, most: int) -> tuple[list[_Record], list[str], tuple[str, ...]]:
    """Return (records, columns as written, notes) of a file."""
    try:
        if data.startswith(_PARQUET):
            from chunking.parsing.sandbox import read_parquet

            data = read_parquet(data, name, most_rows=most)
        decoded = decode(data, name)
    except ParseError as error:
        raise QuestionError(str(error), where=name) from error
    opening = decoded.text.lstrip()[:1]
    if not opening:
        raise QuestionError(f"{name} is empty; give a file with questions and their answers.", where=name)
    rows, columns = _json(decoded.text) if opening in "{[" else _csv(decoded.text, name)
    records: list[_Record] = []
    for record in rows:
        if len(records) == most:
            raise QuestionError(f"{name} has more than {most:,} rows; split it into smaller files.", where=name)
        records.append(record)
    columns = columns or list(dict.fromkeys(one for record in records[:_COLUMNS_FROM] for one in record.columns))
    return records, columns, decoded.warnings


def _table(name: str, records: Sequence[_Record]) -> RecordTable:
    return RecordTable(name, [(one.line, one.columns) for one in records if not one.error])


def _csv(text: str, name: str) -> tuple[Iterator[_Record], list[str]]:
    start = 0
    declared = re.match(r"sep=(.)[ \t]*(?:\r\n?|\n)", text, re.IGNORECASE)
    if declared:
        start = declared.end()
    headers: list[list[str]] = []
    for delimiter in dict.fromkeys([*(declared[1] if declared else ""), ",", *DELIMITERS]):
        rows = read_rows(text, delimiter, start)
        _, header = next(rows, (0, []))
        names = [normalised(cell) for cell in header]
        if len(names) > 1 and ("question" in map(field_of, header) or {"query_id", "corpus_id"} <= set(names)):
            return (_csv_record(line, names, cells) for line, cells in rows), header
        headers.append(header)
    raise QuestionError(missing_columns(name, sorted(headers, key=len)[-1]), where=name)


def _csv_record(line: int, names: Sequence[str], cells: Sequence[str]) -> _Record:
    if len(cells) > len(names):
        error = (
            f"it has {len(cells)} cells, but the first line names {len(names)} columns; put quotes around cells "
            f"with commas"
        )
        return _Record(line, {}, error)
    columns: dict[str, Any] = {}
    for one, cell in zip(names, map(unguarded, cells), strict=False):
        if one and cell.strip():
            columns.setdefault(one, cell)
    return _Record(line, columns, cells=True)


def _json(text: str) -> tuple[Iterator[_Record], list[str]]:
    """Parse JSON lines, one array, or one object with a list under a known key."""
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    opening = _loaded(lines[first])
    if not isinstance(opening, dict) or (
        listed(opening) is not None and not any(line.strip() for line in lines[first + 1 :])
    ):
        tree = _loaded(text)
        several = listed(tree)
        if isinstance(tree, dict) and any(field_of(key) == "question" for key in tree):
            several = [tree]
        if several is not None:
            return _numbered(several), []
    return (one for number, line in enumerate(lines, 1) if line.strip() for one in _line(number, line)), []


def _numbered(several: Sequence[Any]) -> Iterator[_Record]:
    flat = (one for record in several for one in flat_records(record))
    return (
        _json_record(number, record, "it is not an object with a question") for number, record in enumerate(flat, 1)
    )


def _line(number: int, line: str) -> Iterator[_Record]:
    for record in flat_records(_loaded(line)):
        yield _json_record(number, record, "it is not a JSON object; write one per line")


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_record(line: int, record: Any, fault: str) -> _Record:
    if not isinstance(record, dict):
        return _Record(line, {}, fault)
    columns: dict[str, Any] = {}
    for key, value in record.items():
        if value is not None:
            columns.setdefault(normalised(key), value)
    return _Record(line, columns)


# -- records to rows


def _rows_of(name: str, records: Sequence[_Record], columns: Sequence[str], notes: tuple[str, ...]) -> QuestionFileRows:
    """Convert the records of a file with questions and answers into rows."""
    names = {one for record in records[:_COLUMNS_FROM] for one in record.columns} | set(map(normalised, columns))
    form = form_of(names)
    fields = form.record(dict.fromkeys(names, ""))
    if names and not {"answer", "start", "judged", "unanswerable"} & set(fields):
        raise QuestionError(
            missing_columns(name, columns, "question" if "question" not in fields else "answer"), where=name
        )
    if names and "question" not in fields:
        raise QuestionError(missing_columns(name, columns), where=name)
    return _bounded((_row(record, form) for record in records), name, notes)


def _bounded(records: Iterator[QuestionFileRow], name: str, notes: tuple[str, ...]) -> QuestionFileRows:
    rows: list[QuestionFileRow] = []
    for row in records:
        if len(rows) == MOST_ROWS:
            raise QuestionError(f"{name} has more than {MOST_ROWS:,} rows; split it into smaller files.", where=name)
        rows.append(row)
    if not rows:
        raise QuestionError(
            f"{name} has no question; write a row for each, with its document and its answer.", where=name
        )
    syntaxes = {row.syntax or QuerySyntax.PLAIN for row in rows if not row.error}
    if len(syntaxes) > 1:
        notes = (
            *notes,
            (
                "Some rows are typed searches and some are not; all are read as plain language, with "
                "quotation marks as text."
            ),
        )
    return QuestionFileRows(tuple(rows), notes, syntaxes.pop() if len(syntaxes) == 1 else QuerySyntax.PLAIN)


def _row(record: _Record, form: QuestionFormat) -> QuestionFileRow:
    if record.error:
        return QuestionFileRow(record.line, error=record.error)
    fields = form.record({name: value for name, value in record.columns.items() if value not in ("", [], {})})
    question, answer = fields.get("question", ""), fields.get("answer", "")
    if not isinstance(question, str):
        return QuestionFileRow(record.line, error="its question is not text")
    single = isinstance(answer, str)
    if record.cells and single and "start" not in fields:
        cell = read_cell(answer)
        if cell is not None and (
            form.alternatives or any(quote.text or quote.start is not None for quote in quotes(cell))
        ):
            answer, single = cell, False  # else a text that begins with a bracket
    answers = [quote for quote in quotes(answer) if quote.text.strip() or quote.start is not None]
    start, end = offset(fields.get("start")), offset(fields.get("end"))
    if single and start is not None:
        text = answers[0].text if answers else ""
        answers = [Quote(text, start, end if end is not None or not text else start + len(text))]
    if form.alternatives:
        passage = fields.get("passage")
        answers = [
            Quote(one.text, one.start, one.end, one.doc, passage if isinstance(passage, str) else "")
            for one in answers[:1]
        ]
    return QuestionFileRow(
        record.line,
        " ".join(question.split()),
        short_text(fields.get("doc")),
        tuple(answers),
        short_text(fields.get("id")),
        language_tag(fields.get("language")),
        one_of(Made, fields.get("made"), Made.IMPORTED),
        one_of(QuestionPart, fields.get("part"), QuestionPart.TUNE),
        single,
        not answers and (yes(fields.get("unanswerable")) or form.alternatives),
        tuple(quotes_judged(fields.get("judged"))),
        pool(fields.get("pool")),
        one_of(QuerySyntax, fields.get("syntax"), None),
        short_text(fields.get("title")),
    )
