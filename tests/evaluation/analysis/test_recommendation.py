"""The recommended configuration: never one whose bound exceeds the margin, unless it is said to be undecided."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking.evaluation.analysis.recommendation import FEWEST, recommend

MARGIN = 0.02


def sweep(random: np.random.Generator, questions: int, means: np.ndarray) -> np.ndarray:
    """(questions, configurations) of recall with these true means: a hard question is hard for all, some are answered
    in part.
    """
    alike = random.random((questions, 1)) < 0.7
    ease = np.where(alike, random.random((questions, 1)), random.random((questions, len(means))))
    parts = np.minimum(0.1, 2 * (1 - means))
    missed = 1 - means - parts / 2
    inside = np.divide(ease - missed, parts, out=np.ones_like(ease), where=parts > 0)
    return np.where(ease < missed, 0.0, np.clip(inside, 0.0, 1.0))


def twenty() -> np.ndarray:
    """Twenty questions: 90 % for many tokens, 75 % for few."""
    return np.stack([np.r_[np.zeros(2), np.ones(18)], np.r_[np.zeros(5), np.ones(15)]], axis=1)


def test_few_questions_decide_nothing() -> None:
    """The best mean is named, not the cheaper one that is tied with it, and more questions would decide."""
    one = recommend(twenty(), np.array([300.0, 100.0]), MARGIN)
    assert (one.at, one.decided, one.questions, one.cheaper) == (0, False, 20, 1)
    assert one.needed is not None
    assert 30 < one.needed < 100
    assert one.shortfall > MARGIN


def test_the_questions_needed_are_about_enough() -> None:
    """With so many of the same kind it is decided in most sets; with half as many in none."""
    costs, random = np.array([300.0, 100.0]), np.random.default_rng(1)
    needed = recommend(twenty(), costs, MARGIN).needed
    assert needed is not None
    for questions, least, most in ((needed, 0.6, 1.0), (needed // 2, 0.0, 0.5)):
        sets = [recommend(twenty()[random.integers(0, 20, questions)], costs, MARGIN, draws=300) for _ in range(40)]
        assert least <= np.mean([one.decided for one in sets]) <= most


def test_however_far_ahead_few_questions_are_not_enough() -> None:
    """Below the fewest nothing is called decided; from there on it is."""
    for questions, decided in ((FEWEST - 1, False), (FEWEST, True)):
        scores = np.stack([np.ones(questions), np.zeros(questions)], axis=1)
        one = recommend(scores, np.array([2.0, 1.0]), MARGIN)
        assert (one.at, one.decided) == (0, decided)
        assert one.needed in (None, FEWEST)


def test_equal_scores_are_not_proof_of_equality() -> None:
    """Of 100 questions on which all agree nothing follows about a share below 3 % of them; of 1,000 it does."""
    costs = np.arange(4.0, 0.0, -1.0)
    few, many = (recommend(np.ones((questions, 4)), costs, MARGIN) for questions in (100, 1000))
    assert not few.decided
    assert few.shortfall == pytest.approx(-math.log(0.05 / 3) / 100, rel=0.1)
    assert (many.decided, many.at) == (True, 3)


@pytest.mark.parametrize("gap", [0.0, 0.021, 0.05, 0.15])
@pytest.mark.parametrize("questions", [40, 150, 400])
def test_a_decided_recommendation_is_seldom_wrong(gap: float, questions: int) -> None:
    """In at most 5 of 100 sets, with eleven cheaper ones that are all worse by the gap: at most 9 of 100."""
    random, means = np.random.default_rng(round(1000 * gap) + questions), np.r_[0.9, np.full(11, 0.9 - gap)]
    chosen = [
        recommend(sweep(random, questions, means), np.arange(12.0, 0.0, -1.0), MARGIN, draws=300) for _ in range(100)
    ]
    assert sum(one.decided and means[one.at] < 0.9 - MARGIN for one in chosen) <= 9


def test_what_many_questions_show_is_recommended() -> None:
    """A cheaper one that is as good is found; where all cheaper ones are far below, the best is."""
    random = np.random.default_rng(3)
    alike, far = (
        recommend(sweep(random, 2000, np.array([0.9, 0.9, low])), np.array([3.0, 2.0, 1.0]), MARGIN)
        for low in (0.7, 0.5)
    )
    assert (alike.at, alike.decided, far.at, far.cheaper) == (1, True, 1, 0)
    (only,) = {recommend(sweep(random, 400, np.array([0.9, 0.7, 0.6])), np.array([3.0, 2.0, 1.0]), MARGIN).at}
    assert only == 0


def test_one_question_or_one_configuration() -> None:
    """Nothing can be decided, and nothing is broken."""
    assert not recommend(np.ones((1, 3)), np.arange(3.0), MARGIN).decided
    alone = recommend(np.ones((50, 1)), np.ones(1), MARGIN)
    assert (alone.at, alone.decided, alone.compared, alone.needed) == (0, False, 1, None)
    assert recommend(np.zeros((50, 3)), np.arange(3.0), MARGIN).at == 0


@given(
    st.integers(2, 80), st.integers(2, 5), st.integers(0, 1000), st.sampled_from([0.0, 0.02, 0.1, 0.3]), st.booleans()
)
def test_laws_of_a_recommendation(questions: int, columns: int, seed: int, margin: float, higher: bool) -> None:
    """Decided: within the margin by its bound, and the cheapest that is. Undecided: the best mean, and none is within.
    Always the same.
    """
    random = np.random.default_rng(seed)
    scores = sweep(random, questions, random.uniform(0.3, 1.0, columns)) * (1 if higher else 500)
    room, costs = margin if higher else 500 * margin, random.permutation(columns).astype(float)
    means = scores.mean(axis=0) if higher else -scores.mean(axis=0)
    assume(len(np.unique(means)) == columns)
    one = recommend(scores, costs, room, higher_is_better=higher, draws=50)
    assert one == recommend(scores, costs, room, higher_is_better=higher, draws=50)
    bounds = np.array(one.shortfalls)
    eligible = np.flatnonzero(bounds <= room)
    assert one.decided == (questions >= FEWEST and len(eligible) > 0)
    if one.decided:
        assert one.at == eligible[costs[eligible].argmin()]
    else:
        assert one.at == means.argmax()
    assert (bounds >= means.max() - means - 1e-9).all()
    assert one.needed is None or one.needed > questions
