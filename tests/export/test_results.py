"""Questions with what each run found for them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from chunking.config import QuerySyntax
from chunking.errors import NotFoundError, QuestionError
from chunking.evaluation import METRICS, AnswerSpan, Measure, Question, QuestionPart, QuestionSet, score_run, split
from chunking.export import find_export, gather, question_set_of
from chunking.export.report import contents
from chunking.export.result_exports import RESULT_COLUMNS, results_csv, results_jsonl
from chunking.parsing import parse
from chunking.store import Workspace
from tests.support.stored_runs import EVIL, keys_of, questions_about, run_of


def written(workspace: Workspace, name: str, *keys: str) -> str:
    """An export as text."""
    sink = io.BytesIO()
    find_export(name).write(gather(workspace, run_keys=keys, wants_index=False), sink)
    return sink.getvalue().decode("utf-8-sig")


def test_a_line_a_question_with_every_run(measured: Workspace) -> None:
    """Answers with their source; metrics are those that the runs score; what was retrieved is in rank order."""
    material = gather(measured, wants_index=False)
    rows = [json.loads(line) for line in written(measured, "questions-jsonl").splitlines()]
    assert [row["id"] for row in rows] == [question.id for question in material.required_questions.questions]
    for run in material.runs:
        scores = score_run(run, material.required_questions, Measure(run.n))
        results = [next(one for one in row["results"] if one["run"] == run.key) for row in rows]
        for metric in METRICS:
            assert [one[metric.name] for one in results] == pytest.approx(list(scores.of_metric(metric.name)), abs=1e-6)
    sources = {row.doc_id: row.source for row in measured.documents()}
    assert all(one["source"] == sources[one["doc_id"]] for row in rows for one in row["answers"])
    failed = next(one for row in rows for one in row["results"] if one["cause"])
    assert (failed["cause"], failed["help"]) == ("ranked_below", "search.k=10")
    assert failed["retrieved"][0][0] in sources.values()


def test_the_table_has_a_row_a_question_and_run(measured: Workspace) -> None:
    """All columns in every row."""
    rows = list(csv.DictReader(io.StringIO(written(measured, "questions-csv"))))
    assert len(rows) == 80
    assert tuple(rows[0]) == RESULT_COLUMNS
    assert {row["label"] for row in rows} == {"size 48", "default settings"}


def test_questions_without_a_run(shelf: Workspace) -> None:
    """A set that nothing was measured on is exported as it is; without a set there is a sentence."""
    with pytest.raises(QuestionError, match="no questions to export"):
        written(shelf, "questions-jsonl")


def test_hostile_questions_are_text(measured: Workspace) -> None:
    """In a cell and in a line."""
    documents = [measured.document(row.doc_id) for row in measured.documents()]
    questions = questions_about(documents, 3, name="=cmd()", text=f"=HYPERLINK(1) {EVIL}\u2028")
    measured.question_sets.put({questions.name: questions.to_json()})
    run = run_of(questions, [0], key="e" * 16, label="+1", why="@SUM(1)")
    measured.runs.put({run.key: run.to_json()})
    rows = list(csv.DictReader(io.StringIO(written(measured, "questions-csv", "e" * 16))))
    assert [row["question"][:2] for row in rows] == ["'="] * 3
    assert {row["label"] for row in rows} == {"'+1"}
    assert len(written(measured, "questions-jsonl", "e" * 16).splitlines()) == 3


def test_runs_are_found_by_how_their_keys_begin(measured: Workspace) -> None:
    """One that is not there, or two that begin so, is a sentence with those there are."""
    keys = list(keys_of(measured).values())
    assert [run.key for run in gather(measured, run_keys=[keys[0][:9], keys[1], keys[0]]).runs] == keys
    with pytest.raises(NotFoundError, match=r"There is no run 'x'; the runs are"):
        gather(measured, run_keys=["x"])
    measured.runs.put({f"{keys[0][:9]}0": measured.runs.get(keys[0]) or ""})
    with pytest.raises(NotFoundError, match="Several runs start with"):
        gather(measured, run_keys=[keys[0][:9]])


def test_a_run_that_would_come_out_otherwise_now(measured: Workspace) -> None:
    """It is left out, unless it is named: then the report says so."""
    keys = keys_of(measured)
    assert len(gather(measured).runs) == 2
    measured.put_document(parse(b"# New\n\nText.", "new.md"))
    with pytest.raises(QuestionError, match=r"changed .*\b2 runs; evaluate again"):
        gather(measured)
    named = gather(measured, run_keys=[keys["size 48"]])
    assert [note for note in named.notes if "have changed since" in note and "“size 48”" in note]
    assert named.notes[0] in contents(named).notes


def test_the_questions_of_a_part(measured: Workspace) -> None:
    """A run over the holdout is reported on it; beside one over all of the set, on all of it; a set that changed is a
    sentence.
    """
    questions = split(gather(measured).required_questions, holdout=0.5)
    measured.question_sets.put({questions.name: questions.to_json()})
    part = questions.of(QuestionPart.HOLDOUT)
    assert 0 < len(part) < len(questions)
    over_part, over_all = run_of(part, [0], key="c" * 16, label="c"), run_of(questions, [0], key="d" * 16, label="d")
    assert question_set_of(measured, [over_part]) == part
    assert question_set_of(measured, [over_part, over_all]) == questions
    measured.question_sets.put({questions.name: questions.only(["q1"]).to_json()})
    with pytest.raises(QuestionError, match="evaluate again"):
        question_set_of(measured, [over_all])


def test_typed_searches_say_so() -> None:
    """In every row, so that the file can be read again as what it is; of plain language nothing is said."""
    question = Question("q", 'What is "it"?', (AnswerSpan("a", 0, 2, "It"),))
    for syntax, said in ((QuerySyntax.PLAIN, None), (QuerySyntax.OPERATORS, "operators")):
        questions_about = QuestionSet("set", (question,), syntax)
        (line,) = "".join(results_jsonl(questions_about, [], {"a": "a.md"})).splitlines()
        assert json.loads(line).get("syntax") == said
        (row,) = csv.DictReader(io.StringIO("".join(results_csv(questions_about, [], {"a": "a.md"}))))
        assert row.get("syntax") == said
