"""Rows for vector stores: a chunk's text, vector, flat metadata, and a digest of the three."""

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
"""Name of the digest in every store; rows without one were not written by Chunkscope."""


@dataclass(frozen=True)
class VectorRow:
    """Chunk of an index with its vector."""

    chunk: Chunk
    vector: np.ndarray
    """(d,) float32, identical to the index's."""

    @property
    def id(self) -> str:
        return self.chunk.chunk_id

    @property
    def text(self) -> str:
        """Text of the span; for a summary its text."""
        return self.chunk.content or self.chunk.summary

    @cached_property
    def metadata(self) -> dict[str, str | int]:
        """Metadata as in the exports, and the `prefix` embedded in front of the text."""
        prefix = {"prefix": self.chunk.prefix} if self.chunk.prefix else {}
        return flat_metadata(self.chunk) | prefix

    @cached_property
    def digest(self) -> str:
        """Digest of text, metadata and vector, 32 hex digits: equal digests need no writing."""
        text = json.dumps([self.text, self.metadata], ensure_ascii=True, sort_keys=True).encode()
        return blake2b(text + self.vector.tobytes(), digest_size=16).hexdigest()


def vector_rows(index: Index, chunks: Sequence[Chunk]) -> list[VectorRow]:
    """Return chunks of an index with their vectors, read in one query; without a vector they are left out."""
    vectors = index.vectors_by_id([chunk.chunk_id for chunk in chunks])
    return [VectorRow(chunk, vectors[chunk.chunk_id]) for chunk in chunks if chunk.chunk_id in vectors]
