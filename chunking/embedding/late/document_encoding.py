"""Encoding of a document as token means of its sentences, from which vectors of any span are pooled."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import Vectors
from chunking.embedding.local.token_windows import Ints

__all__ = ["Encoding", "unit_length"]

_MAGIC = b"CSLE1\n"
_SIZES = struct.Struct("<IIf")


@dataclass(frozen=True, eq=False)  # no slots: running sums are made when they are first asked for
class Encoding:
    """Encoding of a document: mean token states of units of at most 32 tokens, mostly sentences.

    Means are stored instead of sums: with the number of tokens they say the same, and 32 large states do not overflow
    float16.
    """

    starts: Ints
    """(u,) first character of each unit, ascending."""
    ends: Ints
    """(u,) one past its last; text between two units has no tokens."""
    tokens: Ints
    """(u,) tokens in it, >= 1."""
    means: NDArray[np.float16]
    """(u, width)."""
    edge: Vectors
    """(width,) mean state of a window's special tokens, which belong to the vector of every text and span."""
    edge_tokens: float
    """Number of special tokens pooled in a window."""

    def pool(self, starts: Ints, ends: Ints) -> Vectors:
        """Return the vectors of spans: the normalised mean of their token states; no model is used.

        A part of a unit counts by its share of characters. A span without tokens gets the vector of the windows'
        special tokens.

        Args:
            starts, ends: (n,) characters of the document.
        Returns:
            (n, width) float32, rows of length 1.
        """
        sums, _ = self.span_sums(starts, ends)
        return unit_length(sums)

    def span_sums(self, starts: Ints, ends: Ints) -> tuple[Vectors, Vectors]:
        """Return the sums of token states over spans, each with a window's special tokens added.

        Returns:
            (n, width) float32 sums, and (n,) float32 numbers of tokens.
        """
        low, high = self._places(starts), self._places(ends)
        tokens = self._tokens_before(high) - self._tokens_before(low)
        sums = self._sums_before(high) - self._sums_before(low) + tokens[:, None] * self._middle
        return sums + self.edge * np.float32(self.edge_tokens), (tokens + np.float32(self.edge_tokens)).astype(
            np.float32
        )

    @cached_property
    def _middle(self) -> Vectors:
        """Mean state of the document; running sums are of deviations from it, which keeps float32 exact."""
        weights = self.tokens.astype(np.float64)
        total = weights @ self.means if len(weights) else np.zeros(self.means.shape[1])
        middle: Vectors = (total / max(weights.sum(), 1.0)).astype(np.float32)
        return middle

    @cached_property
    def _running(self) -> tuple[Vectors, Vectors]:
        """(u + 1, width) sums and (u + 1,) numbers of tokens before each unit."""
        deviations = (self.means.astype(np.float32) - self._middle) * self.tokens[:, None].astype(np.float32)
        sums = np.zeros((len(deviations) + 1, self.means.shape[1]), np.float32)
        np.cumsum(deviations, axis=0, out=sums[1:])
        counts = np.concatenate(([0], np.cumsum(self.tokens))).astype(np.float32)
        return sums, counts

    def _places(self, offsets: Ints) -> tuple[Ints, Vectors]:
        """Unit of each offset, and the share of it before the offset, 0 to 1."""
        offsets = np.asarray(offsets, np.int32)
        if not len(self.starts):
            return np.zeros(len(offsets), np.int32), np.zeros(len(offsets), np.float32)
        unit = np.maximum(np.searchsorted(self.starts, offsets, side="right") - 1, 0).astype(np.int32)
        share = (offsets - self.starts[unit]) / np.maximum(self.ends[unit] - self.starts[unit], 1)
        return unit, np.clip(share, 0.0, 1.0).astype(np.float32)

    def _sums_before(self, places: tuple[Ints, Vectors]) -> Vectors:
        unit, share = places
        sums = self._running[0]
        after = np.minimum(unit + 1, len(sums) - 1)
        pooled: Vectors = sums[unit] + share[:, None] * (sums[after] - sums[unit])
        return pooled

    def _tokens_before(self, places: tuple[Ints, Vectors]) -> Vectors:
        unit, share = places
        counts = self._running[1]
        after = np.minimum(unit + 1, len(counts) - 1)
        pooled: Vectors = counts[unit] + share * (counts[after] - counts[unit])
        return pooled

    def to_bytes(self) -> bytes:
        """Serialise for a cache; about 6.7 bytes a character of text."""
        sizes = _SIZES.pack(len(self.starts), self.means.shape[1], self.edge_tokens)
        spans = np.stack([self.starts, self.ends, self.tokens]).astype("<i4")
        return b"".join(
            [_MAGIC, sizes, spans.tobytes(), self.means.astype("<f2").tobytes(), self.edge.astype("<f4").tobytes()]
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Encoding:
        """Return the encoding in the output of `to_bytes`.

        Raises:
            ValueError: the bytes are something else, or incomplete.
        """
        if not data.startswith(_MAGIC) or len(data) < len(_MAGIC) + _SIZES.size:
            raise ValueError("These bytes are not a saved encoding: encode the document again.")
        units, width, edge_tokens = _SIZES.unpack_from(data, len(_MAGIC))
        at = len(_MAGIC) + _SIZES.size
        if len(data) != at + units * (12 + 2 * width) + 4 * width:
            raise ValueError(
                f"A saved encoding of {units} units has {len(data)} bytes, which is not its size: encode the "
                f"document again."
            )
        starts, ends, tokens = np.frombuffer(data, "<i4", 3 * units, at).reshape(3, units)
        means = np.frombuffer(data, "<f2", units * width, at + 12 * units).reshape(units, width)
        return cls(starts, ends, tokens, means, np.frombuffer(data, "<f4", width, len(data) - 4 * width), edge_tokens)


def unit_length(sums: Vectors) -> Vectors:
    """Normalise rows to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    vectors: Vectors = (sums / np.maximum(lengths, 1e-9)).astype(np.float32)
    return vectors
