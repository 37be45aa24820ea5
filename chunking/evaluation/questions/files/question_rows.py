"""The rows of a file of questions, CSV or JSON, whatever its columns are called.

    question,references,corpus_id                     Chroma's: references are a JSON list of content, start_index, end_index
    question,doc,answer                               a row an answer, or a JSON list of answers; start and end may stand beside
    {"id", "question", "language", "doc", "answers"}  JSON lines; answers are texts, or objects of text, start and end

What the bytes are decides, not the name of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.errors import ParseError, QuestionError
from chunking.evaluation.questions.judgements import Pool
from chunking.evaluation.questions.question import Made, Part
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.delimited import DELIMITERS, read_rows

__all__ = ["MOST_BYTES", "MOST_ROWS", "Quote", "Row", "Rows", "field_of", "read_file", "unguarded"]

MOST_BYTES = 64 * 1024 * 1024
MOST_ROWS = 20_000
"""Rows of a file; a set of that size says no more than one of a thousand."""

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "qid", "编号"),
    "question": ("question", "query", "question_text", "问题"),
    "language": ("language", "lang", "语言"),
    "doc": ("doc", "document", "source", "doc_id", "corpus_id", "file", "file_name", "file_path", "path", "文档", "文件"),
    "answer": ("answer", "answers", "answer_text", "references", "reference", "quote", "quotes", "excerpt", "答案", "回答"),
    "start": ("start", "start_index", "answer_start", "start_char_idx"),
    "end": ("end", "end_index", "answer_end", "end_char_idx"),
    "made": ("made",),
    "part": ("part",),
    "unanswerable": ("unanswerable", "no_answer"),
    "judged": ("judged",),
    "pool": ("pool",),
}
_BY_NAME = {name: field for field, names in _FIELDS.items() for name in names}
_TEXTS = ("text", "content", "quote", "answer")
_GUARD = re.compile(r"'(?='*[=+\-@\t\r])")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_LONGEST_WORD = 500
"""Characters of an id or a document's name."""
_OFFSET = re.compile(r"\d{1,15}")


@dataclass(frozen=True, slots=True)
class Quote:
    """An answer as the file gives it."""

    text: str = ""
    start: int | None = None
    end: int | None = None
    doc: str = ""
    """Where it differs from the row's."""


@dataclass(frozen=True, slots=True)
class Row:
    """A question as the file gives it, or a part of one."""

    line: int
    question: str = ""
    doc: str = ""
    quotes: tuple[Quote, ...] = ()
    id: str = ""
    language: str = "und"
    made: Made = Made.IMPORTED
    part: Part = Part.TUNE
    single: bool = False
    """It gives one answer, of which there may be more in other rows."""
    unanswerable: bool = False
    """It says that the documents hold no answer."""
    judged: tuple[tuple[Quote, bool], ...] = ()
    """Passages that were judged, and whether each is relevant."""
    pool: Pool | None = None
    error: str = ""
    """Why it cannot be read; the rest is empty then."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a file holds."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def read_file(data: bytes, name: str) -> Rows:
    """The rows of a file, in its order; those that cannot be read with the reason.

    Raises:
        QuestionError: it is too large, no text, of no form that is known, or holds nothing.
    """
    if len(data) > MOST_BYTES:
        raise QuestionError(f"{name} has {len(data):,} bytes, more than {MOST_BYTES:,}; split it into smaller files.", where=name)
    try:
        decoded = decode(data, name)
    except ParseError as error:
        raise QuestionError(str(error), where=name) from error
    text = decoded.text
    opening = text.lstrip()[:1]
    if not opening:
        raise QuestionError(f"{name} is empty; give a file of questions with their answers.", where=name)
    made = _json(text, name) if opening in "{[" else _csv(text, name)
    rows: list[Row] = []
    for row in made:
        if len(rows) == MOST_ROWS:
            raise QuestionError(f"{name} has more than {MOST_ROWS:,} rows; split it into smaller files.", where=name)
        rows.append(row)
    if not rows:
        raise QuestionError(f"{name} holds no question; write a row for each, with its document and its answer.", where=name)
    return Rows(tuple(rows), decoded.warnings)


def unguarded(cell: str) -> str:
    """A cell without the mark that keeps a spreadsheet from taking it for a formula.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if _GUARD.match(cell) else cell


def _csv(text: str, name: str) -> Iterator[Row]:
    start = 0
    declared = re.match(r"sep=(.)[ \t]*(?:\r\n?|\n)", text, re.IGNORECASE)
    if declared:
        start = declared.end()
    for delimiter in dict.fromkeys([*(declared[1] if declared else ""), ",", *DELIMITERS]):
        rows = read_rows(text, delimiter, start)
        _, header = next(rows, (0, []))
        fields = [field_of(cell) for cell in header]
        if "question" in fields and len(fields) > 1:
            yield from (_csv_row(line, fields, cells) for line, cells in rows)
            return
    raise QuestionError(
        f"{name} has no column 'question'; name the columns in its first line: question,doc,answer (or question,references,corpus_id).",
        where=name,
    )


