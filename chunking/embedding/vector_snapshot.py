"""Vectors of some texts in one small file: where it is at hand, those texts need no model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.model_folder import model_of

if TYPE_CHECKING:
    from chunking.embedding.base import VectorCache
    from chunking.embedding.local.local_embedder import LocalEmbedder

__all__ = ["VectorSnapshot"]


@dataclass(frozen=True, slots=True)
class VectorSnapshot:
    """Passage vectors of one model, by the digests of their texts."""

    model: str
    """`model_of` the embedder's key: name and revision, without the precision, which changes the fifth digit."""
    digests: NDArray[np.uint8]
    """(n, 32) sha256 of the texts, ascending, so that the same vectors make the same file."""
    vectors: NDArray[np.float16]
    """(n, d), unit length. Rounded to 16 bits they stay within a cosine of 0.999999 of what they were."""

    @classmethod
    def of(cls, vectors: Mapping[str, NDArray[np.float32]], embedder: LocalEmbedder) -> VectorSnapshot:
        """The vectors of texts, at least one, as `embedder` made them."""
        rows = sorted((hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), text) for text in vectors)
        digests = np.frombuffer(b"".join(digest for digest, _ in rows), np.uint8).reshape(-1, 32)
        return cls(model_of(embedder.key), digests, np.stack([vectors[text] for _, text in rows]).astype(np.float16))

    @classmethod
    def read(cls, path: Path) -> VectorSnapshot:
        """What `write` made. Raises OSError, or ValueError or KeyError where the file is something else."""
        with np.load(path, allow_pickle=False) as file:
            return cls(str(file["model"]), file["digests"], file["vectors"])

    def write(self, path: Path) -> None:
        """As an npz file, the same bytes for the same vectors."""
        np.savez_compressed(path, model=np.array(self.model), digests=self.digests, vectors=self.vectors)

    def put_into(self, cache: VectorCache, embedder: LocalEmbedder) -> bool:
        """Save the vectors under the keys by which `embedder` looks its texts up.

        Returns:
            False where it is another model, or puts something before passages: nothing is saved then.
        """
        if model_of(embedder.key) != self.model or embedder.prefix("passage"):
            return False
        vectors = self.vectors.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cache.put({embedder.digest_key(digest.tobytes().hex()): vector for digest, vector in zip(self.digests, vectors, strict=True)})
        return True
