"""Question sets and runs are the same after a stay in the workspace."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import (
    COST,
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Made,
    Question,
    QuestionPart,
    QuestionSet,
    leaderboard,
    metric_of,
    per_question,
)

QUESTIONS = QuestionSet(
    "sample",
    (
        Question("q1", "How long?", (AnswerSpan("a", 3, 9, "1.8 s…"),), Made.HEADING, QuestionPart.HOLDOUT, "en"),
        Question("q2", "蓝色指示灯?", (AnswerSpan("b", 0, 2, "指示"), AnswerSpan("b", 5, 6, "灯"))),
    ),
)


def test_question_set_round_trip() -> None:
    """Nothing is lost, Chinese included; the name and the parts are no part of the fingerprint, spans are."""
    again = QuestionSet.from_json(QUESTIONS.to_json())
    assert again == QUESTIONS
    assert QuestionSet("other", again.questions).fingerprint == QUESTIONS.fingerprint
    assert QUESTIONS.of(QuestionPart.HOLDOUT).questions == QUESTIONS.questions[:1]
    assert QUESTIONS.only(["q2"]).fingerprint != QUESTIONS.fingerprint


def test_run_round_trip() -> None:
    """With its configuration, and why a question failed."""
    why = Diagnosis(Cause.RANKED_BELOW, "Rank 9 of 40.", 9, {"vector": 9, "text": None}, ("a_chunk1",), "search.k=10")
    rows = (Answered("q1", (Found("a", 0, 9, 3, 0, 20),), 0.5, why, (4,)), Answered("q2", (), 0.0))
    config = Config.from_settings({"size": 300, "category.api.size": 400})
    run = EvaluationRun("k", "size 300", config, "sample", QUESTIONS.fingerprint, "d", rows, 5, 30, notes=("One.",))
    assert EvaluationRun.from_json(run.to_json()) == run


def test_a_run_from_before_context_tokens_opens() -> None:
    """Its other numbers are there, its context tokens are not known: no comparison takes it for the cheapest."""
    hits = (Found("d", 0, 4, 2, 0, 4),)
    run = EvaluationRun("k", "old", Config(), "sample", "q", "d", (Answered("q1", hits, 0.5, None, (7,)),), 5, 30)
    tree = json.loads(run.to_json())
    del tree["answered"][0]["context_tokens"]
    old = EvaluationRun.from_json(json.dumps(tree))
    questions = QuestionSet("sample", (Question("q1", "?", (AnswerSpan("d", 0, 4, "text"),)),))
    newer, older = leaderboard([old, replace(run, key="new")], questions)
    assert (newer.run.key, older.run.key) == ("new", "k")
    assert (newer.pareto, older.pareto) == (True, False)
    assert older.summary["recall"].mean == 1
    assert metric_of(COST).text(older.summary[COST].mean) == "–"
    assert [line.run.key for line in leaderboard([old, replace(run, key="new")], questions, metric=COST)] == ["new"]
    assert per_question(old, run, questions, metric=COST) == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "a", "questions": [{}]}', '{"name": 1, "questions": 3}'])
def test_damaged_json_is_reported(text: str) -> None:
    """One sentence of our own."""
    with pytest.raises(QuestionError):
        QuestionSet.from_json(text)
    with pytest.raises(QuestionError):
        EvaluationRun.from_json(text)
