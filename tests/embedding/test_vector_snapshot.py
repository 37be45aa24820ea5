"""Vectors in few bytes: found again under an embedder's keys, and used with the model that made them only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chunking.config import EmbeddingConfig
from chunking.embedding import LocalEmbedder, VectorSnapshot, load_embedder


def embedder_of(config: EmbeddingConfig) -> LocalEmbedder:
    snapshot = load_embedder(config)
    assert isinstance(snapshot, LocalEmbedder)
    return snapshot


def vectors_of(*texts: str) -> dict[str, np.ndarray]:
    """One each, of unit length."""
    snapshot = np.random.default_rng(1).normal(size=(len(texts), 384)).astype(np.float32)
    return dict(zip(texts, snapshot / np.linalg.norm(snapshot, axis=1, keepdims=True), strict=True))


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_what_was_made_is_found_again_in_either_precision(precision: str) -> None:
    """To 16 bits, of unit length, under the keys of its role; the same vectors make the same rows, whatever their
    order.
    """
    embedder, other = (embedder_of(EmbeddingConfig(precision=name)) for name in ("fp32", precision))
    vectors = vectors_of("one", "zwei \ud83d")
    snapshot = VectorSnapshot.of(vectors, embedder)
    again = VectorSnapshot.of(dict(reversed(vectors.items())), embedder)
    assert (snapshot.digests.tobytes(), snapshot.vectors.tobytes()) == (
        again.digests.tobytes(),
        again.vectors.tobytes(),
    )
    assert snapshot.fits(other)
    for role in ("passage", "query"):
        result = snapshot.keyed(other, role)
        for text, vector in vectors.items():
            one = result[other.cache_key(text, role)]
            assert one @ vector > 0.999999
            assert np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert snapshot.rows[snapshot.numbers(["one"])][0] @ vectors["one"] > 0.999999


def test_another_models_vectors_do_not_fit() -> None:
    """Nor where something is put before texts of the role."""
    snapshot = VectorSnapshot.of(vectors_of("one"), embedder_of(EmbeddingConfig()))
    assert not replace(snapshot, model="another@1").fits(embedder_of(EmbeddingConfig()))
    assert not snapshot.fits(embedder_of(EmbeddingConfig(passage_prefix="text: ")))
    assert snapshot.fits(embedder_of(EmbeddingConfig(passage_prefix="text: ")), "query")
