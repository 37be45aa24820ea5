"""Cut and trim against a naive reading: which hits stay, and which run of sentences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.ranking.cutoff import decide

SCORE = st.integers(0, 64).map(lambda n: n / 64)
HITS = st.lists(st.tuples(st.integers(0, 3), st.lists(SCORE, min_size=1, max_size=6)), min_size=1, max_size=8)
SHARE = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(HITS, SHARE, SHARE)
def test_it_equals_a_naive_reading(hits: list[tuple[int, list[float]]], cut: float, trim: float) -> None:
    """Of every question the best hit stays, and of every hit its best sentence."""
    starts = np.cumsum([0, *(len(some) for _, some in hits)])
    scores = np.array([score for _, some in hits for score in some], np.float32)
    cutoff = decide(scores, starts, np.array([question for question, _ in hits]), cut=cut, trim=trim)
    peaks = {question: max(max(some) for other, some in hits if other == question) for question, _ in hits}
    for row, (question, some) in enumerate(hits):
        best = some.index(max(some))
        first, after = best, best + 1
        while first and some[first - 1] >= trim * some[best]:
            first -= 1
        while after < len(some) and some[after] >= trim * some[best]:
            after += 1
        assert cutoff.enough[row] == (some[best] >= cut * peaks[question])
        assert cutoff.best[row] == starts[row] + best
        assert (cutoff.first[row], cutoff.after[row]) == (starts[row] + first, starts[row] + after)


def test_nothing_is_decided_about_no_hits() -> None:
    """A search without results."""
    cutoff = decide(np.zeros(0, np.float32), np.zeros(1, np.int64), np.zeros(0, np.int64), cut=0.5, trim=0.5)
    assert not len(cutoff.enough)
