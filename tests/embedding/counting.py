"""Stand-ins that count: an embedder whose vectors are made from a hash of the text, and a cache in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from chunking.embedding.base import OnProgress, Role, Unshared, Vectors


class CountingEmbedder:
    """Counts how often each (key, role, text) reaches the "model"."""

    dimension, max_tokens, precision = 8, 256, "fp32"

    def __init__(self, key: str = "counting@1+fp32", *, key_once_loaded: str | None = None) -> None:
        self.key = key
        self.texts_seen: Counter[tuple[str, Role, str]] = Counter()
        self.calls = self.texts_encoded = self.prepared = 0
        self._key_once_loaded = key_once_loaded or key

    def prepare(self) -> None:
        self.prepared += 1
        self.key = self._key_once_loaded

    def cache_key(self, text: str, role: Role = "passage") -> str:
        return hashlib.sha256(f"{self.key}\0{role}\0{text}".encode()).hexdigest()

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        self.calls += 1
        self.texts_encoded += len(texts)
        self.texts_seen.update((self.key, role, text) for text in texts)
        for done in range(1, len(texts) + 1):
            if on_progress is not None:
                on_progress(done)
        return np.stack([vector_of(self.cache_key(text, role)) for text in texts])


class MemoryCache(Unshared):
    """A cache that is a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[str, Vectors] = {}

    def get(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, rows: Mapping[str, Vectors]) -> None:
        self.rows.update(rows)


def vector_of(key: str) -> Vectors:
    """A unit vector that differs from key to key."""
    numbers = np.frombuffer(hashlib.sha256(key.encode()).digest()[:8], dtype=np.uint8).astype(np.float32) - 127.5
    vector: Vectors = numbers / np.linalg.norm(numbers)
    return vector
