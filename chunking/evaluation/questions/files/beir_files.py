"""Question files in BEIR format: queries, relevance judgements (qrels) and optionally documents.

queries.jsonl   _id, text
qrels/*.tsv     query-id, corpus-id, score; above 0 the document is relevant
corpus.jsonl    _id, title, text; a document of the workspace may be named by its `_id` instead
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.errors import QuestionError
from chunking.evaluation.questions.files.question_formats import normalised
from chunking.evaluation.questions.files.row_values import QuestionFileRow, Quote, short_text

__all__ = ["RecordTable", "beir_rows", "is_qrels"]

_SPLITS = ("test", "dev", "valid", "train")
"""Preferred qrels file, in this order; the paper reports `test`."""
_MOST_RELEVANT = 200
"""Most documents of a question."""


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Records of a file by normalised column name, with their line numbers."""

    name: str
    records: Sequence[tuple[int, Mapping[str, Any]]]

    @property
    def columns(self) -> Collection[str]:
        """Distinct column names of the first 100 records."""
        return dict.fromkeys(name for _, record in self.records[:100] for name in record)


def is_qrels(table: RecordTable) -> bool:
    """True if a file has the columns of relevance judgements: `query_id` and `corpus_id`."""
    return {"query_id", "corpus_id"} <= set(table.columns)


def beir_rows(tables: Sequence[RecordTable], name: str) -> tuple[Iterator[QuestionFileRow], tuple[str, ...]]:
    """Return a row for each query with a relevant document (score above 0), and notes on the files.

    Args:
        tables: at least one with judgements; of several, `test` is preferred.
        name: of the import, for sentences.
    Raises:
        QuestionError: no file holds the queries.
    """
    judged = sorted(filter(is_qrels, tables), key=_split)
    qrels = judged[0]
    relevant: dict[str, list[str]] = {}
    for _, record in qrels.records:
        if _score(record.get("score")) > 0:
            relevant.setdefault(short_text(record.get("query_id")), []).append(short_text(record.get("corpus_id")))
    others = [table for table in tables if not is_qrels(table)]
    queries = max(others, key=lambda table: sum(_id(record) in relevant for _, record in table.records), default=None)
    if queries is None or not any(_id(record) in relevant for _, record in queries.records):
        raise QuestionError(
            (
                f"{name} says which documents are relevant (query-id, corpus-id), but has no queries; give "
                f"queries.jsonl (_id, text) together with it, or both in a ZIP archive."
            ),
            where=name,
        )
    texts = {
        _id(record): str(record.get("text") or "")
        for table in others
        if table is not queries
        for _, record in table.records
    }
    notes = [f"The relevance judgements are those of {qrels.name}."] * (len(judged) > 1)
    return _rows(queries, relevant, texts), tuple(notes)


def _rows(
    queries: RecordTable, relevant: Mapping[str, Sequence[str]], texts: Mapping[str, str]
) -> Iterator[QuestionFileRow]:
    for line, record in queries.records:
        documents = relevant.get(_id(record))
        if documents:
            quotes = tuple(
                Quote(texts.get(one, ""), doc=one, entire=True) for one in dict.fromkeys(documents[:_MOST_RELEVANT])
            )
            yield QuestionFileRow(line, " ".join(str(record.get("text") or "").split()), quotes=quotes, id=_id(record))


def _id(record: Mapping[str, Any]) -> str:
    return short_text(record.get("_id", record.get("id")))


def _score(value: Any) -> float:
    """Return a relevance score; 0 if it is no number, 1 if it is missing."""
    try:
        return float(1 if value is None else value)
    except (TypeError, ValueError):
        return 0.0


def _split(table: RecordTable) -> int:
    name = normalised(table.name)
    return next((place for place, part in enumerate(_SPLITS) if part in name), len(_SPLITS))
