"""A question set with what each run found for it."""

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
    """A question with its answers and, for each run that asked it, its metrics, what was found, and why it was not
    answered whole.

    Args:
        sources: document id to path in the workspace.
    """
    told = [(run, _told(run, questions, sources)) for run in runs]
    read = {} if questions.syntax is QuerySyntax.PLAIN else {"syntax": questions.syntax.value}
    for question in questions.questions:
        found = [{"run": run.key, "label": run.label} | rows[question.id] for run, rows in told if question.id in rows]
        yield _question(question, sources) | read | {"results": found}


def _question(question: Question, sources: Mapping[str, str]) -> dict[str, Any]:
    record = question.as_record()
    answers = [
        {"source": sources.get(one.doc_id, one.doc_id)} | row
        for one, row in zip(question.answers, record["answers"], strict=True)
    ]
    return record | {"answers": answers}


def _told(run: EvaluationRun, questions: QuestionSet, sources: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    measure = Measure(run.n)
    scores = score_run(run, questions, measure)
    answered = {one.question_id: one for one in run.answered}
    nothing = {one.id for one in questions.questions if one.unanswerable and one.id in answered}
    unanswered = {
        name: {"measured": measure.label}
        | _found(answered[name], run.n, sources)
        | {"correctly_unanswered": answered[name].absent}
        for name in nothing
    }
    return unanswered | {
        name: {"measured": measure.label}
        | {
            name: None if value is None else round(value, _DIGITS)
            for name, value in scores.at(place).as_record().items()
        }
        | _found(answered[name], run.n, sources)
        for place, name in enumerate(scores.ids)
    }


def _found(one: Answered, n: int, sources: Mapping[str, str]) -> dict[str, Any]:
    why = one.diagnosis
    return {
        "retrieved": [[sources.get(found.doc_id, found.doc_id), found.start, found.end] for found in one.results[:n]],
        "cause": why.cause.value if why else None,
        "why": why.sentence if why else None,
        "help": why.help or None if why else None,
    }


def results_jsonl(questions: QuestionSet, runs: Sequence[EvaluationRun], sources: Mapping[str, str]) -> Iterator[str]:
    """A line of JSON a question."""
    return json_lines(result_rows(questions, runs, sources))


def results_csv(questions: QuestionSet, runs: Sequence[EvaluationRun], sources: Mapping[str, str]) -> Iterator[str]:
    """A row a question and run; a row a question where there are no runs."""
    columns = RESULT_COLUMNS if questions.syntax is QuerySyntax.PLAIN else (*RESULT_COLUMNS, "syntax")
    return csv_lines(columns, (row for one in result_rows(questions, runs, sources) for row in _flat(one)))


def _flat(row: Mapping[str, Any]) -> Iterable[dict[str, CsvValue]]:
    answers = row["answers"]
    same: dict[str, CsvValue] = {
        name: row[name] for name in ("id", "question", "language", "made", "part", "syntax") if name in row
    }
    same["source"] = "; ".join(dict.fromkeys(one["source"] for one in answers))
    same["answers"] = "\n".join(one["text"] for one in answers)
    for found in row["results"] or [{}]:
        spans = "; ".join(f"{doc} {start}-{end}" for doc, start, end in found.get("retrieved", ()))
        yield same | {name: value for name, value in found.items() if name != "retrieved"} | {"retrieved": spans}
