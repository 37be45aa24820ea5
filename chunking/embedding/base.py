"""Protocols of an embedder and of a cache of vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "OnProgress", "Role", "Unshared", "VectorCache", "Vectors"]

Role = Literal["query", "passage"]
"""Role of a text in a search; some models add a different prefix for each."""
Vectors = NDArray[np.float32]
OnProgress = Callable[[int], None]
"""Called with the number of texts of this call that are done; may raise to stop the call."""


class Embedder(Protocol):
    """Converts texts to unit vectors."""

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
        """Precision of the computation, `fp32` or `bf16`; vectors are float32 in either case."""

    @property
    def calls(self) -> int:
        """Calls of `embed` that reached the model."""

    @property
    def texts_encoded(self) -> int:
        """Texts that went through the model so far."""

    def prepare(self) -> None:
        """Load the model, if not loaded yet. Only here may the `key` change."""

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Return (n, d) float32 vectors of unit length, in the order of `texts`."""

    def cache_key(self, text: str, role: Role = "passage") -> str:
        """Return the cache key of a text's vector: 64 hex digits."""


class Unshared:
    """Base of caches used by one process only, where claims are free."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        return nullcontext()


class VectorCache(Protocol):
    """Vectors by cache key, stored for the life of a workspace."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the stored vectors by key, (d,) float32 each."""

    def put(self, rows: Mapping[str, Vectors]) -> None:
        """Store vectors by key."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Claim the computation of vectors among the processes that share the cache.

        The holder looks them up again before computing them.

        Args:
            waiting: called now and then while another process has the claim; may raise to stop.
        """
