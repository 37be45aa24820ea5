"""Question sets with the results of each run, as JSON Lines and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from chunking.config import QuerySyntax
from chunking.evaluation import METRICS, Answered, EvaluationRun, Measure, Question, QuestionSet, score_run
from chunking.export.chunk_exports import CsvValue, csv_lines, json_lines

__all__ = ["RESULT_COLUMNS", "result_rows", "results_csv", "results_jsonl"]

RESULT_COLUMNS = (
    *("id", "question", "language", "made", "part", "source", "answers", "run", "label", "measured"),
    *(metric.name for metric in METRICS),
    *("cause", "why", "help", "retrieved"),
    "correctly_unanswered",
)
_DIGITS = 6


def result_rows(
    questions: QuestionSet, runs: Sequence[EvaluationRun], sources: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield a record per question: answers, and per run metrics, results and cause of a failure.

    Args:
        sources: document id to path in the workspace.
    """
    rows_by_run = [(run, _run_rows(run, questions, sources)) for run in runs]
    read = {} if questions.syntax is QuerySyntax.PLAIN else {"syntax": questions.syntax.value}
    for question in questions.questions:
        results = [
            {"run": run.key, "label": run.label} | rows[question.id] for run, rows in rows_by_run if question.id in rows
        ]
        yield _question(question, sources) | read | {"results": results}


def _question(question: Question, sources: Mapping[str, str]) -> dict[str, Any]:
    record = question.as_record()
    answers = [
        {"source": sources.get(one.doc_id, one.doc_id)} | row
        for one, row in zip(question.answers, record["answers"], strict=True)
    ]
    return record | {"answers": answers}


def _run_rows(run: EvaluationRun, questions: QuestionSet, sources: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    measure = Measure(run.n)
    scores = score_run(run, questions, measure)
    answered = {one.question_id: one for one in run.answered}
    nothing = {one.id for one in questions.questions if one.unanswerable and one.id in answered}
    unanswered = {
        name: {"measured": measure.label}
        | _result_record(answered[name], run.n, sources)
        | {"correctly_unanswered": answered[name].absent}
        for name in nothing
    }
    return unanswered | {
        name: {"measured": measure.label}
        | {
            name: None if value is None else round(value, _DIGITS)
            for name, value in scores.at(place).as_record().items()
        }
        | _result_record(answered[name], run.n, sources)
        for place, name in enumerate(scores.ids)
    }


def _result_record(one: Answered, n: int, sources: Mapping[str, str]) -> dict[str, Any]:
    why = one.diagnosis
    return {
        "retrieved": [[sources.get(hit.doc_id, hit.doc_id), hit.start, hit.end] for hit in one.results[:n]],
        "cause": why.cause.value if why else None,
        "why": why.sentence if why else None,
        "help": why.help or None if why else None,
    }


def results_jsonl(questions: QuestionSet, runs: Sequence[EvaluationRun], sources: Mapping[str, str]) -> Iterator[str]:
    """Yield a line of JSON per question, with its results in each run."""
    return json_lines(result_rows(questions, runs, sources))


def results_csv(questions: QuestionSet, runs: Sequence[EvaluationRun], sources: Mapping[str, str]) -> Iterator[str]:
    """Yield the CSV header and a row per question and run; without runs, a row per question."""
    columns = RESULT_COLUMNS if questions.syntax is QuerySyntax.PLAIN else (*RESULT_COLUMNS, "syntax")
    return csv_lines(columns, (row for one in result_rows(questions, runs, sources) for row in _flat(one)))


def _flat(row: Mapping[str, Any]) -> Iterable[dict[str, CsvValue]]:
    answers = row["answers"]
    same: dict[str, CsvValue] = {
        name: row[name] for name in ("id", "question", "language", "made", "part", "syntax") if name in row
    }
    same["source"] = "; ".join(dict.fromkeys(one["source"] for one in answers))
    same["answers"] = "\n".join(one["text"] for one in answers)
    for results in row["results"] or [{}]:
        spans = "; ".join(f"{doc} {start}-{end}" for doc, start, end in results.get("retrieved", ()))
        yield same | {name: value for name, value in results.items() if name != "retrieved"} | {"retrieved": spans}
