"""Texts to vectors: unit float32 rows, with each (model, text) pair encoded at most once.

>>> from chunking.config import EmbeddingConfig
>>> embedder = load_embedder(EmbeddingConfig(precision="fp32"))  # torch is imported by the first text, not here
>>> embedder.dimension, embedder.max_tokens, embedder.key.split("@")[0]
(384, 512, 'multilingual-e5-small')
"""

from __future__ import annotations

from chunking.embedding.base import CachedEmbedder, Embedder, Role, VectorCache
from chunking.embedding.language_check import (
    UNREADABLE_SHARE,
    LanguageCheck,
    UnreadCounter,
    can_read,
    check_language,
    is_language_note,
)
from chunking.embedding.late.document_encoding import Encoding
from chunking.embedding.late.late_encoder import EncodingCache, LateEncoder
from chunking.embedding.loading import SentenceVectors, load_embedder, sentence_vectors
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.long_texts import Windowed, embed_chunks, mean_of_windows, window_texts
from chunking.embedding.remote import RemoteEmbedder
from chunking.embedding.rerankers import CrossEncoder, LateInteraction, load_cross_encoder
from chunking.embedding.vector_snapshots import EncodingSnapshot, VectorSnapshot

__all__ = [
    "UNREADABLE_SHARE",
    "CachedEmbedder",
    "CrossEncoder",
    "Embedder",
    "Encoding",
    "EncodingCache",
    "EncodingSnapshot",
    "LanguageCheck",
    "LateEncoder",
    "LateInteraction",
    "LocalEmbedder",
    "RemoteEmbedder",
    "Role",
    "SentenceVectors",
    "UnreadCounter",
    "VectorCache",
    "VectorSnapshot",
    "Windowed",
    "can_read",
    "check_language",
    "embed_chunks",
    "is_language_note",
    "load_cross_encoder",
    "load_embedder",
    "mean_of_windows",
    "sentence_vectors",
    "window_texts",
]
