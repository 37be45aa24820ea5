"""A sweep in one call, and runs and sweeps as tables."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from chunking.config import BASELINE, Config, baseline_of
from chunking.errors import ConfigError, QuestionError
from chunking.evaluation import METRICS, SweepResult, Trials, evaluate, leaderboard, sweep_report
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.sweep.sweep_result import standing, sweep
from chunking.store import Workspace
from tests.support.plants import WORDS, questions_of
from tests.support.store_rows import FakeEmbedder


@pytest.fixture
def result(workspace: Workspace, trials: Trials) -> SweepResult:
    return sweep(
        workspace,
        questions_of(workspace),
        {"size": [64, 90]},
        tries=[{"overlap": "10"}],
        base=WORDS,
        name="sizes",
        baseline=False,
        trials=trials,
    )


def test_it_is_planned_run_and_ranked(workspace: Workspace, result: SweepResult) -> None:
    """The recommended configuration comes first; runs are told apart by what differs."""
    assert (len(result.lines), result.questions) == (3, 8)
    assert {line.run.config.chunk.size for line in result.lines} == {64, 90}
    assert [line.place for line in result.lines] == [1, 2, 3]
    assert result.recommended == result.lines[0].run.config
    assert standing(result.lines[0]) == "recommended"
    assert len({line.run.label for line in result.lines}) == 3
    assert sweep_report(workspace, "sizes") == result.report
    assert [line.run.key for line in result.lines] == [
        line.run.key for line in leaderboard([line.run for line in result.lines], questions_of(workspace))
    ]


def test_the_baseline_is_measured_beside_the_grid(workspace: Workspace, trials: Trials) -> None:
    """On the base's model and under its own name, once; the leads of the others are over it."""
    base = Config.from_settings({"category.api.size": "70"}, WORDS)
    result = sweep(workspace, questions_of(workspace), {"size": [64]}, base=base, trials=trials)
    (usual,) = [line for line in result.lines if line.is_baseline]
    (other,) = [line for line in result.lines if not line.is_baseline]
    assert usual.run.config == baseline_of(base)
    assert usual.run.config.categories == ()
    assert "baseline" in usual.run.label
    assert (usual.lead and usual.lead.mean, other.lead is not None) == (0.0, True)
    again = sweep(workspace, questions_of(workspace), tries=[dict(BASELINE)], base=base, trials=trials)
    assert len(again.sweep.configs()) == 2  # with what the base's categories change, it is another
    assert again.sweep.config_of(again.sweep.configs()[-1].settings) == baseline_of(base)


def test_a_second_time_everything_is_looked_up(workspace: Workspace, result: SweepResult) -> None:
    """The same leaderboard, and nothing embedded."""
    embedder = FakeEmbedder()
    with Trials(workspace, embedder=embedder) as later:
        again = sweep(
            workspace,
            questions_of(workspace),
            {"size": ["64", "90"]},
            tries=[{"overlap": 10}],
            base=WORDS,
            baseline=False,
            trials=later,
        )
    assert (again.lines, again.report.known, embedder.texts_encoded) == (result.lines, 3, 0)


def test_an_invalid_sweep_is_refused(workspace: Workspace, trials: Trials) -> None:
    """No configuration, an unknown metric, a setting given under two names."""
    questions = questions_of(workspace)
    with pytest.raises(QuestionError):
        sweep(workspace, questions, trials=trials)
    with pytest.raises(QuestionError, match="recal"):
        sweep(workspace, questions, {"size": [64]}, metric="recal", trials=trials)
    with pytest.raises(ConfigError):
        sweep(workspace, questions, {"granularities": ["none"], "larger_sizes": ["2"]}, trials=trials)


def test_where_every_configuration_fails(workspace: Workspace, trials: Trials) -> None:
    """They are listed with their reasons, and nothing is recommended."""
    failed = sweep(workspace, questions_of(workspace), {"min_size": [900]}, base=WORDS, baseline=False, trials=trials)
    assert (failed.lines, len(failed.report.failed)) == ((), 1)
    with pytest.raises(QuestionError):
        failed.recommended  # noqa: B018
    assert "1" in repr(failed)
    assert len(failed.to_pandas()) == 0


def test_a_table_of_configurations(result: SweepResult) -> None:
    """What differs among them, every metric with its interval, and how each stands."""
    table = result.to_pandas()
    assert list(table["place"]) == [1, 2, 3]
    assert set(table["size"]) == {"64", "90"}
    assert list(table["recall"]) == [line.summary["recall"].mean for line in result.lines]
    assert (table["recall_low"] <= table["recall"]).all()
    assert list(table["standing"]) == [standing(line) for line in result.lines]
    assert {metric.name for metric in METRICS} <= set(table.columns)


def test_a_table_of_questions(workspace: Workspace, trials: Trials) -> None:
    """Of a run alone, and with the questions their texts and metrics; what was not asked has no row."""
    questions = questions_of(workspace)
    run = evaluate(workspace, questions, WORDS, trials=trials)
    alone, table = run.to_pandas(), run.to_pandas(questions)
    assert list(alone["question_id"]) == list(table["question_id"]) == [one.id for one in questions.questions]
    assert list(alone["failed"]) == [one.diagnosis is not None for one in run.answered]
    assert list(table["question"]) == [one.text for one in questions.questions]
    assert list(table["recall"]) == list(score_run(run, questions, Measure(run.n)).recall)
    assert list(run.to_pandas(questions, Measure(1))["recall"]) == list(score_run(run, questions, Measure(1)).recall)
    assert len(run.to_pandas(questions.only(["north-pump"]))) == 1
    open_question = replace(questions.questions[0], answers=(), unanswerable=True)
    unscored = run.to_pandas(replace(questions, questions=(open_question, *questions.questions[1:])))
    assert math.isnan(unscored["recall"][0])
    assert list(replace(run, answered=()).to_pandas(questions).columns) == list(table.columns)


def test_a_run_and_a_sweep_in_a_shell(result: SweepResult) -> None:
    """A line of what failed; a line a configuration, and the verdict."""
    run = result.lines[0].run
    assert "\n" not in repr(run)
    assert "8" in repr(run)
    assert len(repr(run)) < 300
    lines = repr(result).splitlines()
    assert len(lines) == 5
    assert all(line.run.label in text for line, text in zip(result.lines, lines[1:4], strict=True))
