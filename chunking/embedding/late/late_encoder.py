"""Late chunking: encode a document once, in windows; a chunk's vector is the mean of its tokens.

After Günther et al., "Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models" (arXiv
2409.04701), with windows as long as the model reads instead of a long context. A change of size or overlap then needs
no model at all.

The titles before a chunk are encoded alone, each once, and added by their share of tokens; so is generated text. A
table's description adds column names to a part of the table: these are pooled from the document, so that a boundary at
another row needs no model either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import numpy as np

from chunking.embedding.base import CachedEmbedder, OnProgress, Unshared, VectorCache, Vectors, joint_hash
from chunking.embedding.late.context_parts import ContextParts, context_parts_of, read_states, title_texts
from chunking.embedding.late.document_encoding import Encoding, unit_length
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import Ints, unit_ends
from chunking.embedding.long_texts import embed_chunks
from chunking.model import Chunk, Document

__all__ = ["EncodingCache", "LateEncoder"]

_RULES = "units 2"
"""Changes when the same text is encoded differently."""


class EncodingCache(Protocol):
    """Protocol of a cache of serialised document encodings by key, such as `Workspace.encodings`."""

    def get(self, key: str) -> bytes | None:
        """Return the stored encoding of a key as bytes, or None."""

    def put(self, key: str, data: bytes) -> None:
        """Store the bytes of an encoding under a key."""

    def stored_keys(self, keys: list[str]) -> set[str]:
        """Return those of `keys` that have an encoding, without reading it."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context that claims the computation of encodings; see `VectorCache.claim`."""


class ContextTexts(NamedTuple):
    """Texts encoded alone and added to chunks' vectors, with the keys of each chunk's texts."""

    texts: dict[str, str]
    """Texts by their keys in the cache of vectors."""
    of_rows: list[frozenset[str]]
    """Keys of each chunk's texts."""


