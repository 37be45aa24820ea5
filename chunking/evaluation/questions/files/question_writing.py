"""Question sets as files that `read_questions` can import: JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from typing import Any, Protocol

from chunking.config import QuerySyntax
from chunking.evaluation.questions.question import Question, QuestionSet

__all__ = ["guarded", "to_csv", "to_jsonl"]

_COLUMNS = ("id", "question", "language", "doc", "answer", "start", "end", "made", "part")
_MORE_COLUMNS = ("unanswerable", "judged", "pool")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


class NamedDocument(Protocol):
    """A document, or its row in a workspace."""

    @property
    def doc_id(self) -> str: ...

    @property
    def source(self) -> str: ...


def to_jsonl(questions: QuestionSet, documents: Iterable[NamedDocument]) -> str:
    """Return a JSON line per question: id, question, language, doc (its path), answers, made, part.

    An answer in another document than the first answer's has its own `doc`. A labelled question also has `judged`
    (passages with text, start, end, doc, relevant) and `pool` (depth, configurations, passages); an unanswerable one
    has `unanswerable`. Typed searches have `syntax`: operators.
    """
    paths = _paths(documents)
    read = {} if questions.syntax is QuerySyntax.PLAIN else {"syntax": questions.syntax.value}
    return "".join(json.dumps(_record(one, paths) | read, ensure_ascii=False) + "\n" for one in questions.questions)


def to_csv(questions: QuestionSet, documents: Iterable[NamedDocument]) -> str:
    """Return a CSV row per answer: id, question, language, doc, answer, start, end, made, part.

    An apostrophe guards cells that a spreadsheet would read as a formula; reading strips it. Labelled sets also have
    `unanswerable` and, in the first row of a question, `judged` and `pool` as JSON; typed searches also have `syntax`.
    """
    paths = _paths(documents)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    more = any(one.labelled or one.unanswerable for one in questions.questions)
    read = [] if questions.syntax is QuerySyntax.PLAIN else [questions.syntax.value]
    writer.writerow([*_COLUMNS, *(_MORE_COLUMNS if more else ()), *["syntax" for _ in read]])
    for one in questions.questions:
        for number, answer in enumerate(one.answers or (None,)):
            path = paths.get(answer.doc_id, answer.doc_id) if answer else ""
            cells = [one.id, one.text, one.language, path, answer.text if answer else ""]
            place = [answer.start, answer.end] if answer else ["", ""]
            labels = _label_cells(one, paths, first=number == 0) if more else []
            writer.writerow([*map(guarded, cells), *place, one.made.value, one.part.value, *labels, *read])
    return file.getvalue()


def _label_cells(question: Question, paths: dict[str, str], *, first: bool) -> list[str]:
    judged = json.dumps(_judged(question, paths), ensure_ascii=False) if first and question.judged else ""
    pool = json.dumps(question.pool.as_record()) if first and question.pool else ""
    return ["true" if question.unanswerable else "", judged, pool]


def _judged(question: Question, paths: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "text": one.text,
            "start": one.start,
            "end": one.end,
            "doc": paths.get(one.doc_id, one.doc_id),
            "relevant": one.relevant,
        }
        for one in question.judged
    ]


def guarded(cell: str) -> str:
    """Guard a cell with an apostrophe if a spreadsheet would read it as a formula.

    >>> guarded("=1+1"), guarded("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _paths(documents: Iterable[NamedDocument]) -> dict[str, str]:
    return {document.doc_id: document.source for document in documents}


def _record(question: Question, paths: dict[str, str]) -> dict[str, Any]:
    first = question.answers[0].doc_id if question.answers else ""
    answers: list[dict[str, Any]] = []
    for answer in question.answers:
        record: dict[str, Any] = {"text": answer.text, "start": answer.start, "end": answer.end}
        if answer.doc_id != first:
            record["doc"] = paths.get(answer.doc_id, answer.doc_id)
        answers.append(record)
    fields: dict[str, Any] = {
        "id": question.id,
        "question": question.text,
        "language": question.language,
        "doc": paths.get(first, first),
        "answers": answers,
        "made": question.made.value,
        "part": question.part.value,
    }
    if question.unanswerable:
        fields["unanswerable"] = True
    if question.judged:
        fields["judged"] = _judged(question, paths)
    if question.pool is not None:
        fields["pool"] = question.pool.as_record()
    return fields
