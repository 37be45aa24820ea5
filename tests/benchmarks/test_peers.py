"""Rebuilt methods: the fast cluster segmentation is that of the plain program, and chunks are spans of the text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers import PEERS, cluster_bounds
from tests.support.stand_in_model import stand_in_model

TEXT = "The pump stops at 40 degrees. A red light shows that its filter is full.\n\n" * 12 + "Ende. 水泵停止。"


def plain(vectors: np.ndarray, most: int) -> list[tuple[int, int]]:
    """The published program, written down with the whole matrix of likeness."""
    alike = vectors @ vectors.T
    count = len(vectors)
    alike = alike - (alike[np.triu_indices(count, k=1)].mean() if count > 1 else 0)
    np.fill_diagonal(alike, 0)
    best, starts = np.zeros(count), np.zeros(count, int)
    for last in range(count):
        for size in range(1, min(most, last + 1) + 1):
            first = last - size + 1
            joined = alike[first : last + 1, first : last + 1].sum() + (best[first - 1] if first else 0)
            if joined > best[last] + 1e-9:
                best[last], starts[last] = joined, first
    bounds, last = [], count - 1
    while last >= 0:
        bounds.insert(0, (int(starts[last]), last))
        last = starts[last] - 1
    return bounds


@given(st.integers(0, 24), st.integers(1, 6), st.integers(0, 10_000))
def test_clusters_are_those_of_the_plain_program(count: int, most: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(count, 8))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    assert cluster_bounds(vectors, most) == plain(vectors, most)


def test_pieces_that_are_alike_stay_together() -> None:
    """Two subjects of three pieces each."""
    subjects = np.repeat(np.eye(2), 3, axis=0)
    assert cluster_bounds(subjects, 4) == [(0, 2), (3, 5)]


@pytest.mark.parametrize("name", PEERS)
def test_chunks_are_spans_in_order_that_leave_no_word_out(name: str) -> None:
    with stand_in_model():
        spans = PEERS[name](TEXT)
    assert all(0 <= start < end <= len(TEXT) for start, end in spans)
    assert all(first[0] < second[0] and first[1] <= second[1] for first, second in pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    assert not "".join(letter for at, letter in enumerate(TEXT) if at not in covered).strip()
