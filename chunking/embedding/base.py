"""Protocols of an embedder and of its cache, and the embedder with a cache."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SLICE",
    "CachedEmbedder",
    "Embedder",
    "OnProgress",
    "Role",
    "Unshared",
    "VectorCache",
    "Vectors",
    "joint_hash",
    "vector_key",
]

Role = Literal["query", "passage"]
"""Role of a text in a search; some models add a different prefix for each."""
Vectors = NDArray[np.float32]
OnProgress = Callable[[int], None]
"""Called with the number of texts of this call that are done; may raise to stop the call."""

SLICE = 512
"""Texts embedded between two writes to the cache: the most that a cancelled or killed run loses."""


def joint_hash(*parts: str) -> str:
    """Return the sha256 (hex) over strings, separated by null characters."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def vector_key(model: str, prefix: str, digest: str) -> str:
    """Return the cache key of a text's vector, unambiguous over model, role prefix and text.

    Args:
        model: key of the embedder.
        digest: the text's `joint_hash`.
    """
    return joint_hash(model, prefix, digest)


class Embedder(Protocol):
    """Protocol of an object that converts texts to unit vectors with one model."""

    @property
    def key(self) -> str:
        """Model as `name@revision+precision`; embedders with equal keys give equal vectors."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    def max_tokens(self) -> int:
        """Maximum tokens the model reads of a text, including special tokens."""

    @property
    def precision(self) -> str:
        """Precision of the computation, such as `fp32`; vectors are float32 in either case."""

    @property
    def calls(self) -> int:
        """Number of calls so far that reached the model."""

    @property
    def texts_encoded(self) -> int:
        """Number of texts that went through the model so far; a cached text does not count."""

    def prepare(self) -> None:
        """Load the model, if not loaded yet. Only here may the `key` change."""

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Return (n, d) float32 vectors of unit length, in the order of `texts`."""

    def cache_key(self, text: str, role: Role = "passage") -> str:
        """Return the cache key of a text's vector: 64 hex digits over model, role prefix and text."""


class Unshared:
    """Base of caches used by one process only: a claim never waits."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        return nullcontext()


class VectorCache(Protocol):
    """Protocol of a cache of vectors by key, such as `Workspace.vectors`."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the stored vectors by key, (d,) float32 each; keys without a vector are absent."""

    def put(self, rows: Mapping[str, Vectors]) -> None:
        """Store vectors by key."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context that claims the computation of vectors, waiting for other processes.

        The holder looks them up again before computing them.

        Args:
            waiting: called now and then while another process has the claim; may raise to stop.
        """


class CachedEmbedder:
    """Embedder with a cache: a (model, text) pair is embedded at most once per workspace (law 7).

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
        """Return the distinct texts without a vector in the cache, in order; the model is not used."""
        return self._missing(list(dict.fromkeys(texts)), role, {})

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Return unit vectors (n, d) of texts; only texts without a cached vector reach the model.

        Each distinct text is embedded once. New vectors are written to the cache every `SLICE` texts, so that a stopped
        run loses little. A cached vector of another dimension than the model's is computed again.
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
