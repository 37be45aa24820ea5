"""Texts to vectors: unit float32 rows, every (model, text) pair encoded at most once.

>>> from chunking.config import EmbeddingConfig
>>> embedder = load_embedder(EmbeddingConfig(precision="fp32"))  # torch is imported by the first text, not here
>>> embedder.dimension, embedder.max_tokens, embedder.key.split("@")[0]
(384, 256, 'all-MiniLM-L6-v2')
"""

from __future__ import annotations

from chunking.embedding.cache import CachedEmbedder
from chunking.embedding.cross import CrossEncoder, load_cross_encoder
from chunking.embedding.encoding import Encoding
from chunking.embedding.interaction import LateInteraction
from chunking.embedding.interface import Embedder, Role, VectorCache
from chunking.embedding.language import UNREADABLE_SHARE, LanguageCheck, UnknownCounter, can_read, check_language
from chunking.embedding.late import EncodingCache, LateEncoder
from chunking.embedding.loading import load_embedder
from chunking.embedding.local import LocalEmbedder
from chunking.embedding.remote import RemoteEmbedder
from chunking.embedding.sentences import SentenceVectors, sentence_vectors
from chunking.embedding.windows import Windowed, embed_chunks, window_texts

__all__ = [
    "UNREADABLE_SHARE",
    "CachedEmbedder",
    "CrossEncoder",
    "Embedder",
    "Encoding",
    "EncodingCache",
    "LanguageCheck",
    "LateEncoder",
    "LateInteraction",
    "LocalEmbedder",
    "RemoteEmbedder",
    "Role",
    "SentenceVectors",
    "UnknownCounter",
    "VectorCache",
    "Windowed",
    "can_read",
    "check_language",
    "embed_chunks",
    "load_cross_encoder",
    "load_embedder",
    "sentence_vectors",
    "window_texts",
]
