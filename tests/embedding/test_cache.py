"""Law 7: a (model, text) pair is embedded at most once in the life of a workspace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding import CachedEmbedder, Embedder, Role, VectorCache
from chunking.embedding.base import SLICE
from chunking.errors import Cancelled
from tests.embedding.counting import CountingEmbedder, MemoryCache, vector_of

ROLES: tuple[Role, ...] = ("query", "passage")
CALLS = st.lists(
    st.tuples(
        st.sampled_from(ROLES),
        st.lists(st.sampled_from(["", "a", "b", "A", "a ", "中文", "e\u0301", "é"]), max_size=12),
    ),
    max_size=8,
)


@given(CALLS)
def test_law_7_each_text_reaches_the_model_once(calls: list[tuple[Role, list[str]]]) -> None:
    """Over any calls, repeats inside one call included; each time with a new embedder, as after a restart."""
    cache, model = MemoryCache(), CountingEmbedder()
    for role, texts in calls:
        vectors = CachedEmbedder(model, cache).embed(texts, role=role)
        expected = [vector_of(model.cache_key(text, role)) for text in texts]
        assert vectors.shape == (len(texts), model.dimension)
        assert vectors.dtype == np.float32
        assert all(np.array_equal(row, right) for row, right in zip(vectors, expected, strict=True))
    assert set(model.texts_seen.values()) <= {1}
    assert set(model.texts_seen) == {(model.key, role, text) for role, texts in calls for text in texts}


def test_what_is_cached_needs_no_model() -> None:
    """An unchanged corpus embeds nothing, and the model is not even loaded."""
    cache = MemoryCache()
    CachedEmbedder(CountingEmbedder(), cache).embed(["a", "b"])
    model = CountingEmbedder()
    again = CachedEmbedder(model, cache)
    again.embed(["b", "a", "b"])
    assert (model.prepared, again.calls, again.texts_encoded, again.texts_reused) == (0, 0, 0, 2)


def test_models_share_no_cached_vectors() -> None:
    """Vectors of different models never meet, also where the texts are the same."""
    cache = MemoryCache()
    first, second = CountingEmbedder("one@1+fp32"), CountingEmbedder("two@1+fp32")
    assert not np.array_equal(CachedEmbedder(first, cache).embed(["a"]), CachedEmbedder(second, cache).embed(["a"]))
    assert (first.texts_encoded, second.texts_encoded) == (1, 1)


def test_a_precision_settled_by_loading_is_looked_up_again() -> None:
    """`auto` may fall back to fp32 only once the model is loaded: what is cached under that key is still not embedded
    twice.
    """
    cache = MemoryCache()
    for _ in range(2):
        model = CountingEmbedder("m@1+bf16", key_once_loaded="m@1+fp32")
        vectors = CachedEmbedder(model, cache).embed(["a", "b", "a"])
        assert np.array_equal(vectors[0], vector_of(CountingEmbedder("m@1+fp32").cache_key("a")))
    assert model.texts_encoded == 0
    assert len(cache.rows) == 2


def test_missing_lists_what_would_be_embedded() -> None:
    """The plan before a run: different texts, in order, without embedding any."""
    model = CountingEmbedder()
    embedder = CachedEmbedder(model, MemoryCache())
    embedder.embed(["b"])
    assert embedder.missing(["c", "b", "a", "c"]) == ["c", "a"]
    assert embedder.missing([]) == []
    assert model.texts_encoded == 1


def test_a_cancelled_run_keeps_the_slices_that_were_done() -> None:
    """Raising from `on_progress` stops the call; what was written before is not embedded again."""
    cache, model = MemoryCache(), CountingEmbedder()
    texts = [f"text {n}" for n in range(2 * SLICE)]

    def cancel_late(done: int) -> None:
        if done > SLICE + 10:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        CachedEmbedder(model, cache).embed(texts, on_progress=cancel_late)
    assert len(cache.rows) == SLICE
    assert CachedEmbedder(CountingEmbedder(), cache).missing(texts) == texts[SLICE:]


def test_progress_counts_the_texts_of_the_call() -> None:
    """It rises to the number of texts, cached ones and repeats included."""
    embedder = CachedEmbedder(CountingEmbedder(), MemoryCache())
    embedder.embed(["a", "b"])
    calls: list[int] = []
    embedder.embed(["a", "c", "c", "d", "a"], on_progress=calls.append)
    assert calls == sorted(calls)
    assert (calls[0], calls[-1]) == (2, 5)


def test_the_stand_ins_are_what_the_protocols_ask() -> None:
    """A cached embedder is an embedder itself (mypy holds the types; this holds that they are used)."""
    inner: Embedder = CountingEmbedder()
    cache: VectorCache = MemoryCache()
    outer: Embedder = CachedEmbedder(inner, cache)
    assert (outer.key, outer.dimension, outer.max_tokens, outer.precision) == (inner.key, 8, 256, "fp32")
    assert outer.cache_key("a", "query") == inner.cache_key("a", "query")
