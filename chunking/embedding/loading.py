"""Load the embedder of a configuration, and functions for vectors of a document's sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from chunking.config import EmbeddingConfig, remote_name
from chunking.embedding.base import CachedEmbedder, Unshared, Vectors
from chunking.embedding.late.late_encoder import LateEncoder
from chunking.embedding.local import local_embedder as local
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import Ints
from chunking.embedding.remote import RemoteEmbedder, load_remote
from chunking.model import Document
from chunking.text.byte_caches import ByteCache

__all__ = ["PROCESS_ENCODINGS", "SentenceVectors", "load_embedder", "sentence_vectors"]

SentenceVectors = Callable[[Document, Ints, Ints], Vectors]
"""Converts (document, (n,) starts, (n,) ends) to (n, d) float32, rows of length 1."""

_CACHE_BYTES = 256 * 2**20
"""Maximum memory for document encodings, by all sessions of a process together."""


def load_embedder(config: EmbeddingConfig | None = None) -> LocalEmbedder | RemoteEmbedder:
    """Return a configuration's embedder, local or remote, shared in the process.

    A local model is downloaded here if it is missing and `allow_download` is set; the first text loads it into memory.

    A local model that is missing is downloaded first if `allow_download` is set; to a remote one nothing is sent.

    Raises:
        ModelError: the model is missing, incomplete, changed or not allowed; or `remote:NAME` without an endpoint.
        ConfigError: the endpoint's settings are invalid.
    """
    config = config or EmbeddingConfig()
    name = remote_name(config.model)
    return local.load_embedder(config) if name is None else load_remote(name, config)


# -- vectors of sentences, for semantic breakpoints and extractive summaries


class _CachedEncodings(Unshared):
    """Cache of serialised encodings in memory that evicts the least used; shared by the process."""

    def __init__(self, most: int) -> None:
        self._rows: ByteCache[bytes] = ByteCache(f"{__name__}.PROCESS_ENCODINGS", most, holds_text=False)

    def get(self, key: str) -> bytes | None:
        return self._rows.get(key)

    def stored_keys(self, keys: list[str]) -> set[str]:
        return {key for key in keys if key in self._rows}

    def put(self, key: str, data: bytes) -> None:
        self._rows.put(key, data)


class _CachedVectors(Unshared):
    """View of the same cache for single vectors."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        remembered = {key: PROCESS_ENCODINGS.get(key) for key in keys}
        return {key: np.frombuffer(data, np.float32) for key, data in remembered.items() if data is not None}

    def put(self, rows: Mapping[str, Vectors]) -> None:
        for key, vector in rows.items():
            PROCESS_ENCODINGS.put(key, vector.astype(np.float32).tobytes())


PROCESS_ENCODINGS = _CachedEncodings(_CACHE_BYTES)
"""Recent encodings of this process, so that an index run reuses those of a preview or plan."""


def sentence_vectors(config: EmbeddingConfig) -> SentenceVectors:
    """Return a function that gives a document's spans their vectors, (n, d) float32.

    A local model encodes each document once, caching the encoding in the process, and vectors are pooled from it. A
    remote model has no encoding to pool from: it is sent the text of each span, once a process.

    Raises:
        ModelError, EndpointError: from the function, if the model is missing, or its server fails.
    """

    def vectors(document: Document, starts: Ints, ends: Ints) -> Vectors:
        embedder = load_embedder(config)
        if isinstance(embedder, RemoteEmbedder):
            spans = zip(np.asarray(starts).tolist(), np.asarray(ends).tolist(), strict=True)
            return CachedEmbedder(embedder, _CachedVectors()).embed([document.text[start:end] for start, end in spans])
        encoder = LateEncoder(embedder, config.late_window, PROCESS_ENCODINGS)
        return encoder.pool(document, np.asarray(starts, np.int32), np.asarray(ends, np.int32))

    return vectors
