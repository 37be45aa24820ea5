"""Compact snapshots of encodings and vectors, so that their texts need no model.

A state's 384 numbers are rounded to 8 bits, with one factor a row. Each is restored with a cosine of at least 0.9999;
vectors of chunks, which are means over many states, are nearer still. 16 bits would take twice as much.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import Vectors
from chunking.embedding.late.document_encoding import Encoding
from chunking.embedding.late.late_encoder import LateEncoder
from chunking.embedding.model_folder import model_of
from chunking.model import Document

if TYPE_CHECKING:
    from chunking.embedding.base import Role
    from chunking.embedding.local.local_embedder import LocalEmbedder

__all__ = ["EncodingSnapshot", "Rounded", "VectorSnapshot"]


@dataclass(frozen=True, slots=True)
class Rounded:
    """Rows of numbers as 8-bit integers, with one factor a row."""

    values: NDArray[np.int8]
    """(n, d)."""
    factors: Vectors
    """(n,)."""

    @classmethod
    def of(cls, rows: NDArray[np.floating]) -> Rounded:
        """Round (n, d) numbers to 8 bits, relative to the largest of each row."""
        exact = np.asarray(rows, np.float32)
        factors = np.maximum(np.abs(exact).max(axis=1, initial=0.0), 1e-9) / np.float32(127)
        return cls(np.rint(exact / factors[:, None]).astype(np.int8), factors.astype(np.float32))

    def rows(self) -> Vectors:
        """Return the restored (n, d) float32 numbers.

        >>> Rounded.of(np.array([[1.0, -0.5], [0.0, 0.0]])).rows().round(2).tolist()
        [[1.0, -0.5], [0.0, 0.0]]
        """
        return self.values.astype(np.float32) * self.factors[:, None]


@dataclass(frozen=True, slots=True)
class EncodingSnapshot:
    """Encodings of documents and token states of their titles, by one encoder, rounded to 8 bits."""

    units: NDArray[np.int32]
    """(documents,) number of units of each."""
    places: NDArray[np.int32]
    """(3, u) first character, one past the last, and tokens of each unit."""
    states: Rounded
    """(u, width) means."""
    edges: Vectors
    """(documents, width + 1) mean state of each document's special tokens, and how many are pooled."""
    titles: Rounded
    """(t, width) mean states of the titles of all documents, in the order of `_titles`."""
    title_tokens: NDArray[np.int32]
    """(t,)."""

    @classmethod
    def of(cls, documents: Sequence[Document], encoder: LateEncoder) -> EncodingSnapshot:
        """Take a snapshot of at least one document, encoding it or loading it from the caches."""
        encoded = [encoder.encode(document) for document in documents]
        keys = _titles(documents, encoder)
        titles = np.stack(list(encoder.text_states(keys.values()).values()))
        return cls(
            np.array([len(one.starts) for one in encoded], np.int32),
            np.concatenate([np.stack([one.starts, one.ends, one.tokens]) for one in encoded], axis=1).astype(np.int32),
            Rounded.of(np.concatenate([one.means for one in encoded])),
            np.stack([np.append(one.edge, np.float32(one.edge_tokens)) for one in encoded]).astype(np.float32),
            Rounded.of(titles[:, :-1]),
            titles[:, -1].astype(np.int32),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> EncodingSnapshot:
        """Return the snapshot with the arrays of `arrays`. Raises KeyError if one is missing."""
        states = Rounded(arrays["states"], arrays["state_factors"])
        titles = Rounded(arrays["titles"], arrays["title_factors"])
        return cls(arrays["units"], arrays["places"], states, arrays["edges"], titles, arrays["title_tokens"])

    def arrays(self) -> dict[str, Any]:
        """Return the snapshot's arrays by name, to write to a file."""
        states, titles = self.states, self.titles
        rounded = {
            "states": states.values,
            "state_factors": states.factors,
            "titles": titles.values,
            "title_factors": titles.factors,
        }
        return rounded | {
            "units": self.units,
            "places": self.places,
            "edges": self.edges,
            "title_tokens": self.title_tokens,
        }

    def encodings(self, documents: Sequence[Document], encoder: LateEncoder) -> dict[str, bytes]:
        """Return the serialised encodings by the cache keys of `encoder`.

        Args:
            documents: the encoded documents, in the same order.
        """
        means, ends, packed = self.states.rows().astype(np.float16), np.cumsum(self.units), dict[str, bytes]()
        for document, edge, first, after in zip(documents, self.edges, ends - self.units, ends, strict=True):
            starts, stops, tokens = self.places[:, first:after]
            one = Encoding(starts, stops, tokens, means[first:after], edge[:-1], float(edge[-1]))
            packed[encoder.encoding_key(document)] = one.to_bytes()
        return packed

    def title_states(self, documents: Sequence[Document], encoder: LateEncoder) -> dict[str, Vectors]:
        """Return mean state and token count of each title, by the cache keys of `encoder`.

        Args:
            documents: the encoded documents, in the same order.
        """
        rows = np.column_stack([self.titles.rows(), self.title_tokens]).astype(np.float32)
        return dict(zip(_titles(documents, encoder), rows, strict=True))


def _titles(documents: Sequence[Document], encoder: LateEncoder) -> dict[str, str]:
    """Titles of all documents by their keys in the cache of vectors."""
    return {key: text for document in documents for key, text in encoder.context_texts(document, ()).texts.items()}


# -- vectors of texts


@dataclass(frozen=True, slots=True)
class VectorSnapshot:
    """Vectors of passages or queries by one model, by digests of their texts."""

    model: str
    """`model_of` the embedder's key: name and revision, without the precision (the fifth digit)."""
    digests: NDArray[np.uint8]
    """(n, 32) sha256 of the texts, ascending, so that equal vectors give equal files."""
    vectors: NDArray[np.float16]
    """(n, d), unit length, rounded to 16 bits: within a cosine of 0.999999 of the originals."""

    @classmethod
    def of(cls, vectors: Mapping[str, NDArray[np.float32]], embedder: LocalEmbedder) -> VectorSnapshot:
        """Take a snapshot of an embedder's vectors, given by text; at least one."""
        rows = sorted((_digest(text), text) for text in vectors)
        digests = np.frombuffer(b"".join(digest for digest, _ in rows), np.uint8).reshape(-1, 32)
        return cls(model_of(embedder.key), digests, np.stack([vectors[text] for _, text in rows]).astype(np.float16))

    @property
    def rows(self) -> NDArray[np.float32]:
        """Vectors (n, d) float32, normalised again."""
        vectors = self.vectors.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """Return the row number of each text. Raises KeyError for an unknown text."""
        places = {digest.tobytes(): number for number, digest in enumerate(self.digests)}
        return [places[_digest(text)] for text in texts]

    def fits(self, embedder: LocalEmbedder, role: Role = "passage") -> bool:
        """True if the embedder has the same model, and the model's own prefix for the role."""
        folder = embedder.folder
        own = folder.query_prefix if role == "query" else folder.passage_prefix
        return model_of(embedder.key) == self.model and embedder.prefix(role) == own

    def keyed(self, embedder: LocalEmbedder, role: Role = "passage") -> dict[str, NDArray[np.float32]]:
        """Return the vectors by the cache keys of their texts in an embedder that `fits`."""
        keys = (embedder.digest_key(digest.tobytes().hex(), role) for digest in self.digests)
        return dict(zip(keys, self.rows, strict=True))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
