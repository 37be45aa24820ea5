"""Texts to vectors: unit float32 rows, every (model, text) pair encoded at most once.

>>> from chunking.config import EmbeddingConfig
>>> embedder = load_embedder(EmbeddingConfig(precision="fp32"))  # torch is imported by the first text, not here
>>> embedder.dimension, embedder.max_tokens, embedder.key.split("@")[0]
(384, 256, 'all-MiniLM-L6-v2')
"""

from __future__ import annotations

from chunking.embedding.cache import CachedEmbedder
from chunking.embedding.interface import Embedder, Role, VectorCache
from chunking.embedding.language import UNREADABLE_SHARE, LanguageCheck, UnknownCounter, can_read, check_language
from chunking.embedding.local import LocalEmbedder, load_embedder

__all__ = [
    "UNREADABLE_SHARE",
    "CachedEmbedder",
    "Embedder",
    "LanguageCheck",
    "LocalEmbedder",
    "Role",
    "UnknownCounter",
    "VectorCache",
    "can_read",
    "check_language",
    "load_embedder",
]
