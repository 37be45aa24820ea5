"""Queries without answers, from a file or a search history: normalised, each once, and bounded."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from chunking.errors import ParseError, QuestionError
from chunking.evaluation.questions.files.question_rows import MOST_BYTES, field_of, unguarded
from chunking.evaluation.questions.set_editing import MOST_QUESTION
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.delimited import DELIMITERS, read_rows

__all__ = ["MOST_LINES", "MOST_QUERIES", "LoggedQuery", "Queries", "distinct_queries", "query_key", "read_queries"]

MOST_QUERIES = 2_000
"""Of a queue: who labels one a minute works on so many for a week."""
MOST_LINES = 200_000
"""Of a file."""
_ENDS = " \t?？.。!！,，;；:：…"


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """Something that people search for."""

    text: str
    """As it was typed first, on one line."""
    times: int = 1
    """How often it was asked."""


@dataclass(frozen=True, slots=True)
class Queries:
    """Different queries: the most frequent first, equally frequent ones in the order in which they came."""

    queries: tuple[LoggedQuery, ...]
    notes: tuple[str, ...] = ()
    """Sentences: what was repeated, too long, or too much."""

    def __len__(self) -> int:
        return len(self.queries)


def query_key(text: str) -> str:
    """What is the same for queries that ask the same in the same words: width, case, white space and the marks at the
    end do not count.

    >>> query_key("  How long are\\tＢＡＣＫＵＰＳ kept ?") == query_key("how long are backups kept")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(_ENDS) or " ".join(text.split())


def distinct_queries(texts: Iterable[str], source: str) -> Queries:
    """Each query once, the most frequent first, at most `MOST_QUERIES`.

    Args:
        source: where they are from, for the sentences.
    """
    first: dict[str, str] = {}
    times: dict[str, int] = {}
    count = long = 0
    for text in texts:
        line = " ".join(text.split())
        if not line:
            continue
        count += 1
        if len(line) > MOST_QUESTION:
            long += 1
            continue
        key = query_key(line)
        first.setdefault(key, line)
        times[key] = times.get(key, 0) + 1
    ordered = sorted(first, key=lambda key: -times[key])
    notes = []
    if repeats := count - long - len(first):
        notes.append(
            f"{repeats:,} of {count:,} queries repeat another except for case, spaces and end marks; each is asked "
            "once."
        )
    if long:
        notes.append(f"{long:,} queries are longer than {MOST_QUESTION:,} characters and were left out.")
    if len(ordered) > MOST_QUERIES:
        notes.append(
            f"{source} has {len(ordered):,} different queries; the {MOST_QUERIES:,} most frequent were taken. Label "
            "those first, then give the others in another file."
        )
    return Queries(tuple(LoggedQuery(first[key], times[key]) for key in ordered[:MOST_QUERIES]), tuple(notes))


def read_queries(data: bytes, name: str) -> Queries:
    """The queries of a file: CSV with a column `query` (or `question`), JSON lines with such a field, or a query a
    line.

    Raises:
        QuestionError: it is too large, no text, or holds no query.
    """
    if len(data) > MOST_BYTES:
        raise QuestionError(
            f"{name} has {len(data):,} bytes, more than {MOST_BYTES:,}; split it into smaller files.", where=name
        )
    try:
        decoded = decode(data, name)
    except ParseError as error:
        raise QuestionError(str(error), where=name) from error
    texts = _texts(decoded.text) if decoded.text.strip() else iter(())
    found = distinct_queries(_bounded(texts, name), name)
    if not found.queries:
        raise QuestionError(
            f"{name} has no query; write one on each line, or a CSV file with a column 'query'.", where=name
        )
    return Queries(found.queries, (*decoded.warnings, *found.notes))


def _bounded(texts: Iterator[str], name: str) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number == MOST_LINES:
            raise QuestionError(f"{name} has more than {MOST_LINES:,} lines; split it into smaller files.", where=name)
        yield text


def _texts(text: str) -> Iterator[str]:
    opening = text.lstrip()[:1]
    if opening in ("{", "["):
        records = list(_json_records(text))
        if records:
            yield from (str(value) for record in records if isinstance(value := _query_of(record), str))
            return
    for delimiter in dict.fromkeys((",", *DELIMITERS)):
        rows = read_rows(text, delimiter, 0)
        _, header = next(rows, (0, []))
        fields = [field_of(cell) for cell in header]
        if "question" in fields:
            at = fields.index("question")
            yield from (unguarded(cells[at]) for _, cells in rows if len(cells) > at)
            return
    yield from (
        unguarded(line.strip().removeprefix('"').removesuffix('"').replace('""', '"')) for line in text.split("\n")
    )


def _json_records(text: str) -> Iterator[Any]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        for line in text.split("\n"):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue
        return
    listed = tree.get("queries", tree.get("questions", [tree])) if isinstance(tree, dict) else tree
    yield from listed if isinstance(listed, list) else []


def _query_of(record: Any) -> Any:
    if isinstance(record, str):
        return record
    return (
        next((record[key] for key in record if field_of(key) == "question"), None) if isinstance(record, dict) else None
    )
