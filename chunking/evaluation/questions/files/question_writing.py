"""Question sets as files that `read_questions` reads again: JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from typing import Any, Protocol

from chunking.evaluation.questions.question import Question, QuestionSet

__all__ = ["guarded", "to_csv", "to_jsonl"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


class Named(Protocol):
    """A document, or its row in a workspace."""

    @property
    def doc_id(self) -> str: ...

    @property
    def source(self) -> str: ...


def to_jsonl(questions: QuestionSet, documents: Iterable[Named]) -> str:
    """A line a question: id, question, language, doc (its path), answers (text, start, end), made, part.

    An answer that stands in another document than the first one has a `doc` of its own.
    """
    paths = _paths(documents)
    return "".join(json.dumps(_record(one, paths), ensure_ascii=False) + "\n" for one in questions.questions)


def to_csv(questions: QuestionSet, documents: Iterable[Named]) -> str:
    """A row an answer: id, question, language, doc, answer, start, end, made, part. Cells that a spreadsheet would take for a
    formula have an apostrophe before them, which reading takes away."""
    paths = _paths(documents)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(["id", "question", "language", "doc", "answer", "start", "end", "made", "part"])
    for one in questions.questions:
        for answer in one.answers:
            path = paths.get(answer.doc_id, answer.doc_id)
            cells = [one.id, one.text, one.language, path, answer.text]
            writer.writerow([*map(guarded, cells), answer.start, answer.end, one.made.value, one.part.value])
    return file.getvalue()


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> guarded("=1+1"), guarded("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _paths(documents: Iterable[Named]) -> dict[str, str]:
    return {document.doc_id: document.source for document in documents}


def _record(question: Question, paths: dict[str, str]) -> dict[str, Any]:
    first = question.answers[0].doc_id if question.answers else ""
    answers: list[dict[str, Any]] = []
    for answer in question.answers:
        record: dict[str, Any] = {"text": answer.text, "start": answer.start, "end": answer.end}
        if answer.doc_id != first:
            record["doc"] = paths.get(answer.doc_id, answer.doc_id)
        answers.append(record)
    return {
        "id": question.id,
        "question": question.text,
        "language": question.language,
        "doc": paths.get(first, first),
        "answers": answers,
        "made": question.made.value,
        "part": question.part.value,
    }
