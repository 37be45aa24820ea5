"""Vectors of some texts in few bytes: where they are at hand, those texts need no model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.model_folder import model_of

if TYPE_CHECKING:
    from chunking.embedding.base import Role
    from chunking.embedding.local.local_embedder import LocalEmbedder

__all__ = ["VectorSnapshot"]


@dataclass(frozen=True, slots=True)
class VectorSnapshot:
    """Vectors of passages, or of questions, of one model, by the digests of their texts."""

    model: str
    """`model_of` the embedder's key: name and revision, without the precision, which changes the fifth digit."""
    digests: NDArray[np.uint8]
    """(n, 32) sha256 of the texts, ascending, so that the same vectors make the same file."""
    vectors: NDArray[np.float16]
    """(n, d), unit length. Rounded to 16 bits they stay within a cosine of 0.999999 of what they were."""

    @classmethod
    def of(cls, vectors: Mapping[str, NDArray[np.float32]], embedder: LocalEmbedder) -> VectorSnapshot:
        """The vectors of texts, at least one, as `embedder` made them."""
        rows = sorted((_digest(text), text) for text in vectors)
        digests = np.frombuffer(b"".join(digest for digest, _ in rows), np.uint8).reshape(-1, 32)
        return cls(model_of(embedder.key), digests, np.stack([vectors[text] for _, text in rows]).astype(np.float16))

    @property
    def rows(self) -> NDArray[np.float32]:
        """(n, d) float32, of unit length again."""
        vectors = self.vectors.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """The row of each text. Raises KeyError where it has none."""
        places = {digest.tobytes(): number for number, digest in enumerate(self.digests)}
        return [places[_digest(text)] for text in texts]

    def fits(self, embedder: LocalEmbedder, role: Role = "passage") -> bool:
        """False where it is another model, or puts something before texts of this role."""
        return model_of(embedder.key) == self.model and not embedder.prefix(role)

    def keyed(self, embedder: LocalEmbedder, role: Role = "passage") -> dict[str, NDArray[np.float32]]:
        """The vectors by the keys under which `embedder` looks its texts up; meant for one that `fits`."""
        keys = (embedder.digest_key(digest.tobytes().hex(), role) for digest in self.digests)
        return dict(zip(keys, self.rows, strict=True))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
