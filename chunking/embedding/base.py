"""What the rest of the library asks of an embedder and of a cache of vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "OnProgress", "Role", "Unshared", "VectorCache", "Vectors"]

Role = Literal["query", "passage"]
"""Some models want to be told whether a text asks or is searched."""
Vectors = NDArray[np.float32]
OnProgress = Callable[[int], None]
"""Called with the number of texts of this call that are done; may raise, which stops the call."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def key(self) -> str:
        """`name@revision+precision`: two embedders with one key give the same vectors."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    def max_tokens(self) -> int:
        """Most tokens it reads of a text, special tokens included."""

    @property
    def precision(self) -> str:
        """`fp32` or `bf16`: what it computes in. Vectors are float32 in either case."""

    @property
    def calls(self) -> int:
        """Calls of `embed` that reached the model."""

    @property
    def texts_encoded(self) -> int:
        """Texts that went through the model so far."""

    def prepare(self) -> None:
        """Load what is needed to embed. The `key` may change here, and only here. Costs nothing the second time."""

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """(n, d) float32, each row of length 1, in the order of `texts`."""

    def cache_key(self, text: str, role: Role = "passage") -> str:
        """Where the vector of this text belongs in a cache: 64 hex digits."""


class Unshared:
    """What a cache of one process says to a claim: there is nobody else."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        return nullcontext()


class VectorCache(Protocol):
    """Vectors by cache key, kept for the life of a workspace."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """The (d,) float32 vectors of those keys that are known."""

    def put(self, rows: Mapping[str, Vectors]) -> None:
        """Keep these vectors."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Inside, no other process that shares the cache makes these vectors; look them up again before they are made.

        Args:
            waiting: called now and then while another has the claim; may raise to stop.
        """
