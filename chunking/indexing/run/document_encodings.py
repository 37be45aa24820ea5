"""Encodings of complete documents, each computed once, for late vectors and sentence selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from chunking.config import Config, EmbeddingMode
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.store import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chunking.embedding import CachedEmbedder, LateEncoder, LocalEmbedder

__all__ = ["RunEncodings"]


class RunEncodings:
    """Encodings of a run's documents, cached in the workspace, and vectors pooled from them.

    Other chunk sizes and later runs then need no model.

    Args:
        may_encode: False, for a plan: nothing is encoded or cached; see `spans`.
    """

    def __init__(
        self, config: Config, embedder: CachedEmbedder, workspace: Workspace, *, may_encode: bool = True
    ) -> None:
        self._config, self._embedder, self._workspace, self._may_encode = config, embedder, workspace, may_encode
        self._encodings = _TrackedEncodings(workspace)
        self.lacking: set[str] = set()
        """Ids of documents without encoding whose spans a plan asked for."""

    @cached_property
    def encoder(self) -> LateEncoder:
        """Encoder for late chunking with the configuration's model and the workspace's caches.

        Raises:
            ConfigError: the model is remote, so its token states are not available.
        """
        from chunking.embedding import LateEncoder

        local = self._local
        if local is None:
            raise ConfigError(
                f"Late mode needs the states of single tokens, which {self._config.embedding.model} does not give: "
                "set embedding.mode=standard, or a model of this machine.",
                where="embedding.mode",
            )
        return LateEncoder(local, self._config.embedding.late_window, self._encodings, self._workspace.vectors)

    @cached_property
    def _local(self) -> LocalEmbedder | None:
        from chunking.embedding import LocalEmbedder

        return self._embedder.embedder if isinstance(self._embedder.embedder, LocalEmbedder) else None

    @property
    def late(self) -> bool:
        """True if the embedding mode is late: chunks' vectors are pooled from these encodings."""
        return self._config.embedding.mode is EmbeddingMode.LATE

    def encoded_now(self, document: Document) -> bool:
        """True if this run, or a preview or plan in this process, newly encoded the document."""
        return self.encoder.encoding_key(document) in self._encodings.new_keys

    def unknown(self, keys: list[str]) -> list[str]:
        """Return those of `keys` whose encoding the workspace does not store."""
        stored = self._workspace.encodings.stored_keys(keys)
        return [key for key in keys if key not in stored]

    def sentences(self, document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return vectors of sentences for semantic splitting; a plan saves no new encodings."""
        from chunking.embedding import sentence_vectors

        if self._may_encode or self._local is None or not self.unknown([self.encoder.encoding_key(document)]):
            return self.spans(document, starts, ends)
        return sentence_vectors(self._config.embedding)(document, starts, ends)

    def spans(self, document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return vectors of spans, pooled from the document's encoding; a remote model embeds each.

        In a plan, spans of a document that is not encoded all have the same vector, and its id goes to `lacking`.
        """
        import numpy as np

        if self._local is None:
            texts = [document.text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
            if self._may_encode or not self._embedder.missing(texts):
                return self._embedder.embed(texts)
        elif self._may_encode or not self.unknown([self.encoder.encoding_key(document)]):
            return self.encoder.pool(document, starts, ends)
        self.lacking.add(document.doc_id)
        return np.ones((len(starts), 1), np.float32)


class _TrackedEncodings:
    """Workspace's encodings, with those of previews in this process; notes which are new."""

    def __init__(self, workspace: Workspace) -> None:
        self.new_keys: set[str] = set()
        self._stored = workspace.encodings

    def get(self, key: str) -> bytes | None:
        from chunking.embedding.loading import PROCESS_ENCODINGS

        data = self._stored.get(key)
        if data is None and (data := PROCESS_ENCODINGS.get(key)) is not None:
            self.put(key, data)
        return data

    def stored_keys(self, keys: list[str]) -> set[str]:
        from chunking.embedding.loading import PROCESS_ENCODINGS

        return self._stored.stored_keys(keys) | PROCESS_ENCODINGS.stored_keys(keys)

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        return self._stored.claim(keys, waiting)

    def put(self, key: str, data: bytes) -> None:
        self._stored.put(key, data)
        self.new_keys.add(key)
