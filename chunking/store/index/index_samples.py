"""Reads of a bounded part of an index: some documents, and an even sample of vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from chunking.model import CHUNK, Chunk
from chunking.store.engine.filters import clean
from chunking.store.index.index_reading import IndexReads, LevelVectors, level_vectors
from chunking.store.index.indexed_documents import Indexed

__all__ = ["IndexSamples", "VectorSample", "first_chunks", "spread"]

_AT_ONCE = 50
"""Documents read in one query."""


class VectorSample(NamedTuple):
    """Vectors of chunks, evenly spread over an index, and the number of all its chunks."""

    vectors: LevelVectors
    total: int


class IndexSamples(IndexReads):
    """Base with reads of some documents or a sample of an index."""

    def some_documents(self, doc_ids: Collection[str]) -> dict[str, Indexed]:
        """Return what `documents` returns for some documents, in one query; unknown ids are left out."""
        from lancedb.expr import col, lit

        if not doc_ids:
            return {}
        where = col("doc_id").isin([clean(doc_id) for doc_id in doc_ids]) & (col("chunk_index") == lit(0))
        return self._documents_where(where).as_dict()

    def vector_sample(self, most: int) -> VectorSample:
        """Return the vectors of all chunks, or of about `most` of them, evenly spread over the table.

        One version of an index always gives the same sample; memory grows with `most` only.
        """
        total = self.count()
        if total <= most:
            return VectorSample(self.vectors_of(), total)
        every = self.on_table("counting the rows", lambda table: int(table.count_rows()))
        offsets = spread(every, most * every // total)
        rows = self._tables.columns(
            f"reading the index {self.name}",
            self.row.table,
            lambda: self._table()._table.take_offsets(offsets),
            ("id", "doc_id", "chunk_index", "vector", "level"),
        )
        rows = rows.filter([level in (None, CHUNK) for level in rows["level"].to_pylist()])
        return VectorSample(level_vectors(rows, self.dimension), total)


def first_chunks(index: IndexReads, doc_ids: Iterable[str], levels: Sequence[str]) -> Iterator[Chunk]:
    """Yield the chunks of some documents in the order of `stream_chunks`, counting none before.

    Args:
        doc_ids: documents that the index may hold, in any order; clusters are left out.
    """
    order = {level: place for place, level in enumerate(dict.fromkeys(levels))}
    every = sorted(doc_ids)
    for first in range(0, len(every), _AT_ONCE):
        some = every[first : first + _AT_ONCE]
        chunks = (chunk for chunk in index.of_documents(some) if chunk.level in order)
        yield from sorted(chunks, key=lambda chunk: (chunk.doc_id, order[chunk.level], chunk.chunk_index))


def spread(count: int, most: int) -> list[int]:
    """Return at most `most` of `count` indices, evenly spaced.

    >>> spread(5, 10), spread(10, 4)
    ([0, 1, 2, 3, 4], [0, 3, 6, 9])
    """
    most = min(count, most)
    return [at * (count - 1) // max(most - 1, 1) for at in range(most)]