class LateEncoder:
    """Encoder for late chunking: pools chunks' vectors from one encoding of their document.

    Works with any local model. Most pool by the mean of their token states; for others `note` warns. Not to be shared
    by threads: it caches the last document.

    Args:
        embedder: the model.
        window: tokens that are read together; at most the model's limit.
        encodings: cache of document encodings, such as `Workspace.encodings`.
        vectors: cache of title states, such as `Workspace.vectors`.
    """

    def __init__(
        self,
        embedder: LocalEmbedder,
        window: int,
        encodings: EncodingCache | None = None,
        vectors: VectorCache | None = None,
    ) -> None:
        self.embedder = embedder
        self.window = min(window, embedder.max_tokens)
        self.calls = 0
        """Calls of the model so far."""
        self.documents_encoded = 0
        self.texts_encoded = 0
        """Titles and other context texts that were encoded alone."""
        self.rows_with_new_texts = 0
        """Chunks of the last call of `vectors` with a context text that was not cached."""
        self._newly_encoded: set[str] = set()
        self._encodings = encodings
        self._vectors: VectorCache = _MemoryCache() if vectors is None else vectors
        self._plain = CachedEmbedder(embedder, self._vectors)
        self._last: tuple[str, Encoding] | None = None

    @property
    def key(self) -> str:
        """Encoder as `name@revision+late256+precision`; equal keys mean equal vectors."""
        model, _, precision = self.embedder.key.rpartition("+")
        return f"{model}+late{self.window}+{precision}"

    @property
    def dimension(self) -> int:
        return self.embedder.dimension

    @property
    def note(self) -> str | None:
        """Warning for the user if the model does not pool by the mean, as late mode does; or None."""
        folder = self.embedder.folder
        if folder.pooling in ("mean", "mean_sqrt_len_tokens"):
            return None
        return (
            f"{folder.name} pools by {folder.pooling}, late chunking by the mean: compare both modes on your own "
            f"questions."
        )

    def encoding_key(self, document: Document) -> str:
        """Return the cache key of a document's encoding: 64 hex digits over encoder and exact text."""
        return self._key(_RULES, document.text)

    def encode(self, document: Document, on_progress: OnProgress | None = None) -> Encoding:
        """Return a document's encoding; encode and cache it and its titles if the caches lack them.

        Args:
            on_progress: called with the number of characters that are done; may raise to stop.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        stored = self._encoded(document, on_progress)
        self.text_states(title_texts(document))
        return stored

    def _encoded(self, document: Document, on_progress: OnProgress | None = None) -> Encoding:
        """Encode a document without its titles, which spans without context do not need."""
        stored = self._stored(document)
        if stored is None:
            before = self.key
            self.embedder.prepare()  # which may change the precision, and so the key
            stored = self._stored(document) if self.key != before else None
        if stored is None:
            stored = (
                self._encode(document.text, on_progress)
                if self._encodings is None
                else self._claimed(document, on_progress)
            )
        self._last = (self.encoding_key(document), stored)
        return stored

    def _claimed(self, document: Document, on_progress: OnProgress | None) -> Encoding:
        """Encode and cache a document, unless another process does so meanwhile."""
        assert self._encodings is not None
        key = self.encoding_key(document)
        with self._encodings.claim([key], lambda: None if on_progress is None else on_progress(0)):
            stored = self._stored(document)
            if stored is None:
                stored = self._encode(document.text, on_progress)
                self._encodings.put(key, stored.to_bytes())
        return stored

    def vectors(self, document: Document, chunks: Sequence[Chunk], on_progress: OnProgress | None = None) -> Vectors:
        """Return the vectors of a document's chunks of any size, context included.

        The document and context texts are encoded only if the caches lack them, and then cached.

        Summaries, which have no text of their own in the document, are embedded like any text.

        Args:
            on_progress: called with the number of characters of the document that are done; may raise to stop.
        Returns:
            (n, d) float32, rows of length 1.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        vectors = np.zeros((len(chunks), self.dimension), np.float32)
        cut = [number for number, chunk in enumerate(chunks) if chunk.content]
        rest = [number for number, chunk in enumerate(chunks) if not chunk.content]
        if cut:
            vectors[cut] = self._of_chunks(
                self._encoded(document, on_progress), document, [chunks[number] for number in cut]
            )
        if rest:
            before = self.embedder.calls
            vectors[rest] = embed_chunks(self._plain, [chunks[number] for number in rest]).vectors
            self.calls += self.embedder.calls - before
        return vectors

    def context_texts(self, document: Document, chunks: Sequence[Chunk]) -> ContextTexts:
        """Return the texts encoded alone for chunks, by cache key; nothing is encoded.

        They are the titles of the whole document, and generated texts of the chunks.
        """
        titles = title_texts(document)
        parts = [[part.text for part in context_parts_of(document, chunk, titles).texts] for chunk in chunks]
        keys = {
            text: self._key("alone", text)
            for text in dict.fromkeys([*titles, *(text for some in parts for text in some)])
        }
        return ContextTexts(
            {key: text for text, key in keys.items()}, [frozenset(keys[text] for text in some) for some in parts]
        )

    def pool(self, document: Document, starts: Ints, ends: Ints) -> Vectors:
        """Return the vectors of spans of a document, (n, d) float32, without titles.

        The document is encoded if the caches lack its encoding.
        """
        return self.to_vectors(*self._encoded(document).span_sums(starts, ends))

    def _of_chunks(self, encoding: Encoding, document: Document, chunks: Sequence[Chunk]) -> Vectors:
        sums, tokens = encoding.span_sums(_ints(chunk.start for chunk in chunks), _ints(chunk.end for chunk in chunks))
        titles = title_texts(document)
        parts_of_chunks = [context_parts_of(document, chunk, titles) for chunk in chunks]
        self._add_texts(parts_of_chunks, titles, sums, tokens)
        _add_spans(encoding, parts_of_chunks, sums, tokens)
        return self.to_vectors(sums, tokens)

    def _add_texts(
        self, parts_of_chunks: Sequence[ContextParts], titles: Sequence[str], sums: Vectors, tokens: Vectors
    ) -> None:
        """Add context texts to sums; all titles are encoded, as other sizes or prefixes may need them."""
        self._newly_encoded = set()
        states = self.text_states([*titles, *(part.text for one in parts_of_chunks for part in one.texts)])
        self.rows_with_new_texts = sum(
            any(part.text in self._newly_encoded for part in one.texts) for one in parts_of_chunks
        )
        for row, one in enumerate(parts_of_chunks):
            for part in one.texts:
                count = states[part.text][-1] * np.float32(part.share)
                sums[row] += states[part.text][:-1] * count
                tokens[row] += count

    def to_vectors(self, sums: Vectors, tokens: Vectors) -> Vectors:
        """Convert sums of token states and numbers of tokens to the model's unit vectors (n, d)."""
        if not self.embedder.has_head:
            return unit_length(sums)
        return self.embedder.head((sums / np.maximum(tokens, 1e-9)[:, None]).astype(np.float32))

    def _stored(self, document: Document) -> Encoding | None:
        key = self.encoding_key(document)
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        data = self._encodings.get(key) if self._encodings is not None else None
        try:
            return None if data is None else Encoding.from_bytes(data)
        except ValueError:  # a damaged row: the document is encoded again
            return None

    def _encode(self, text: str, on_progress: OnProgress | None) -> Encoding:
        pieces = self.embedder.pieces(text)
        ends = unit_ends(text, pieces)
        report = (
            None
            if on_progress is None
            else lambda tokens: on_progress(int(pieces.ends[tokens - 1]) if tokens else len(text))
        )
        read = read_states(self.embedder, self.window, [pieces], [ends], report)
        self.calls += 1
        self.documents_encoded += 1
        tokens = np.diff(ends, prepend=np.int32(0))
        means = (read.sums[0] / np.maximum(tokens, 1)[:, None]).astype(np.float16)
        return Encoding(pieces.starts[ends - tokens], pieces.ends[ends - 1], tokens, means, read.edge, read.edge_tokens)

    def text_states(self, texts: Iterable[str]) -> Mapping[str, Vectors]:
        """Return the mean token state and number of tokens of each text, (width + 1,), by text.

        Texts that the cache lacks are encoded and cached.
        """
        keys = {text: self._key("alone", text) for text in dict.fromkeys(texts)}
        cached = dict(self._vectors.get(list(keys.values()))) if keys else {}
        missing = [text for text, key in keys.items() if key not in cached]
        if missing:
            with self._vectors.claim([keys[missing[0]]], lambda: None):
                cached |= self._vectors.get([keys[text] for text in missing])
                missing = [text for text in missing if keys[text] not in cached]
                if missing:
                    encoded = dict(zip((keys[text] for text in missing), self._encode_texts(missing), strict=True))
                    self._vectors.put(encoded)
                    cached |= encoded
        return {text: cached[key] for text, key in keys.items()}

    def _encode_texts(self, texts: Sequence[str]) -> list[Vectors]:
        pieces = [self.embedder.pieces(text) for text in texts]
        counts = [len(one) for one in pieces]
        read = read_states(self.embedder, self.window, pieces, [_ints([count]) for count in counts])
        self.calls += 1
        self.texts_encoded += len(texts)
        self._newly_encoded.update(texts)
        return [
            np.append(sums[0] / max(count, 1), count).astype(np.float32)
            for sums, count in zip(read.sums, counts, strict=True)
        ]

    def _key(self, what: str, text: str) -> str:
        return joint_hash(self.key, self.embedder.prefix("passage"), what, joint_hash(text))


class _MemoryCache(Unshared):
    """Default cache of an encoder, in memory."""

    def __init__(self) -> None:
        self._rows: dict[str, Vectors] = {}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self._rows[key] for key in keys if key in self._rows}

    def put(self, rows: Mapping[str, Vectors]) -> None:
        self._rows.update(rows)


def _ints(numbers: Iterable[int]) -> Ints:
    return np.fromiter(numbers, np.int32)


def _add_spans(encoding: Encoding, parts_of_chunks: Sequence[ContextParts], sums: Vectors, tokens: Vectors) -> None:
    """Add header rows from elsewhere in the document, without special tokens, which each span has already."""
    rows = [row for row, one in enumerate(parts_of_chunks) for _ in one.spans]
    if not rows:
        return
    spans = [span for one in parts_of_chunks for span in one.spans]
    more, count = encoding.span_sums(_ints(span.start for span in spans), _ints(span.end for span in spans))
    np.add.at(sums, rows, more - encoding.edge * np.float32(encoding.edge_tokens))
    np.add.at(tokens, rows, count - np.float32(encoding.edge_tokens))
