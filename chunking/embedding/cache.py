"""Embedder with a cache: a (model, text) pair is embedded at most once per workspace (law 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from chunking.embedding.base import Embedder, OnProgress, Role, VectorCache, Vectors

__all__ = ["SLICE", "CachedEmbedder"]

SLICE = 512
"""Texts embedded between two writes to the cache: the most that a cancelled or killed run loses."""


class CachedEmbedder:
    """Embedder that looks vectors up in a cache, and stores the ones it computes.

    If everything is cached, the model is not even loaded.

    Args:
        embedder: Embeds new texts.
        cache: Stores vectors, such as `Workspace.vectors`.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self.embedder = embedder
        self.cache = cache
        self.texts_reused = 0
        """Number of distinct texts so far whose vector was in the cache."""
        self.last_encoded: set[str] = set()
        """Texts of the last call of `embed` that reached the model."""

    @property
    def key(self) -> str:
        return self.embedder.key

    @property
    def dimension(self) -> int:
        return self.embedder.dimension

    @property
    def max_tokens(self) -> int:
        return self.embedder.max_tokens

    @property
    def precision(self) -> str:
        return self.embedder.precision

    @property
    def calls(self) -> int:
        return self.embedder.calls

    @property
    def texts_encoded(self) -> int:
        return self.embedder.texts_encoded

    def prepare(self) -> None:
        self.embedder.prepare()

    def cache_key(self, text: str, role: Role = "passage") -> str:
        return self.embedder.cache_key(text, role)

    def missing(self, texts: Sequence[str], *, role: Role = "passage") -> list[str]:
        """Return the distinct texts that are not in the cache, in order: those to send to the model."""
        return self._missing(list(dict.fromkeys(texts)), role, {})

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Embed texts; only new ones reach the model, each distinct one once.

        Vectors are written to the cache every `SLICE` texts, so that a stopped run loses little.
        """
        self.last_encoded = set()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        repeats = Counter(texts)
        vectors_by_text: dict[str, Vectors] = {}
        new = self._missing(list(repeats), role, vectors_by_text)
        if new or len({len(vector) for vector in vectors_by_text.values()}) > 1:
            new = [*self._prepared(new, role, vectors_by_text), *self._of_another_size(vectors_by_text)]
        self.texts_reused += len(vectors_by_text)
        done = sum(repeats[text] for text in vectors_by_text)
        if on_progress is not None:
            on_progress(done)
        for first in range(0, len(new), SLICE):
            part = new[first : first + SLICE]
            self._embed_part(
                part,
                role,
                vectors_by_text,
                _shifted(on_progress, done, sum(repeats[text] for text in part) / len(part)),
            )
            done += sum(repeats[text] for text in part)
        return np.stack([vectors_by_text[text] for text in texts])

    def _missing(self, texts: list[str], role: Role, vectors_by_text: dict[str, Vectors]) -> list[str]:
        """Return the texts without a cached vector, adding the others' vectors to `vectors_by_text`."""
        keys = {text: self.cache_key(text, role) for text in texts}
        cached = self.cache.get(list(keys.values())) if keys else {}
        vectors_by_text.update(
            (text, np.asarray(cached[key], dtype=np.float32)) for text, key in keys.items() if key in cached
        )
        return [text for text in texts if text not in vectors_by_text]

    def _prepared(self, new: list[str], role: Role, vectors_by_text: dict[str, Vectors]) -> list[str]:
        """Load the model; if its key changes with the precision, look the texts up again."""
        key = self.key
        self.embedder.prepare()
        if self.key == key:
            return new
        texts = [*vectors_by_text, *new]
        vectors_by_text.clear()
        return self._missing(texts, role, vectors_by_text)

    def _of_another_size(self, vectors_by_text: dict[str, Vectors]) -> list[str]:
        """Remove vectors of another dimension: a server may have had another model under the name."""
        wrong = [text for text, vector in vectors_by_text.items() if len(vector) != self.embedder.dimension]
        for text in wrong:
            del vectors_by_text[text]
        return wrong

    def _embed_part(
        self, texts: list[str], role: Role, vectors_by_text: dict[str, Vectors], on_progress: OnProgress | None
    ) -> None:
        """Embed texts that no other process has embedded meanwhile.

        Queries skip the claim, which would wait for a whole slice.
        """
        if role == "query":
            self._embed_new(texts, role, vectors_by_text, on_progress)
            return

        def waiting() -> None:
            if on_progress is not None:
                on_progress(0)

        with self.cache.claim([self.cache_key(texts[0], role)], waiting):
            new_vectors: dict[str, Vectors] = {}
            new = [*self._missing(texts, role, new_vectors), *self._of_another_size(new_vectors)]
            vectors_by_text.update(new_vectors)
            self.texts_reused += len(new_vectors)
            if new:
                self._embed_new(new, role, vectors_by_text, on_progress)

    def _embed_new(
        self, texts: list[str], role: Role, vectors_by_text: dict[str, Vectors], on_progress: OnProgress | None
    ) -> None:
        self.last_encoded.update(texts)
        vectors = self.embedder.embed(texts, role=role, on_progress=on_progress)
        rows = dict(zip(texts, vectors, strict=True))
        self.cache.put({self.cache_key(text, role): vector for text, vector in rows.items()})
        vectors_by_text.update(rows)


def _shifted(on_progress: OnProgress | None, done: int, weight: float) -> Callable[[int], None] | None:
    """Convert progress of a part to progress of the call; `weight` is a text's mean number of repeats."""
    return None if on_progress is None else lambda part: on_progress(done + round(part * weight))
