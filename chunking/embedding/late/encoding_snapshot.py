"""Encodings of some documents and their titles in few bytes: where they are at hand, live recall needs no model.

A state's 384 numbers are rounded to 8 bits and one factor a row. What comes back has a cosine of at least 0.9999 to
what was put in,
and vectors of chunks, which are means over many states, are nearer still; in 16 bits the same would take twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import Vectors
from chunking.embedding.late.document_encoding import Encoding
from chunking.embedding.late.late_encoder import LateEncoder
from chunking.model import Document

__all__ = ["EncodingSnapshot", "Rounded"]


@dataclass(frozen=True, slots=True)
class Rounded:
    """Rows of numbers, each rounded to 8 bits of its largest one."""

    values: NDArray[np.int8]
    """(n, d)."""
    factors: Vectors
    """(n,)."""

    @classmethod
    def of(cls, rows: NDArray[np.floating]) -> Rounded:
        """Round (n, d) numbers."""
        exact = np.asarray(rows, np.float32)
        factors = np.maximum(np.abs(exact).max(axis=1, initial=0.0), 1e-9) / np.float32(127)
        return cls(np.rint(exact / factors[:, None]).astype(np.int8), factors.astype(np.float32))

    def rows(self) -> Vectors:
        """(n, d) float32.

        >>> Rounded.of(np.array([[1.0, -0.5], [0.0, 0.0]])).rows().round(2).tolist()
        [[1.0, -0.5], [0.0, 0.0]]
        """
        return self.values.astype(np.float32) * self.factors[:, None]


@dataclass(frozen=True, slots=True)
class EncodingSnapshot:
    """The encodings of documents, one after the other, and what was made of their titles; of one encoder."""

    units: NDArray[np.int32]
    """(documents,) how many units each has."""
    places: NDArray[np.int32]
    """(3, u) first character, one past the last, and tokens of each unit."""
    states: Rounded
    """(u, width) means."""
    edges: Vectors
    """(documents, width + 1) what surrounds a window in each document, and how many tokens of it are pooled."""
    titles: Rounded
    """(t, width) mean states of the titles of all documents, in the order of `_titles`."""
    title_tokens: NDArray[np.int32]
    """(t,)."""

    @classmethod
    def of(cls, documents: Sequence[Document], encoder: LateEncoder) -> EncodingSnapshot:
        """Encode documents, at least one, or look them up."""
        made = [encoder.encode(document) for document in documents]
        keys = _titles(documents, encoder)
        titles = np.stack(list(encoder.alone(keys.values()).values()))
        return cls(
            np.array([len(one.starts) for one in made], np.int32),
            np.concatenate([np.stack([one.starts, one.ends, one.tokens]) for one in made], axis=1).astype(np.int32),
            Rounded.of(np.concatenate([one.means for one in made])),
            np.stack([np.append(one.edge, np.float32(one.edge_tokens)) for one in made]).astype(np.float32),
            Rounded.of(titles[:, :-1]),
            titles[:, -1].astype(np.int32),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> EncodingSnapshot:
        """What `arrays` gave. Raises KeyError."""
        states = Rounded(arrays["states"], arrays["state_factors"])
        titles = Rounded(arrays["titles"], arrays["title_factors"])
        return cls(arrays["units"], arrays["places"], states, arrays["edges"], titles, arrays["title_tokens"])

    def arrays(self) -> dict[str, Any]:
        """For a file."""
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
        """The encodings by the keys under which `encoder` looks them up.

        Args:
            documents: those that they were made of, in the same order.
        """
        means, ends, found = self.states.rows().astype(np.float16), np.cumsum(self.units), dict[str, bytes]()
        for document, edge, first, after in zip(documents, self.edges, ends - self.units, ends, strict=True):
            starts, stops, tokens = self.places[:, first:after]
            one = Encoding(starts, stops, tokens, means[first:after], edge[:-1], float(edge[-1]))
            found[encoder.encoding_key(document)] = one.to_bytes()
        return found

    def title_states(self, documents: Sequence[Document], encoder: LateEncoder) -> dict[str, Vectors]:
        """The states of the titles of these documents by the keys under which `encoder` looks them up in the cache of
        vectors.
        """
        rows = np.column_stack([self.titles.rows(), self.title_tokens]).astype(np.float32)
        return dict(zip(_titles(documents, encoder), rows, strict=True))


def _titles(documents: Sequence[Document], encoder: LateEncoder) -> dict[str, str]:
    """The titles of all documents, by their keys in the cache of vectors."""
    return {key: text for document in documents for key, text in encoder.context_texts(document, ()).texts.items()}
