"""Embed rows: each text alone, or pooled from the document's encoding (late chunking)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from chunking.config import Config, EmbeddingMode
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import PARENT, Chunk

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import CachedEmbedder

__all__ = ["Vectors", "vectors_for"]

OnChunks = Callable[[int], None]
"""Called with the share of a group that is embedded, as a number of its chunks.

Rows of other levels count by their tokens. May raise to stop.
"""


class Vectors(Protocol):
    """Protocol of an object that embeds rows, and counts the vectors that needed the model."""

    embedded: int
    """Vectors so far that needed the model; rows with the same text count once.

    Of newly encoded documents all rows count.
    """

    @property
    def tokens_per_second(self) -> float:
        """Estimated speed of the model so far, in tokens a second; 0 if nothing was timed.

        Texts from the cache do not count; in late mode only newly encoded documents do.
        """

    def of(self, group: Sequence[DocumentRows], on_chunks: OnChunks) -> list[np.ndarray]:
        """Return (n, d) float32 for each document's n rows: of unit length, zeros for parents.

        Args:
            on_chunks: called with the number of the group's chunks that are done; may raise to stop.
        Raises:
            ModelError, EndpointError: the model, or the embedding server, fails.
        """


def vectors_for(config: Config, embedder: CachedEmbedder, encodings: RunEncodings) -> Vectors:
    """Return the object that embeds rows in the configured mode: late or standard."""
    return _Late(encodings, embedder) if config.embedding.mode is EmbeddingMode.LATE else _Standard(embedder)


class _Standard:
    """Embeds each text alone; texts of larger levels over the model's limit as the mean of windows."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.embedded = 0
        self._embedder = embedder
        self._speed = _Speed()

    @property
    def tokens_per_second(self) -> float:
        return self._speed.value

    def of(self, group: Sequence[DocumentRows], on_chunks: OnChunks) -> list[np.ndarray]:
        import numpy as np

        chunks = [chunk for rows in group for chunk in rows.levels.chunks]
        others = [row for rows in group for row in rows.others]
        texts = [chunk.embedding_content for chunk in chunks]
        tokens, more = _tokens(chunks), _tokens(others)
        own = len(chunks) * tokens / max(tokens + more, 1)  # the chunks' share of the work, in chunks
        with self._timed(tokens, len(set(texts))):
            first = self._embedder.embed(
                texts, on_progress=lambda done: on_chunks(int(own * done / max(len(chunks), 1)))
            )
        self.embedded += len(self._embedder.last_encoded)
        if not others:
            return _by_document(group, first, np.zeros((0, self._embedder.dimension), np.float32))
        rest = (len(chunks) - own) / len(others)
        second = self._others(others, more, lambda done: on_chunks(int(own + rest * done)))
        return _by_document(group, first, second)

    def _others(self, rows: Sequence[Chunk], tokens: int, on_progress: Callable[[int], None]) -> np.ndarray:
        from chunking.embedding import embed_chunks

        with self._timed(tokens, len({row.embedding_content for row in rows})):
            embedded = embed_chunks(self._embedder, rows, on_progress=on_progress)
        self.embedded += embedded.computed
        return embedded.vectors

    @contextmanager
    def _timed(self, tokens: int, texts: int) -> Iterator[None]:
        """Time an embedding of `texts` different texts; only the share of them that was not cached counts."""
        before = self._embedder.texts_encoded
        with self._speed.timed() as took:
            yield
        encoded = self._embedder.texts_encoded - before
        if encoded:
            self._speed.add(tokens * encoded / texts, took[0])


class _Late:
    """Pools chunks of all sizes from the document's encoding, and embeds summaries alone."""

    def __init__(self, encodings: RunEncodings, embedder: CachedEmbedder) -> None:
        self.embedded = 0
        self._encodings, self._encoder = encodings, encodings.encoder
        self._embedder = embedder
        self._speed = _Speed()

    @property
    def tokens_per_second(self) -> float:
        return self._speed.value

    def of(self, group: Sequence[DocumentRows], on_chunks: OnChunks) -> list[np.ndarray]:
        import numpy as np

        done, firsts, seconds = 0, [], []
        for rows in group:
            size = len(rows.levels.chunks)
            vectors = self._document(rows, _growing(on_chunks, done, size, len(rows.document.text)))
            firsts.append(vectors[:size])
            seconds.append(vectors[size:])
            done += size
            on_chunks(done)
        return _by_document(group, np.concatenate(firsts), np.concatenate(seconds))

    def _document(self, rows: DocumentRows, on_characters: OnChunks) -> np.ndarray:
        """(n, d) vectors of the chunks, then of the other rows."""
        import numpy as np

        from chunking.embedding import embed_chunks

        chunks, encoded = rows.levels.chunks, self._encoder.documents_encoded
        summarised = [row for row in rows.others if not row.content]
        with self._speed.timed() as took:
            pooled = self._encoder.vectors(
                rows.document, [*chunks, *(row for row in rows.others if row.content)], on_characters
            )
        if self._encodings.encoded_now(rows.document):
            self.embedded += len(pooled)
            if self._encoder.documents_encoded > encoded:  # else encoded before, for splitting or enrichment
                self._speed.add(sum(chunk.token_count for chunk in chunks), took[0])
        else:
            self.embedded += self._encoder.rows_with_new_texts
        if not summarised:
            return pooled
        embedded = embed_chunks(self._embedder, summarised)
        self.embedded += embedded.computed
        return np.concatenate([pooled, embedded.vectors])


def _tokens(rows: Sequence[Chunk]) -> int:
    return sum(row.token_count for row in rows)


def _growing(on_chunks: OnChunks, done: int, chunks: int, characters: int) -> OnChunks:
    """Convert characters read of a document to chunks of the group."""
    return lambda read: on_chunks(done + chunks * read // max(characters, 1))


def _by_document(group: Sequence[DocumentRows], first: np.ndarray, second: np.ndarray) -> list[np.ndarray]:
    """Merge vectors of chunks and of other rows into one array per document, in row order."""
    import numpy as np

    arrays: list[np.ndarray] = []
    chunk = other = 0
    for rows in group:
        array = np.zeros((sum(1 for _ in rows), first.shape[1]), np.float32)
        size = len(rows.levels.chunks)
        array[:size] = first[chunk : chunk + size]
        places = [place for place, row in enumerate(rows) if row.level != PARENT][size:]
        array[places] = second[other : other + len(places)]
        arrays.append(array)
        chunk, other = chunk + size, other + len(places)
    return arrays


class _Speed:
    """Tokens through the model, and the time they took."""

    def __init__(self) -> None:
        self._seconds, self._tokens = 0.0, 0.0

    @contextmanager
    def timed(self) -> Iterator[list[float]]:
        """Yield a list that receives the seconds."""
        began, took = time.perf_counter(), [0.0]
        yield took
        took[0] = time.perf_counter() - began

    def add(self, tokens: float, seconds: float) -> None:
        """Record one timing sample."""
        self._tokens += tokens
        self._seconds += seconds

    @property
    def value(self) -> float:
        """Tokens a second; 0 if nothing was embedded."""
        return self._tokens / self._seconds if self._seconds else 0.0
