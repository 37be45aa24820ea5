"""What the Tune page is made of: the grid, the words, the figures, and the spans of two runs."""

from __future__ import annotations

import doctest
from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chunking.config import Config
from chunking.evaluation import (
    COST,
    Difference,
    EvaluationRun,
    Found,
    Heat,
    Interval,
    LeaderboardRun,
    LiveEstimate,
    Measure,
    Sweep,
    metric_of,
)
from chunking.viewing.colours import COLOURS
from components.kit.viewer import result_bands
from components.tune import estimate_panel, leaderboard, plots
from components.tune import setting_words as spoken
from components.tune.leaderboard import LeaderboardRow, read_click
from components.tune.plots import front_figure, heat_figure
from components.tune.setting_words import difference_sentence, holdout_sentence
from components.tune.sweep import setting_grid as grid
from components.tune.sweep.setting_grid import (
    combinations,
    offered_values,
    proposed_values,
    value_fault,
    variable_settings,
)

RECALL = metric_of("recall")


@pytest.mark.parametrize("module", [grid, leaderboard, spoken], ids=lambda module: str(module.__name__))
def test_examples_in_docstrings(module: ModuleType) -> None:
    """They run, and say what comes."""
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_settings_that_differ_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not by every label again: with 240 estimates a picture took seven seconds, twice a second while they come."""
    sweep = Sweep("", "", grid={"size": ("80", "160"), "prefix": ("none", "title_path")})
    every = [
        LiveEstimate(one.settings, one.config, Measure(5), {"recall": 0.5}) for one in sweep.configs() if one.config
    ]
    calls = list[int]()

    def counted(configs: Iterable[Config]) -> tuple[str, ...]:
        calls.append(len(list(configs)))
        return ("size", "prefix")

    monkeypatch.setattr(estimate_panel, "varied_settings", counted)
    job: Any = None
    estimates = estimate_panel.Estimates(job, sweep, tuple(every))
    labels = {estimates.label(one) for one in every}
    assert len(labels) == len(every) == 4
    assert calls == [4]


class TestGrid:
    def test_every_proposal_can_be_set(self) -> None:
        """No chip that is offered is refused for itself."""
        for setting in variable_settings():
            values = offered_values(setting, (), Config())
            if setting.key in ("splitter", "embedding.model", "search.rerank_model"):
                continue
            assert not value_fault(
                setting.key, [one for one in values if (setting.key, one) != ("strategy", "custom")], Config()
            ), setting.key

    def test_values_that_were_typed_stand_in_their_order(self) -> None:
        """Numbers by size; what is chosen is always among what is offered."""
        size = next(one for one in variable_settings() if one.key == "size")
        assert offered_values(size, ("77", "9000"), Config()) == [
            "60",
            "77",
            "80",
            "100",
            "125",
            "150",
            "175",
            "200",
            "250",
            "350",
            "500",
            "9000",
        ]
        assert set(proposed_values(size, Config())) <= set(offered_values(size, (), Config()))
        assert "9000" in value_fault("size", ["9000"], Config())

    def test_the_number_of_combinations_is_the_product_of_the_values(self) -> None:
        """None where a setting has no value."""
        assert combinations({"size": ("1", "2"), "overlap": ("0", "10%", "20%")}) == 6
        assert combinations({"size": ()}) == combinations({}) == 0


def interval(mean: float, n: int = 50) -> Interval:
    """A mean that lies within 5 points."""
    return (
        Interval(mean, mean - 0.05, mean + 0.05, 0.2, n)
        if n > 1
        else Interval(mean, float("nan"), float("nan"), float("nan"), n)
    )


class TestSentences:
    def test_differences_in_words(self) -> None:
        """Shown either way round, not shown, none at all, one question, none."""
        base = Difference(0.05, 0.02, 0.08, 100, 0.01, 0.2, True, None, 30)
        assert difference_sentence(RECALL, base, "A", "B").startswith(
            "**A is better.** On these 100 questions A has +5.0 points of recall"
        )
        worse = replace(base, mean=-0.05, low=-0.08, high=-0.02)
        assert difference_sentence(RECALL, worse, "the one", "the other").startswith("**The other is better.**")
        assert "No realistic number" in difference_sentence(RECALL, replace(base, shown=False, low=-0.01), "A", "B")
        same = Difference(0.0, 0.0, 0.0, 100, 1.0, 0.0, False, None, 0)
        assert "**No difference.**" in difference_sentence(RECALL, same, "A", "B")
        one = Difference(1.0, float("nan"), float("nan"), 1, 1.0, float("nan"), False, None, 1)
        assert "one question" in difference_sentence(RECALL, one, "A", "B")
        assert "no question in common" in difference_sentence(RECALL, replace(one, n=0), "A", "B")

    def test_a_choice_that_does_not_hold_is_reported(self) -> None:
        """Within the interval it holds; below it, it fitted its own questions."""
        assert holdout_sentence(RECALL, interval(0.8), interval(0.78)).endswith("The choice holds.")
        assert holdout_sentence(RECALL, interval(0.8), interval(0.6)).endswith("expect the lower value.")
        assert "One question" in holdout_sentence(RECALL, interval(0.8), interval(1.0, 1))


def line(key: str, mean: float, tokens: float, *, tied: bool, front: bool) -> LeaderboardRun:
    """On the leaderboard."""
    run = EvaluationRun(key, "", Config(), "Mine", "q", "d", (), 5, 30)
    none = Difference(0.0, 0.0, 0.0, 50, 1.0, 0.0, False, None)
    summary = {"recall": interval(mean), COST: Interval(tokens, tokens, tokens, 0, 50)}
    return LeaderboardRun(run, summary, none, tied, False, 1, front, True)


class TestFigures:
    @pytest.mark.parametrize("dark", [False, True])
    def test_the_picked_run_is_reported_by_more_than_its_colour(self, dark: bool) -> None:
        """Size, words and a sign of its own; a name in a label is shown as text."""
        lines = [
            line("a", 0.9, 300, tied=True, front=True),
            line("b", 0.8, 100, tied=False, front=True),
            line("c", 0.7, 200, tied=False, front=False),
        ]
        labels = ["size 100", "<a href='x'>splitter</a>", "size 300"]
        figure = front_figure(lines, labels, RECALL, picked="b", against="c", names={"b": "Recommended"}, dark=dark)
        by_name = {trace.name: trace for trace in figure.data}
        assert list(by_name["Best at its cost"].x) == [100, 300]
        assert by_name["Selected"].marker.size > by_name["Tied with the best"].marker.size
        assert by_name["Selected"].marker.color == COLOURS["picked"].on(dark=dark)
        assert by_name["Compared with"].marker.symbol == "diamond"
        assert [row[0] for row in by_name["Selected"].customdata] == ["b"]
        assert "<a" not in figure.layout.annotations[0].text + by_name["Selected"].customdata[0][1]
        assert "Shown to be worse" not in by_name

    def test_cells_without_a_run_say_so(self) -> None:
        """And the picked one is framed."""
        z, runs = np.array([[0.5, np.nan], [0.6, 0.7]]), np.array([[1, 0], [2, 1]])
        heat_map = Heat("size", "overlap", ("100", "200"), ("0", "20%"), z, runs, 40)
        figure = heat_figure(heat_map, RECALL, mark=("200", "20%"), dark=False)
        assert tuple(figure.data[0].text[0]) == ("50.0", "not<br>run")
        assert tuple(figure.data[0].customdata[1]) == ("mean of 2 runs", "1 run")
        assert len(figure.layout.shapes) == 1
        assert not heat_figure(heat_map, RECALL, mark=("300", "0"), dark=False).layout.shapes

    def test_no_heavy_import_before_a_figure_is_drawn(self) -> None:
        """plotly is imported by the functions that draw."""
        assert "plotly" not in vars(plots)


class TestSpans:
    def test_results_become_bands_by_place_with_their_ranks(self) -> None:
        """One inside of another is left to it, so that ends ascend."""
        heat_map = [
            Found("d", 500, 600, 20, 500, 600),
            Found("d", 100, 300, 40, 100, 300),
            Found("d", 120, 180, 10, 120, 180),
        ]
        bands = result_bands(list(enumerate(heat_map, start=1)), labelled=True)
        assert bands.starts.tolist() == [100, 500]
        assert list(bands.labels) == ["#2", "#1"]
        assert len(result_bands([], labelled=True)) == 0


class TestLeaderboard:
    def test_a_row_is_heard_as_it_is_seen(self) -> None:
        """Value, range, tokens and tags, for people who do not see the bar."""
        row = LeaderboardRow(
            "k",
            "1",
            "Size 100",
            [("Size", "100")],
            0.9,
            0.8,
            1.0,
            "90.0 %",
            "80–100",
            "420",
            [("best", "best", "…")],
            tied=True,
        )
        assert row.data()["said"] == "Size 100: 90.0 %, 80–100; 420 context tokens; best"

    @pytest.mark.parametrize("said", [None, {}, 3, {"kind": "other", "key": "k"}])
    def test_an_invalid_click_is_ignored(self, said: object) -> None:
        """Whatever the browser sends."""
        assert read_click(said) is None
