"""Cut and trim against a naive reading: which hits stay, and which run of sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.ranking.cutoff import (
    adds_evidence,
    comparable,
    enough,
    is_best,
    relative_scores,
    sentence_runs,
)

SCORE = st.integers(0, 64).map(lambda n: n / 64)
HITS = st.lists(st.lists(SCORE, min_size=1, max_size=6), min_size=1, max_size=8)
SHARE = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
NEIGHBOUR = 0.7


def smoothed(some: list[float]) -> list[float]:
    """Evidence of sentences, at least a share of that of those next to them."""
    return [
        max(own, NEIGHBOUR * max([0.0, *some[max(n - 1, 0) : n], *some[n + 1 : n + 2]])) for n, own in enumerate(some)
    ]


@given(HITS, SHARE, st.data())
def test_runs_equal_a_naive_reading(hits: list[list[float]], trim: float, data: st.DataObject) -> None:
    """Of every hit its best sentence stays, and those next to it while they or their neighbours have enough.

    Of a hit judged by words alone, neighbours of neighbours count, too.
    """
    starts = np.cumsum([0, *map(len, hits)])
    sparse = np.array([data.draw(st.booleans()) for _ in hits])
    scores = np.array([score for some in hits for score in some], np.float32)
    runs = sentence_runs(scores, starts, trim=trim, sparse=sparse)
    for row, some in enumerate(hits):
        smooth = smoothed(smoothed(some)) if sparse[row] else smoothed(some)
        best = some.index(max(some))
        first, after, least = best, best + 1, trim * some[best] - 1e-6
        while first and smooth[first - 1] >= least:
            first -= 1
        while after < len(some) and smooth[after] >= least:
            after += 1
        assert runs.best[row] == starts[row] + best
        assert (runs.first[row], runs.after[row]) == (starts[row] + first, starts[row] + after)


@given(st.lists(st.integers(-40, 40).map(float), min_size=1, max_size=20), SHARE)
def test_the_best_hit_always_stays(scores: list[float], cut: float) -> None:
    """Adding to all scores, or scaling them, changes nothing; equal scores all stay."""
    values = np.array(sorted(scores, reverse=True))
    stays = enough(relative_scores(values, values[-1], values[0]), cut)
    assert stays[0]
    assert stays.tolist() == sorted(stays.tolist(), reverse=True)
    moved = 4 * values + 8
    assert (enough(relative_scores(moved, moved[-1], moved[0]), cut) == stays).all()
    assert enough(relative_scores(np.ones(3), 1.0, 1.0), 1.0).all()


def test_words_alone_reach_two_sentences() -> None:
    """An answer without a word of the question often stands two sentences from them."""
    scores, starts = np.array([0.0, 0.0, 0.8, 0.0, 0.0, 0.0], np.float32), np.array([0, 6])
    runs = sentence_runs(scores, starts, trim=0.15, sparse=True)
    assert (runs.first.tolist(), runs.after.tolist()) == ([0], [5])
    runs = sentence_runs(scores, starts, trim=0.15)
    assert (runs.first.tolist(), runs.after.tolist()) == ([1], [4])


def test_a_neighbour_of_a_weak_hit_needs_more_evidence() -> None:
    """Both count; a neighbour that is no candidate comes along with none."""
    assert adds_evidence(1.0, 0.2)
    assert not adds_evidence(0.5, 0.2)
    assert not adds_evidence(1.0, 0.0)
    assert is_best(1.0)
    assert not is_best(0.99)


def test_nothing_is_decided_about_no_hits_or_among_few_candidates() -> None:
    """A search without results; and one with hardly more candidates than results."""
    assert not len(sentence_runs(np.zeros(0, np.float32), np.zeros(1, np.int64), trim=0.5).best)
    assert comparable(100, 8)
    assert not comparable(9, 8)
    assert relative_scores(np.array([2.0, 1.0]), 0.0, 2.0).tolist() == pytest.approx([1.0, 0.5])
