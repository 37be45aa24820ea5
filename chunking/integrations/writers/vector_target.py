"""Interface of a vector store to write to: its rows, its methods, and its errors as one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from chunking.errors import ChunkscopeError, StoreError
from chunking.export.frameworks import flat_metadata
from chunking.model import Chunk

if TYPE_CHECKING:
    import numpy as np

    from chunking.store import Index

__all__ = [
    "DIGEST",
    "GuardedTarget",
    "VectorRow",
    "VectorTarget",
    "foreign_rows",
    "other_dimension",
    "target_faults",
    "vector_rows",
]

_MISTAKES = (TypeError, AttributeError, NameError, AssertionError)
"""Exceptions that are bugs of Chunkscope, not of a store: raised unchanged."""
_LONGEST_REASON = 200
DIGEST = "chunkscope_digest"
"""Name of the digest in every store; rows without one were not written by Chunkscope."""


@dataclass(frozen=True)
class VectorRow:
    """Chunk of an index with its vector."""

    chunk: Chunk
    vector: np.ndarray
    """(d,) float32, identical to the index's."""

    @property
    def id(self) -> str:
        return self.chunk.chunk_id

    @property
    def text(self) -> str:
        """Text of the span; for a summary its text."""
        return self.chunk.content or self.chunk.summary

    @cached_property
    def metadata(self) -> dict[str, str | int]:
        """Metadata as in the exports, and the `prefix` embedded in front of the text."""
        prefix = {"prefix": self.chunk.prefix} if self.chunk.prefix else {}
        return flat_metadata(self.chunk) | prefix

    @cached_property
    def digest(self) -> str:
        """Digest of text, metadata and vector, 32 hex digits: equal digests need no writing."""
        text = json.dumps([self.text, self.metadata], ensure_ascii=True, sort_keys=True).encode()
        return blake2b(text + self.vector.tobytes(), digest_size=16).hexdigest()


def vector_rows(index: Index, chunks: Sequence[Chunk]) -> list[VectorRow]:
    """Return chunks with their vectors, read from the index in one query; omit those without."""
    vectors = index.vectors_by_id([chunk.chunk_id for chunk in chunks])
    return [VectorRow(chunk, vectors[chunk.chunk_id]) for chunk in chunks if chunk.chunk_id in vectors]


class VectorTarget(Protocol):
    """Open collection of a vector store that holds only rows of `write_index`."""

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        """Return by chunk id the digests that the store holds; ids that it lacks are missing."""

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Insert rows, or replace those with the same id."""

    def ids(self) -> Iterator[str]:
        """Yield the ids of all stored chunks, read page by page."""

    def delete(self, ids: Sequence[str]) -> None:
        """Delete rows by their chunk ids; missing ids are ignored."""

    def close(self) -> None:
        """Flush everything to disk and release the store."""


class GuardedTarget:
    """Target whose store's exceptions become StoreErrors; bugs (`_MISTAKES`) pass unchanged.

    Args:
        place: location of the store, for the message.
    """

    def __init__(self, target: VectorTarget, place: str) -> None:
        self._target, self._place = target, place

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        with target_faults(self._place, "reading it"):
            return self._target.digests(rows)

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        with target_faults(self._place, "writing to it"):
            self._target.upsert(rows)

    def ids(self) -> Iterator[str]:
        with target_faults(self._place, "reading it"):
            yield from self._target.ids()

    def delete(self, ids: Sequence[str]) -> None:
        with target_faults(self._place, "deleting from it"):
            self._target.delete(ids)

    def close(self) -> None:
        with target_faults(self._place, "closing it"):
            self._target.close()


@contextmanager
def target_faults(place: str, what: str) -> Iterator[None]:
    """Convert a store's exceptions into StoreError; bugs and ChunkscopeErrors pass unchanged.

    Args:
        what: the action, such as `reading it`.
    """
    try:
        yield
    except (ChunkscopeError, *_MISTAKES):
        raise
    except Exception as error:
        reason = re.sub(r"\s+", " ", str(error)).strip()[:_LONGEST_REASON] or type(error).__name__
        message = (
            f"The store at {place} failed while {what} ({reason}); check it and run again: what was written stays."
        )
        raise StoreError(message, where=place) from error


def foreign_rows(collection: str, place: str) -> StoreError:
    """Return the error for a collection with rows that Chunkscope did not write."""
    message = (
        f"The collection {collection} at {place} holds rows that Chunkscope did not write; name another collection."
    )
    return StoreError(message, where=collection)


def other_dimension(collection: str, place: str, there: int, dimension: int) -> StoreError:
    """Return the error for a collection with vectors of another dimension."""
    message = (
        f"The collection {collection} at {place} holds vectors of {there} dimensions, and the index {dimension}; name "
        "another collection, or delete this one."
    )
    return StoreError(message, where=collection)
