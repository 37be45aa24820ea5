"""Embedder without a model: a text's hash chooses the centre of a cluster, and noise around it.

Clusters are what a vector index lives from; vectors of texts by a real model have them, random vectors have not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

__all__ = ["ClusteredEmbedder"]

_DIMENSION = 384
_SPREAD = 0.9
"""Length of the noise against that of the centres."""
_NOISE = 2**22
"""Random numbers that the noise of all texts is read from, at any place."""


class ClusteredEmbedder:
    """Embedder whose unit vectors lie in clusters; equal texts have equal vectors in every process.

    Args:
        clusters: number of centres.

    Attributes:
        seconds: spent in `embed` so far.
    """

    dimension = _DIMENSION
    max_tokens = 512
    precision = "fp32"

    def __init__(self, clusters: int) -> None:
        self.key = f"clustered-{clusters}@1+fp32"
        self.calls = self.texts_encoded = 0
        self.seconds = 0.0
        numbers = np.random.default_rng(0)
        self._centres = numbers.standard_normal((clusters, _DIMENSION), dtype=np.float32)
        self._noise = numbers.standard_normal(_NOISE, dtype=np.float32) * np.float32(_SPREAD)

    def prepare(self) -> None:
        """Do nothing: there is no model to load."""

    def embed(
        self, texts: Sequence[str], *, role: str = "passage", on_progress: Callable[[int], None] | None = None
    ) -> np.ndarray:
        """Return (n, 384) float32 unit vectors."""
        started = perf_counter()
        digests = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
        numbers = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
        centres = self._centres[(numbers[:, 0] % np.uint64(len(self._centres))).astype(np.int64)]
        places = (numbers[:, 1] % np.uint64(_NOISE - _DIMENSION)).astype(np.int64)
        vectors = centres + self._noise[places[:, None] + np.arange(_DIMENSION)]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self.calls += 1
        self.texts_encoded += len(texts)
        self.seconds += perf_counter() - started
        if on_progress is not None:
            on_progress(len(texts))
        return vectors

    def cache_key(self, text: str, role: str = "passage") -> str:
        """Return 64 hex digits over model, role and text."""
        return hashlib.sha256(f"{self.key}\0{role}\0{text}".encode()).hexdigest()
