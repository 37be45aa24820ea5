"""Time left while live recall is prepared: loading the model, then encoding."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from chunking.config import EmbeddingConfig
from chunking.evaluation.live.live_prepared import LOADING, characters_to_encode
from chunking.model import Document

if TYPE_CHECKING:
    from chunking.embedding import EncodingCache

__all__ = ["PreparationTime", "SecondsLeft"]

_CHARACTERS = 8_000.0
"""Assumed characters encoded per second on an unknown machine; two slow cores do twice that."""
_BEGUN = 0.02
"""Share of the encoding from which its measured time replaces the assumption."""


class SecondsLeft(NamedTuple):
    """Estimated seconds left, and those of them until the next report."""

    seconds: float | None
    """None if unknown."""
    stage: float | None = None
    """Set in a stage that reports nothing until it ends."""


class PreparationTime:
    """Estimator of the seconds left of `LiveRecall.prepare`, from its reports.

    Loading the model is a stage with an estimate of its own: what it takes says nothing about the encoding.

    Args:
        characters: number of characters to encode.
        loading: seconds that loading the model is expected to take.
        clock: returns seconds.
    """

    def __init__(self, characters: int, loading: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._encoding, self._loading, self._clock = characters / _CHARACTERS, loading, clock
        self._began, self._loads = clock(), False

    @classmethod
    def of(
        cls, documents: Sequence[Document], embeddings: Iterable[EmbeddingConfig], encodings: EncodingCache | None
    ) -> Self:
        """Return the estimator for documents that these models encode.

        Raises:
            ModelError: a model is not installed, and may not be downloaded.
        """
        from chunking.embedding import LocalEmbedder, load_embedder

        characters, loading = 0, 0.0
        for embedding in embeddings:
            characters += characters_to_encode(documents, embedding, encodings)
            embedder = load_embedder(embedding)
            loading = max(loading, embedder.loading_seconds if isinstance(embedder, LocalEmbedder) else 0.0)
        return cls(characters, loading)

    def begin(self) -> None:
        """Start the clock again: the documents are encoded by another model."""
        self._began = self._clock()

    def after(self, share: float, what: str) -> SecondsLeft:
        """Return the seconds left once this share (0 to 1) is done, at a report of `prepare`.

        >>> now = [0.0]
        >>> left = PreparationTime(80_000, 6.0, lambda: now[0])
        >>> left.after(0.0, LOADING)
        SecondsLeft(seconds=16.0, stage=6.0)
        >>> now[0] = 30.0  # the model took long
        >>> left.after(0.0, "Encoding a.md").seconds, left.after(0.5, "Encoding b.md").seconds
        (10.0, 0.0)
        """
        if what == LOADING:
            self._loads = True
            return SecondsLeft(self._loading + self._encoding, self._loading)
        if self._loads:
            self._loads = False
            self.begin()
        spent = self._clock() - self._began
        if share > _BEGUN:
            return SecondsLeft(spent * (1 - share) / share)
        return SecondsLeft(self._encoding - spent if spent < self._encoding or not self._encoding else None)
