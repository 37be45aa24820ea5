"""What a vector store gets of a chunk: text, vector, flat metadata, and a digest of the three."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

from chunking.export.frameworks import flat_metadata
from chunking.model import Chunk

if TYPE_CHECKING:
    import numpy as np

    from chunking.store import Index

__all__ = ["DIGEST", "VectorRow", "vector_rows"]

DIGEST = "chunkscope_digest"
"""Name of the digest in every store; a row that has none was not written by Chunkscope."""


@dataclass(frozen=True)
class VectorRow:
    """A chunk of an index with its vector."""

    chunk: Chunk
    vector: np.ndarray
    """(d,) float32, bit for bit that of the index."""

    @property
    def id(self) -> str:
        return self.chunk.chunk_id

    @property
    def text(self) -> str:
        """The span as it stands; of a summary its text."""
        return self.chunk.content or self.chunk.summary

    @cached_property
    def metadata(self) -> dict[str, str | int]:
        """Texts and numbers as the exports write them, and the `prefix` embedded in front of the text."""
        prefix = {"prefix": self.chunk.prefix} if self.chunk.prefix else {}
        return flat_metadata(self.chunk) | prefix

    @cached_property
    def digest(self) -> str:
        """32 hex digits over text, metadata and vector: equal digests, nothing to write."""
        text = json.dumps([self.text, self.metadata], ensure_ascii=True, sort_keys=True).encode()
        return blake2b(text + self.vector.tobytes(), digest_size=16).hexdigest()


def vector_rows(index: Index, chunks: Sequence[Chunk]) -> list[VectorRow]:
    """Some chunks of an index with their vectors, read in one query; those that have none are left out."""
    vectors = index.vectors_by_id([chunk.chunk_id for chunk in chunks])
    return [VectorRow(chunk, vectors[chunk.chunk_id]) for chunk in chunks if chunk.chunk_id in vectors]
