"""Embedder without a model: texts that share words have similar vectors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from chunking.embedding import Role

__all__ = ["WordEmbedder"]


class WordEmbedder:
    """Embedder that hashes words into 64 counts; equal in every process."""

    key = "words@1+fp32"
    dimension = 64
    max_tokens = 256
    precision = "fp32"

    def __init__(self) -> None:
        self.calls = 0
        self.texts_encoded = 0

    def prepare(self) -> None:
        """Do nothing."""

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: object = None) -> np.ndarray:
        self.calls += 1
        self.texts_encoded += len(texts)
        rows = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[crc32(word.encode("utf-8", "replace")) % self.dimension] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def cache_key(self, text: str, role: Role = "passage") -> str:
        return hashlib.sha256(f"{self.key}\0{role}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
