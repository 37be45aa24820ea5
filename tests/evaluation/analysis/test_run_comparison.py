"""Runs beside each other: places, ties, sentences, and what each setting does."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import (
    CAUSES,
    METRICS,
    Cause,
    Measure,
    OutcomeChange,
    QuestionSet,
    compare_runs,
    difference_in_words,
    heat,
    label,
    labels,
    leaderboard,
    pareto,
    per_question,
    sensitivity,
    varied,
    verdict,
)
from tests.evaluation.analysis.hard_runs import COUNT, HARD, QUESTIONS, RANDOM, run, similar
from tests.support.facts import tells


def test_the_best_of_clearly_different_runs() -> None:
    """Named, with the others by their means; what costs less is on the front of recall against tokens."""
    runs = [run(similar(-0.2), 50, size="100"), run(similar(0.2), 100, size="200"), run(similar(-0.4), 200, size="300")]
    lines = leaderboard(runs, QUESTIONS)
    assert [line.run.label for line in lines] == ["size 200", "size 100", "size 300"]
    assert [line.place for line in lines] == [1, 2, 3]
    assert [(line.tied, line.best, line.pareto, line.complete) for line in lines] == [
        (True, True, True, True),
        (False, False, True, True),
        (False, False, False, True),
    ]
    assert lines[1].difference.high < 0
    assert set(lines[0].summary) == {one.name for one in METRICS}
    assert lines[0].recommendation is not None
    assert lines[0].recommendation.decided
    sentence = verdict(lines, "recall")
    assert sentence.head.startswith("“size 200”")
    assert "It is the best of" in sentence.detail


def test_a_tie_is_no_recommendation() -> None:
    """A cheaper one that is not shown to be within the margin does not stand first; what would decide is said."""
    runs = [run(similar(0.02), 300, size="300"), run(similar(), 100, size="100"), run(similar(-0.5), 10, size="50")]
    best = max(
        runs,
        key=lambda one: float(
            np.mean([end - start for (_, start, end, *_), *_ in (row.results for row in one.answered)])
        ),
    )
    lines = leaderboard(runs, QUESTIONS)
    assert [line.run.label for line in lines] == ["size 300", "size 100", "size 50"]
    assert [line.tied for line in lines] == [True, True, False]
    assert [line.run for line in lines if line.best] == [best]
    assert [line.recommendation is not None for line in lines] == [True, False, False]
    sentence = verdict(lines, "recall")
    assert "would decide" in sentence.detail
    json.dumps([line.difference.as_record() for line in lines])
    json.dumps([line.recommendation.as_record() for line in lines if line.recommendation])


def test_a_wider_margin_takes_the_cheaper_one() -> None:
    """The same runs: with ten points of room the cheaper one is shown to be good enough, and the verdict says by how
    much.
    """
    runs = [run(similar(0.02), 300, size="300"), run(similar(), 100, size="100"), run(similar(-0.5), 10, size="50")]
    first, *_ = lines = leaderboard(runs, QUESTIONS, margin=10)
    assert first.run.label == "size 100"
    assert first.recommendation is not None
    assert (first.recommendation.decided, first.recommendation.margin) == (True, 0.1)
    assert 0 < first.shortfall <= 0.1
    sentence = verdict(lines, "recall", lambda line: line.run.label.upper())
    assert sentence.head.startswith("SIZE 100")
    assert "at most" in sentence.detail


def test_what_was_measured_on_a_sample_stands_below() -> None:
    """A sweep stops early what does badly; runs that failed have no line."""
    part, failed = run(similar(0.3)[:20], 10, size="100"), replace(run([], size="400"), error="It failed.")
    lines = leaderboard([part, failed, run(similar(), size="200"), run(similar(), size="300")], QUESTIONS)
    assert [line.complete for line in lines] == [True, True, False]
    assert lines[-1].run == part
    assert (lines[-1].difference.n, lines[-1].tied, lines[-1].best) == (20, False, False)
    assert lines[-1].summary["recall"].n == 20


def test_leaderboards_with_little_on_them() -> None:
    """None, one, and one question only: said, not computed."""
    one = QuestionSet("one", QUESTIONS.questions[:1])
    assert leaderboard([], QUESTIONS) == ()
    assert "no run" in verdict((), "recall").head
    assert "nothing to compare" in verdict(leaderboard([run(similar())], QUESTIONS), "recall").detail
    lines = leaderboard([run([1.0], size="200"), run([0.5], size="300")], one)
    assert [line.tied for line in lines] == [True, True]
    assert "One question" in verdict(lines, "recall").head
    with pytest.raises(QuestionError, match="There is no metric 'speed'"):
        leaderboard([], QUESTIONS, metric="speed")


def test_fewer_tokens_are_better() -> None:
    """A leaderboard by tokens has the least above."""
    lines = leaderboard([run(similar(), 300, size="300"), run(similar(), 100, size="100")], QUESTIONS, metric="tokens")
    assert [line.run.label for line in lines] == ["size 100", "size 300"]
    assert lines[0].best


def test_the_difference_of_two_runs_is_put_into_words() -> None:
    """Shown, not shown with what is needed, the same, and nothing in common."""
    good, usual = run(similar(0.2)), run(similar())
    sentence = difference_in_words(compare_runs(good, usual, QUESTIONS), "recall", "A", "B")
    assert sentence.startswith("The recall of A is ")
    assert " points higher than that of B (95 % confidence interval " in sentence
    assert " points lower than that of the second " in difference_in_words(
        compare_runs(usual, good, QUESTIONS), "recall"
    )
    noise = compare_runs(run(similar(0.01, 0.4)), run(similar(0, 0.4)), QUESTIONS)
    assert not noise.shown
    assert difference_in_words(noise, "recall").startswith("No significant difference in recall: ")
    assert "more questions are needed." in difference_in_words(noise, "recall")
    same = difference_in_words(compare_runs(good, good, QUESTIONS), "iou")
    assert tells(same, "no difference IoU 100")
    apart = compare_runs(run(similar()[:10]), run(similar()[:10], first=10), QUESTIONS)
    assert apart.n == 0
    assert tells(difference_in_words(apart, "recall"), "no question in common")
    single = compare_runs(run([1.0]), run([0.5]), QUESTIONS)
    assert tells(difference_in_words(single, "recall"), "one question statistics recall +50.0")


def test_question_by_question() -> None:
    """Only those that both have; what was gained and lost from the first to the second, and why each failed."""
    rows = per_question(run([1, 0.5, 0.5, 0.2]), run([0.5, 1, 0.5], first=0), QUESTIONS)
    assert [(row.question.id, row.change, round(row.amount, 2)) for row in rows] == [
        ("q0", OutcomeChange.WORSE, -0.5),
        ("q1", OutcomeChange.BETTER, 0.5),
        ("q2", OutcomeChange.SAME, 0.0),
    ]
    assert rows[0].causes == (None, Cause.RANKED_BELOW)
    assert rows[1].b.recall == 1
    cheaper = per_question(run([1], tokens=200), run([1], tokens=100), QUESTIONS, metric="tokens")
    assert cheaper[0].change is OutcomeChange.BETTER
    lost, gained = per_question(run([1, 0]), run([0, 1]), QUESTIONS)
    assert (lost.change, gained.change) == (OutcomeChange.LOST, OutcomeChange.GAINED)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_nothing_beats_a_run_on_the_pareto_front(points: list[tuple[float, float]]) -> None:
    """What is on it, nothing beats; what is not, something on it beats."""

    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] <= other[0] and one[1] >= other[1] and one != other

    front = [points[at] for at in pareto(points)]
    for at, point in enumerate(points):
        assert any(beats(one, point) for one in front) is (at not in pareto(points))


def test_a_heat_map_over_two_settings() -> None:
    """Numbers in their order, several runs of a cell as their mean, NaN where there is none; only questions that all
    have.
    """
    flat = np.full(COUNT, 0.5)
    runs = [
        run(flat, size="100", overlap="0"),
        run(flat + 0.2, size="1000", overlap="0"),
        run(flat + 0.4, size="1000", overlap="0", search__k="7"),
        run(flat[:50] + 0.1, size="200", overlap="10%"),
    ]
    heat_map = heat(runs, QUESTIONS, "size", "overlap")
    assert (heat_map.x, heat_map.y, heat_map.n) == (("100", "200", "1000"), ("0", "10%"), 50)
    assert heat_map.z[0].tolist() == [pytest.approx(0.5), pytest.approx(np.nan, nan_ok=True), pytest.approx(0.8)]
    assert heat_map.z[1, 1] == pytest.approx(0.6)
    assert heat_map.runs.tolist() == [[1, 0, 2], [0, 1, 0]]
    assert heat([], QUESTIONS, "size", "overlap").z.shape == (0, 0)


def test_how_much_hangs_on_each_setting() -> None:
    """Runs are compared where all other settings are equal: a setting without effect has no spread."""
    runs = [
        run(
            np.clip(HARD * 0.5 + (0.3 if size == "200" else 0) + RANDOM.normal(0, 0.02, COUNT), 0, 1),
            size=size,
            search__mode=mode,
        )
        for size in ("100", "200")
        for mode in ("text", "vector", "hybrid")
    ]
    rows = sensitivity(runs, QUESTIONS)
    assert [row.key for row in rows] == ["size", "search.mode"]
    size, mode = rows
    assert (size.best, size.worst, size.matched, size.n) == ("200", "100", True, 100)
    assert size.spread.shown
    assert size.spread.mean == pytest.approx(0.3, abs=0.02)
    assert list(size.values) == ["100", "200"]
    assert not mode.spread.shown
    assert sensitivity(runs[:1], QUESTIONS) == sensitivity([], QUESTIONS) == ()


def test_settings_that_never_vary_alone() -> None:
    """Then the spread is that of the runs as they are, and this is said."""
    rows = sensitivity([run(similar(), size="100", overlap="0"), run(similar(), size="200", overlap="10%")], QUESTIONS)
    assert [row.matched for row in rows] == [False, False]


def test_settings_that_differ() -> None:
    """In the order of the form, those of categories too; as labels that say what differs and no more."""
    runs = [
        run([1], size="200", search__k="7"),
        run([1], size="300", search__k="7"),
        run([1], size="300", category__api__size="90"),
    ]
    assert varied(runs) == ("size", "search.k", "category.api.size")
    assert labels([one.config for one in runs]) == [
        "size 200 · results 7 · api size none",
        "size 300 · results 7 · api size none",
        "size 300 · results 5 · api size 90",
    ]
    assert labels([Config(), Config()]) == ["default settings"] * 2
    assert label(Config.from_settings({"search.deduplicate": "false"})) == "deduplicate off"
    assert label(Config(), Config()) == "the same settings"
    assert len(label(Config.from_settings({"enrich.context_prompt": "word " * 90}))) < 80


def test_a_leaderboard_at_a_budget_ranks_by_that_measure() -> None:
    """The same runs at a budget: everything about them follows."""
    lines = leaderboard(
        [run(similar(), 100, size="100"), run(similar(), 400, size="400")], QUESTIONS, Measure.at_budget(100)
    )
    assert all(line.summary["tokens"].mean <= 100 for line in lines)
    assert lines[0].run.label == "size 100"


def test_every_cause_has_its_words() -> None:
    """In the order of the way from the file to the result."""
    assert set(CAUSES) == set(Cause)
    assert all(one.meaning.endswith(".") for one in CAUSES.values())
