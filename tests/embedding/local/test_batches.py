"""Batches: every text once, bounded, and the same for the same set of texts."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding.local.transformer import plan_batches

TOKENS = st.lists(st.lists(st.integers(0, 3), max_size=40), max_size=60)


@given(TOKENS, st.integers(1, 200))
def test_each_text_is_in_one_batch(token_ids: list[list[int]], budget: int) -> None:
    """No text is lost or encoded twice."""
    assert sorted(i for batch in plan_batches(token_ids, budget) for i in batch) == list(range(len(token_ids)))


@given(TOKENS, st.integers(1, 200))
def test_padded_tokens_are_bounded(token_ids: list[list[int]], budget: int) -> None:
    """Only a text that is longer than the bound by itself exceeds it, and then it is alone."""
    for batch in plan_batches(token_ids, budget):
        assert len(batch) * max(len(token_ids[i]) for i in batch) <= budget or len(batch) == 1


@given(TOKENS, st.integers(1, 200), st.randoms(use_true_random=False))
def test_order_of_the_texts_does_not_matter(token_ids: list[list[int]], budget: int, chance: random.Random) -> None:
    """The batches hold the same texts in whatever order these came."""
    shuffled = list(token_ids)
    chance.shuffle(shuffled)
    batches, others = (
        [[rows[i] for i in batch] for batch in plan_batches(rows, budget)] for rows in (token_ids, shuffled)
    )
    assert batches == others
