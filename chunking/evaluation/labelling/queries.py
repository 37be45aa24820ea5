"""Queries to label, from a file or the search history, and their labels in a question set."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from chunking.errors import ParseError, QuestionError
from chunking.evaluation.questions.files.question_rows import MOST_BYTES, field_of, unguarded
from chunking.evaluation.questions.question import (
    AnswerSpan,
    Judged,
    Made,
    Pool,
    Question,
    QuestionSet,
    ordered_answers,
)
from chunking.evaluation.questions.set_editing import MOST_QUESTION, new_id
from chunking.model import Document
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.delimited import DELIMITERS, read_rows

__all__ = [
    "MOST_LINES",
    "MOST_QUERIES",
    "LoggedQuery",
    "Queries",
    "QueryLabel",
    "add_label",
    "answer_span",
    "distinct_queries",
    "judged_passage",
    "query_key",
    "question_of_query",
    "read_queries",
]

MOST_QUERIES = 2_000
"""Most queries of a queue: a week's work at one per minute."""
MOST_LINES = 200_000
"""Most lines of a file of queries."""
_ENDS = " \t?？.。!！,，;；:：…"


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A query from a file or the search history."""

    text: str
    """First spelling, on one line."""
    times: int = 1
    """Number of occurrences."""


@dataclass(frozen=True, slots=True)
class Queries:
    """Distinct queries, the most frequent first, then in order of appearance."""

    queries: tuple[LoggedQuery, ...]
    notes: tuple[str, ...] = ()
    """Sentences about repeated, too long or surplus queries."""

    def __len__(self) -> int:
        return len(self.queries)


def query_key(text: str) -> str:
    """Return a query's key, which ignores width, case, white space and final punctuation.

    >>> query_key("  How long are\\tＢＡＣＫＵＰＳ kept ?") == query_key("how long are backups kept")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(_ENDS) or " ".join(text.split())


def distinct_queries(texts: Iterable[str], source: str) -> Queries:
    """Count queries by `query_key`; return up to `MOST_QUERIES`, the most frequent first.

    Empty ones are ignored; those of more than 2,000 characters are left out, with a note.

    Args:
        source: name of the file or history, for the notes.
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
            f"{repeats:,} of {count:,} queries repeat another except for case, spaces and end marks; each is "
            f"asked once."
        )
    if long:
        notes.append(f"{long:,} queries are longer than {MOST_QUESTION:,} characters and were left out.")
    if len(ordered) > MOST_QUERIES:
        notes.append(
            f"{source} has {len(ordered):,} different queries; the {MOST_QUERIES:,} most frequent were "
            f"taken. Label those first, then give the others in another file."
        )
    return Queries(tuple(LoggedQuery(first[key], times[key]) for key in ordered[:MOST_QUERIES]), tuple(notes))


def read_queries(data: bytes, name: str) -> Queries:
    """Read queries from CSV (column `query` or `question`), JSON, or one per line; deduplicate.

    The content decides the format; the name is for messages only.

    Raises:
        QuestionError: it has more than 64 MiB or 200,000 lines, is not text, or holds no query.
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
    queries = distinct_queries(_bounded(texts, name), name)
    if not queries.queries:
        raise QuestionError(
            f"{name} has no query; write one on each line, or a CSV file with a column 'query'.", where=name
        )
    return Queries(queries.queries, (*decoded.warnings, *queries.notes))


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


@dataclass(frozen=True, slots=True)
class QueryLabel:
    """A person's judgement of a query."""

    answers: tuple[AnswerSpan, ...] = ()
    """Spans that answer the query."""
    judged: tuple[Judged, ...] = ()
    """Passages that were read; `relevant` is derived from the answers."""
    unanswerable: bool = False
    """True if the documents hold no answer."""
    pool: Pool | None = None


def answer_span(document: Document, start: int, end: int) -> AnswerSpan:
    """Return the answer between two offsets of a document, without surrounding white space.

    Raises:
        QuestionError: nothing else remains, or the span lies outside the document.
    """
    text = document.text[start:end] if 0 <= start < end <= len(document.text) else ""
    if not text.strip():
        raise QuestionError(
            "The marked text contains no words of the document; mark the sentence that answers the query.",
            where=document.source,
        )
    first = start + len(text) - len(text.lstrip())
    return AnswerSpan(document.doc_id, first, first + len(text.strip()), text.strip())


def judged_passage(document: Document, start: int, end: int, *, relevant: bool = False) -> Judged:
    """Return the passage between two offsets, without surrounding white space, as judged.

    Raises:
        QuestionError: it lies outside the document, or holds only white space.
    """
    span = answer_span(document, start, end)
    return Judged(span.doc_id, span.start, span.end, span.text, relevant)


def question_of_query(questions: QuestionSet, query: str) -> Question | None:
    """Return the question with the same text as a query (see `query_key`), or None."""
    key = query_key(query)
    return next((one for one in questions.questions if query_key(one.text) == key), None)


def add_label(questions: QuestionSet, query: str, label: QueryLabel, *, language: str = "und") -> QuestionSet:
    """Return the set with a label merged into the question of the same text, or into a new one.

    Answers and judged passages are added to the question's own; a judged passage then is relevant if it overlaps an
    answer, whatever the label says. An answer ends `unanswerable`.

    Raises:
        QuestionError: the query is empty or too long, the label is empty, or it says unanswerable although there is an
            answer.
    """
    line = " ".join(query.split())
    if not line:
        raise QuestionError("There is no query to label; search for something first.")
    if len(line) > MOST_QUESTION:
        raise QuestionError(
            f"The query has {len(line):,} characters; a question of a set has at most {MOST_QUESTION:,}."
        )
    if not (label.answers or label.judged or label.unanswerable):
        raise QuestionError(
            "Nothing is marked; mark an answer, mark a passage as not relevant, or say that nothing answers the query."
        )
    before = question_of_query(questions, line)
    if label.unanswerable and (label.answers or (before is not None and before.answers)):
        raise QuestionError(
            f"“{line[:60]}” has an answer in '{questions.name}'; delete that question first if nothing answers it."
        )
    if before is None:
        ids = {one.id for one in questions.questions}
        labelled = _merged(Question(new_id(line, label.answers, ids), line, (), Made.QUERY, language=language), label)
        return replace(questions, questions=(*questions.questions, labelled))
    after = _merged(before, label)
    return replace(questions, questions=tuple(after if one is before else one for one in questions.questions))


def _merged(question: Question, label: QueryLabel) -> Question:
    answers = ordered_answers([*question.answers, *label.answers])
    judged = {(one.doc_id, one.start, one.end): one for one in (*question.judged, *label.judged)}
    return replace(
        question,
        answers=answers,
        judged=tuple(replace(one, relevant=_holds(one, answers)) for _, one in sorted(judged.items())),
        unanswerable=not answers and (label.unanswerable or question.unanswerable),
        pool=label.pool or question.pool,
    )


def _holds(judged: Judged, answers: Iterable[AnswerSpan]) -> bool:
    """True if the passage overlaps an answer."""
    return any(one.doc_id == judged.doc_id and one.start < judged.end and judged.start < one.end for one in answers)
