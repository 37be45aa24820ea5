"""Statistics on data with known truth: chance is called chance, and real differences are detected."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest

from chunking.errors import QuestionError
from chunking.evaluation import METRICS, interval, paired
from chunking.evaluation.analysis.best_of_several import against_best, against_one
from chunking.evaluation.analysis.statistics import SHARE, Difference, differences, intervals, needed, t_quantile
from tests.support.facts import tells

SETS = 400


def recalls(random: np.random.Generator, questions: int, configurations: int) -> np.ndarray:
    """(questions, configurations) of recall as it is: mostly 0 or 1, and mostly the same for two configurations; none
    is better.
    """
    alike = (random.random((questions, 1)) < 0.7).astype(float)
    return np.where(
        random.random((questions, configurations)) < 0.3, random.random((questions, configurations)).round(1), alike
    )


def shown(draw: Callable[[np.random.Generator], np.ndarray], *, sets: int = SETS, seed: int = 2) -> float:
    """Share of simulated sets in which a difference is shown."""
    random = np.random.default_rng(seed)
    return (
        sum(
            one.shown
            for _ in range(sets // 20)
            for one in differences(np.stack([draw(random) for _ in range(20)], axis=1))
        )
        / sets
    )


@pytest.mark.parametrize("questions", [20, 117, 300])
@pytest.mark.parametrize("kind", ["recalls", "noise"])
def test_equal_configurations_are_called_different_by_chance_only(questions: int, kind: str) -> None:
    """A test at 5 %: at most 28 of 400 sets."""

    def draw(random: np.random.Generator) -> np.ndarray:
        if kind == "noise":
            return random.normal(0, 0.3, questions)
        pair = recalls(random, questions, 2)
        return pair[:, 0] - pair[:, 1]

    assert shown(draw) <= 28 / SETS


def test_a_true_difference_is_found() -> None:
    """5 points, 300 questions, a paired standard deviation of 30 points: in three of four sets, or more."""
    assert shown(lambda random: random.normal(0.05, 0.3, 300)) >= 0.75


@pytest.mark.parametrize(("mean", "std", "questions"), [(0.05, 0.3, 40), (0.03, 0.2, 100), (-0.1, 0.45, 30)])
def test_the_questions_needed_are_enough(mean: float, std: float, questions: int) -> None:
    """With so many more, a difference as large as the one seen is shown in about 8 of 10 sets; with those there are, in
    few.
    """
    more = needed(mean, std, questions)
    assert more is not None
    assert 0.7 <= shown(lambda random: random.normal(mean, std, questions + more), sets=200) <= 0.9
    assert shown(lambda random: random.normal(mean, std, questions), sets=200) < 0.5


@pytest.mark.parametrize(("questions", "sets"), [(10, 1000), (60, 1000)])
def test_an_interval_covers_the_truth(questions: int, sets: int) -> None:
    """In 95 of 100 sets, for few questions too."""
    values = np.random.default_rng(3).normal(0.4, 0.3, (questions, sets))
    covered = sum(one.low <= 0.4 <= one.high for one in intervals(values)) / sets
    assert 0.925 <= covered <= 0.975


def shares_decided(kind: str, mean: float, questions: int, sets: int) -> np.ndarray:
    """(questions, sets) of recall whose true mean is known: whole or nothing, or many ones with parts and some zeros
    below.
    """
    random = np.random.default_rng(round(1000 * mean) + questions)
    if kind == "whole":
        return (random.random((questions, sets)) < mean).astype(float)
    below = 2 * (1 - mean) if kind == "parts" else 4 * (1 - mean) / 3
    parts = random.random((questions, sets))
    if kind == "both":  # of those below 1, every second one is missed altogether
        parts = np.where(random.random((questions, sets)) < 0.5, 0.0, parts)
    return np.where(random.random((questions, sets)) < below, parts, 1.0)


@pytest.mark.parametrize("kind", ["whole", "parts", "both"])
@pytest.mark.parametrize("mean", [0.5, 0.8, 0.95, 0.99, 1.0])
@pytest.mark.parametrize("questions", [10, 30, 117])
def test_an_interval_covers_the_truth_at_the_edge(kind: str, mean: float, questions: int) -> None:
    """In 93 of 100 sets or more, of shares that are nearly all found, too."""
    values = shares_decided(kind, mean, questions, 400)
    covered = [one.low <= mean <= one.high for one in intervals(values, [SHARE] * 400, draws=1000)]
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize(
    ("hits", "questions", "low", "high"), [(117, 117, 0.969, 1.0), (0, 30, 0.0, 0.116), (9, 10, 0.555, 0.9975)]
)
def test_an_interval_of_a_proportion_is_the_exact_one(hits: int, questions: int, low: float, high: float) -> None:
    """That of Clopper and Pearson, up to the draws."""
    one = interval([1.0] * hits + [0.0] * (questions - hits), bounds=SHARE, draws=20_000)
    assert (one.low, one.high) == (pytest.approx(low, abs=0.005), pytest.approx(high, abs=0.005))


def test_what_comes_nowhere_near_its_bound_has_no_wide_interval() -> None:
    """An IoU of a few percent: one more question as good as the best seen, not one of 100 %."""
    values = np.random.default_rng(8).uniform(0, 0.1, 117)
    one, free = interval(values, bounds=METRICS[3].bounds), interval(values)
    assert METRICS[3].name == "iou"
    assert one.high - one.low < 1.2 * (free.high - free.low)
    assert interval(np.zeros(117), bounds=METRICS[3].bounds).high > 0.01


def test_an_interval_is_the_one_of_many_samples() -> None:
    """The standard error of a mean, times 1.96, of values that need no correction."""
    values = np.random.default_rng(0).normal(0.5, 0.2, 400)
    one = interval(values)
    assert (one.mean, one.std, one.n) == (pytest.approx(values.mean()), pytest.approx(values.std(ddof=1)), 400)
    assert one.high - one.low == pytest.approx(2 * 1.96 * 0.2 / 20, rel=0.1)
    assert interval(values) == one


def test_one_question_has_no_statistics() -> None:
    """Nothing is shown, nothing is pretended; JSON has null."""
    one, difference = interval([0.5]), paired([0.5], [0.25])
    assert (one.mean, one.n, one.known) == (0.5, 1, False)
    assert math.isnan(one.low)
    assert (difference.mean, difference.n, difference.shown, difference.needed, difference.p) == (
        0.25,
        1,
        False,
        None,
        1.0,
    )
    assert json.loads(json.dumps(one.as_record())) == {"mean": 0.5, "low": None, "high": None, "std": None, "n": 1}
    assert difference.as_record()["low"] is None
    assert interval([]).n == paired([], []).n == 0


def test_what_differs_on_few_questions_is_not_shown() -> None:
    """Five differences of one sign occur by chance in over 5 of 100 sets, whatever the ties; six do not."""
    for count, is_shown in ((4, False), (5, False), (6, True)):
        a = np.r_[np.ones(count), np.zeros(200 - count)]
        one = paired(a, np.zeros(200))
        assert (one.shown, one.differing) == (is_shown, count)
        assert (one.low > 0) is is_shown
        assert one.p == pytest.approx(2.0 ** (1 - count))
    assert paired([1.0] * 4, [0.0] * 4).needed == 2


def test_no_difference_at_all() -> None:
    """Of the same scores: no interval but 0, and no number of questions would show more."""
    values = np.linspace(0, 1, 30)
    assert paired(values, values) == Difference(0.0, 0.0, 0.0, 30, 1.0, 0.0, False, None, 0)
    assert needed(0.00001, 0.3, 100) is None


def test_pairs_are_equally_many() -> None:
    """Else there is no telling which belong together."""
    with pytest.raises(QuestionError, match="3 and 2 questions cannot be compared"):
        paired([1, 2, 3], [1, 2])


def test_a_difference_turned_round() -> None:
    """The first less the second."""
    random = np.random.default_rng(4)
    a, b = random.random(80), random.random(80) - 0.3
    one, other = paired(a, b), paired(b, a)
    assert one.shown
    assert one.mean > 0
    assert (one.mean, one.p, one.shown) == (-other.mean, other.p, other.shown)


@pytest.mark.parametrize("configurations", [2, 12])
def test_many_equal_configurations_have_no_winner(configurations: int) -> None:
    """The best run is chance: it stands alone in at most 5 of 100 sets, and others are seldom called worse."""
    random, alone, worse, sets = np.random.default_rng(5), 0, 0, 60
    for _ in range(sets):
        _, compared = against_best(recalls(random, 117, configurations), draws=500)
        alone += sum(one.shown for one in compared) == configurations - 1
        worse += sum(one.shown for one in compared)
    assert alone / sets <= 0.08
    assert worse / sets / configurations <= 0.05


def test_more_configurations_ask_for_more() -> None:
    """The same two are told apart by themselves, and not among twenty that are as good: the luckiest of many is further
    ahead.
    """
    random = np.random.default_rng(6)
    scores = recalls(random, 117, 21)
    scores[:, 0] = scores[:, 1:].mean(axis=1) - 0.062 + random.normal(0, 0.2, 117)
    best = 1 + int(scores[:, 1:].mean(axis=0).argmax())
    _, (one, _) = against_best(scores[:, [0, best]])
    at, many = against_best(scores)
    assert at == best
    assert one.mean == pytest.approx(many[0].mean)
    assert many[0].high > one.high
    assert many[0].high - many[0].low > one.high - one.low


def test_a_true_winner_is_named() -> None:
    """One that is 20 points better than the others, fewer tokens or not."""
    random = np.random.default_rng(7)
    scores = random.normal(0.5, 0.2, (200, 8))
    scores[:, 3] += 0.2
    at, compared = against_best(scores)
    assert at == 3
    assert [one.shown for one in compared] == [number != 3 for number in range(8)]
    assert all(one.high < 0 for number, one in enumerate(compared) if number != 3)
    lower, same = against_best(-scores, higher_is_better=False)
    assert lower == 3
    assert [one.shown for one in same] == [one.shown for one in compared]


def test_the_best_of_equals_is_rarely_declared_better() -> None:
    """Of equal ones hardly any is shown to be ahead of it, however many there are; what is truly ahead is, by as much
    as it is.
    """
    random = np.random.default_rng(11)
    ahead, sets = 0, 100
    for _ in range(sets):
        compared = against_one(recalls(random, 60, 12), 3, draws=500)
        assert (compared[3].mean, compared[3].shown) == (0.0, False)
        ahead += any(one.shown and one.low > 0 for one in compared)
    assert ahead / sets <= 0.06
    scores = recalls(random, 200, 12)
    scores[:, 5] = np.minimum(scores[:, 3] + random.integers(0, 2, 200) * 0.6, 1)
    scores[:, 6] = scores[:, 3] * 0.5
    compared = against_one(scores, 3)
    assert compared[5].low > 0
    assert compared[6].high < 0
    assert compared[5].mean == pytest.approx(scores[:, 5].mean() - scores[:, 3].mean())
    assert against_one(scores[:, [3, 5]], 0)[1].low >= compared[5].low


def test_quantiles_are_scipys() -> None:
    """Few and many degrees of freedom, odd and even, in the middle and far out."""
    from scipy.special import stdtrit

    for freedom in (*range(1, 12), 30, 99, 275, 4288, 100_000):
        for share in (0.01, 0.5, 0.6, 0.975, 0.999, 0.99995):
            assert t_quantile(freedom, share) == pytest.approx(float(stdtrit(freedom, share)), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("freedom", "share"), [(0, 0.9), (5, 0.0), (5, 1.0), (5, float("nan"))])
def test_what_has_no_quantile(freedom: int, share: float) -> None:
    """Both numbers are in the sentence."""
    with pytest.raises(ValueError, match="Student") as raised:
        t_quantile(freedom, share)
    assert tells(str(raised.value), f"{freedom} {share}")