def _csv_row(line: int, fields: Sequence[str], cells: Sequence[str]) -> Row:
    if len(cells) > len(fields):
        return Row(line, error=f"it has {len(cells)} cells where the first line names {len(fields)} columns; put quotes around commas")
    record: dict[str, Any] = {}
    for field, cell in zip(fields, map(unguarded, cells), strict=False):
        if field and cell.strip() and field not in record:
            record[field] = cell
    answer = record.get("answer", "")
    single = True
    if answer.lstrip()[:1] in ("[", "{") and "start" not in record:
        listed = _loaded(answer)
        if listed is not None and any(quote.text or quote.start is not None for quote in _quotes(listed)):
            record["answer"], single = listed, False  # else a text that begins with a bracket
    return _row(line, record, single=single)


def _json(text: str, name: str) -> Iterator[Row]:
    """Lines of objects; or one array, or one object with `questions`, over any number of lines."""
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    if not isinstance(_loaded(lines[first]), dict) or "questions" in _loaded(lines[first]):
        tree = _loaded(text)
        several = tree.get("questions") if isinstance(tree, dict) else tree
        if isinstance(tree, dict) and any(field_of(key) == "question" for key in tree):
            several = [tree]
        if isinstance(several, list):
            for number, record in enumerate(several, 1):
                yield _json_row(number, record, "it is no object with a question")
            return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _json_row(number, _loaded(line), "it is no JSON object; write one a line")


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_row(line: int, record: Any, fault: str) -> Row:
    if not isinstance(record, dict):
        return Row(line, error=fault)
    fields: dict[str, Any] = {}
    for key, value in record.items():
        field = field_of(key)
        if field and value is not None and field not in fields:
            fields[field] = value
    answer = fields.get("answer")
    return _row(line, fields, single=isinstance(answer, str))


def field_of(name: str) -> str:
    """What a column is; empty where it is nothing that is known."""
    return _BY_NAME.get(re.sub(r"[\s_-]+", "_", name.strip().strip("\ufeff").casefold()), "")


def _row(line: int, record: Mapping[str, Any], *, single: bool) -> Row:
    question, given = record.get("question", ""), record.get("answer", "")
    if not isinstance(question, str):
        return Row(line, error="its question is no text")
    quotes = [quote for quote in _quotes(given) if quote.text.strip() or quote.start is not None]
    start, end, language = _offset(record.get("start")), _offset(record.get("end")), _word(record.get("language"))
    if single and start is not None:
        text = quotes[0].text if quotes else ""
        quotes = [Quote(text, start, end if end is not None or not text else start + len(text))]
    return Row(
        line,
        " ".join(question.split()),
        _word(record.get("doc")),
        tuple(quotes),
        _word(record.get("id")),
        language if _LANGUAGE.fullmatch(language) else "und",
        _one_of(Made, record.get("made"), Made.IMPORTED),
        _one_of(Part, record.get("part"), Part.TUNE),
        single,
        not quotes and _yes(record.get("unanswerable")),
        tuple(_judged(record.get("judged"))),
        _pool(record.get("pool")),
    )


def _yes(given: Any) -> bool:
    return given is True or (isinstance(given, str) and given.strip().casefold() in ("true", "yes", "1", "是"))


def _judged(given: Any) -> Iterator[tuple[Quote, bool]]:
    """Of a list of objects with text, start, end and relevant; or of its JSON in a cell."""
    listed = _loaded(given) if isinstance(given, str) else given
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield from ((quote, _yes(one.get("relevant"))) for quote in _quotes(one) if quote.text.strip())


def _pool(given: Any) -> Pool | None:
    record = _loaded(given) if isinstance(given, str) else given
    try:
        return Pool.from_record(record) if isinstance(record, dict) else None
    except (KeyError, TypeError, ValueError):
        return None


def _quotes(given: Any) -> Iterator[Quote]:
    if isinstance(given, str):
        yield Quote(given)
    elif isinstance(given, list):
        for one in given:
            yield from _quotes(one)
    elif isinstance(given, dict):
        text = next((given[key] for key in _TEXTS if key in given), "")
        start = next((given[key] for key in _FIELDS["start"] if key in given), None)
        end = next((given[key] for key in _FIELDS["end"] if key in given), None)
        if isinstance(text, list):  # SQuAD's: lists side by side
            starts = start if isinstance(start, list) else [None] * len(text)
            for one, place in zip(text, starts, strict=False):
                yield from _quotes({"text": one, "start": place})
            return
        first, after = _offset(start), _offset(end)
        text = text if isinstance(text, str) else ""
        if first is not None and after is None and text:
            after = first + len(text)
        doc = next((_word(given[key]) for key in _FIELDS["doc"] if key in given), "")
        yield Quote(text, first, after, doc)


def _offset(value: Any) -> int | None:
    if isinstance(value, str) and _OFFSET.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _word(value: Any) -> str:
    """A short text or number as text."""
    if isinstance(value, str):
        return " ".join(value.split())[:_LONGEST_WORD]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15 else ""


def _one_of(kind: Any, value: Any, default: Any) -> Any:
    return kind(value) if isinstance(value, str) and value in list(kind) else default
