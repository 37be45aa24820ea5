"""Reads of an index by id, document and level, each one query; neighbours and matrices of vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from hashlib import blake2b
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

from chunking.model import CHUNK, PARENT, Chunk
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import sql
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS, no_rows, restored_chunks
from chunking.store.index.indexed_documents import LIST_COLUMNS, Indexed, IndexedDocuments
from chunking.store.index.open_index import OpenIndex, known_levels, level_condition

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["IndexReads", "LevelVectors", "Neighbours", "text_digest"]


_VECTOR_COLUMNS = ("id", "doc_id", "chunk_index", "vector")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Neighbours of chunks, outlines of their documents, and further rows asked for."""

    by_chunk: Mapping[str, tuple[Chunk, ...]]
    """Chunk id to the chunks before and after it, in reading order, without the chunk itself."""
    doc_tocs: Mapping[str, str]
    """Document id to its outline."""
    also: Mapping[str, Chunk] = field(default_factory=dict)
    """Rows of the further ids and parents asked for, as far as they exist."""


class IndexReads(OpenIndex):
    """Base with the reading methods of an index; `level` defaults to chunks of the configured size."""

    def rows_by_id(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return chunks of any level by id, in one query; missing ids are left out."""
        return {chunk.chunk_id: chunk for chunk in restored_chunks(self._rows_by_id(ids, self._chunk_fields))}

    chunks_by_id = rows_by_id

    def _rows_by_id(self, ids: Iterable[str], columns: Sequence[str], parents: Collection[str] = ()) -> pa.Table:
        """Rows with some ids, and chunks and parents whose parent is in `parents`."""
        from lancedb.expr import col

        clean_ids = list(dict.fromkeys(clean(chunk_id) for chunk_id in ids))
        parts = [col("id").isin(clean_ids)] if clean_ids else []
        if parents:  # larger sizes and nodes of subsections have the same parent, but repeat its text
            only = level_condition(known_levels(self._tables, self.row), (CHUNK, PARENT))
            below = col("parent_id").isin(list(parents))
            parts.append(below if only is None else below & only)
        return self._columns(columns, reduce(or_, parts)) if parts else no_rows(columns)

    def level_by_id(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the level of each row by id, in one query; missing ids are left out."""
        rows = self._rows_by_id(ids, ("id", "level")).to_pylist()
        return {row["id"]: row["level"] or CHUNK for row in rows}

    def chunks_of(self, doc_id: str, level: str = CHUNK) -> list[Chunk]:
        """Return a document's chunks of one level in order; empty if it is not in the index."""
        from lancedb.expr import col, lit

        return self._chunks(level, col("doc_id") == lit(clean(doc_id)))

    def of_documents(self, doc_ids: Iterable[str]) -> list[Chunk]:
        """Return all rows of documents, of every level, as chunks, in one query, unordered."""
        from lancedb.expr import col

        clean_ids = [clean(doc_id) for doc_id in doc_ids]
        return restored_chunks(self._columns(self._chunk_fields, col("doc_id").isin(clean_ids))) if clean_ids else []

    def by_level(self, level: str) -> list[Chunk]:
        """Return all chunks of one level, sorted by document id and position."""
        return self._chunks(level)

    def _chunks(self, level: str, where: Any | None = None) -> list[Chunk]:
        chunks = restored_chunks(self._columns_of_level(self._chunk_fields, level, where))
        return sorted(chunks, key=lambda chunk: (chunk.doc_id, chunk.chunk_index))

    def neighbours(
        self,
        chunks: Sequence[Chunk],
        before: int,
        after: int,
        *,
        across_parents: bool = False,
        tocs: bool = True,
        also: Iterable[str] = (),
        children_of: Iterable[str] = (),
    ) -> Neighbours:
        """Return chunks' neighbours, outlines of their documents, and other rows, in one query.

        Args:
            chunks: of any level; neighbours are of the same level.
            before: most chunks before each, and `after` after it; fewer at a gap or another parent.
            across_parents: False stops at the first chunk with another `parent_id`.
            also: ids of other rows of any level, such as the chunks' parents.
            tocs: read the outlines, too.
            children_of: ids of parents whose children (chunks or parents) are read too: a section has no other text.
        """
        besides, parents = [clean(chunk_id) for chunk_id in also], {clean(parent_id) for parent_id in children_of}
        firsts = [f"{chunk.doc_id}_chunk0" for chunk in chunks if chunk.doc_id] if tocs else []
        ids = [*neighbour_ids(chunks, before, after), *firsts, *besides]
        rows = self._rows_by_id(ids, (*self._chunk_fields, "doc_toc"), parents)
        read = restored_chunks(rows)
        chunks_by_id = {chunk.chunk_id: chunk for chunk in read}
        return Neighbours(
            {chunk.chunk_id: neighbours_of(chunk, chunks_by_id, before, after, across_parents) for chunk in chunks},
            {
                chunk.doc_id: toc
                for chunk, toc in zip(read, rows["doc_toc"].to_pylist(), strict=True)
                if _has_outline(chunk)
            },
            {
                **{chunk_id: chunks_by_id[chunk_id] for chunk_id in besides if chunk_id in chunks_by_id},
                **{chunk_id: chunk for chunk_id, chunk in chunks_by_id.items() if chunk.parent_id in parents},
            },
        )

    def documents(self) -> dict[str, Indexed]:
        """Return fingerprint, stamp and number of chunks of each indexed document, by document id."""
        return self.indexed_documents().as_dict()

    def indexed_documents(self) -> IndexedDocuments:
        """Return the indexed documents as columns.

        They are kept for all users of a workspace, and read again only after a write that is not this process's.
        """
        from lancedb.expr import col, lit

        stamp = self._tables.stamp(self.row.table)  # before the rows, so that a concurrent write has a newer one
        listed = self._listed(stamp)
        if listed is None:
            listed = self._documents_where(col("chunk_index") == lit(0))
            self._tables.listings[self.row.table] = stamp, listed
        return listed

    def _documents_where(self, where: Any) -> IndexedDocuments:
        return IndexedDocuments(self._columns_of_level(LIST_COLUMNS, CHUNK, where))

    def _listed(self, stamp: str) -> IndexedDocuments | None:
        kept: tuple[str, IndexedDocuments | None] = self._tables.listings.get(self.row.table, ("", None))
        return kept[1] if kept[0] == stamp else None

    @contextmanager
    def _writing(self, doc_ids: Collection[str], rows: pa.Table | None = None) -> Iterator[None]:
        """Update the documents that are kept, if they are current, after the one commit of a `with` block.

        After any other commit meanwhile they are read again.

        Args:
            doc_ids: documents whose rows are replaced or deleted.
            rows: those added, of any documents and levels.
        """
        name = self.row.table
        version, stamp = self._tables.version(name), self._tables.stamp(name)  # in this order, or a commit is missed
        yield
        listed = self._listed(stamp)
        if listed is not None:
            stamp = self._tables.stamp(name)
            if self._tables.version(name) <= version + 1:
                self._tables.listings[name] = stamp, listed.after_write(doc_ids, rows)

    def document_fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each indexed document's chunks, by document id."""
        return {doc_id: document.fingerprint for doc_id, document in self.documents().items()}

    def vector_texts(self, doc_ids: Collection[str] | None = None) -> dict[str, Counter[bytes]]:
        """Count each document's embedded texts by digest (`text_digest`), by document id.

        Clusters are under an empty id. Parents are left out, since they have no vector.

        Args:
            doc_ids: documents to read; None: all.
        """
        from lancedb.expr import col

        if doc_ids is not None and not doc_ids:
            return {}
        where = None if doc_ids is None else col("doc_id").isin([clean(doc_id) for doc_id in doc_ids])
        digests: dict[str, Counter[bytes]] = {}
        for row in self._read(("doc_id", "level", "embedding_content"), where):
            if row["level"] != PARENT:
                digests.setdefault(row["doc_id"], Counter())[text_digest(row["embedding_content"])] += 1
        return digests

    def levels_by_document(self, doc_ids: Collection[str] | None = None) -> dict[str, Counter[str]]:
        """Return each document's number of rows by level; those of clusters under an empty id.

        Args:
            doc_ids: documents to read; None: all.
        """
        from lancedb.expr import col

        if doc_ids is not None and not doc_ids:
            return {}
        where = None if doc_ids is None else col("doc_id").isin([clean(doc_id) for doc_id in doc_ids])
        counts: dict[str, Counter[str]] = {}
        rows = self._columns(("doc_id", "level"), where).group_by(["doc_id", "level"]).aggregate([([], "count_all")])
        for doc_id, level, count in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
            counts.setdefault(doc_id, Counter())[level or CHUNK] += count
        return counts

    def count(self, level: str = CHUNK) -> int:
        """Return the number of rows of one level."""
        if not self._may_hold(level):
            return 0
        where = self._only(level)
        counted = partial(self._table().count_rows, None if where is None else sql(where))
        return int(self._tables.run(f"reading the index {self.name}", counted))

    def ids(self, level: str = CHUNK) -> list[str]:
        """Return the ids of the rows of one level, unordered."""
        ids: list[str] = self._columns_of_level(("id",), level)["id"].to_pylist()
        return ids

    def vectors_by_id(self, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """Return vectors of rows of any level by id, (d,) float32; rows without one are left out."""
        from lancedb.expr import col

        clean_ids = list(dict.fromkeys(clean(chunk_id) for chunk_id in ids))
        stored = level_vectors(self._vectors(col("id").isin(clean_ids)) if clean_ids else None, self.dimension)
        return dict(zip(stored.ids, stored.vectors, strict=True))

    def vectors_of(self, level: str = CHUNK) -> LevelVectors:
        """Return the vectors of one level as a matrix with ids, sorted by document id and position."""
        return level_vectors(self._vectors(self._only(level)) if self._may_hold(level) else None, self.dimension)

    def _vectors(self, where: Any | None) -> Any:
        query = self._query().select(list(_VECTOR_COLUMNS))
        return self._tables.fetch(f"reading the index {self.name}", query if where is None else query.where(where))

    def document_vectors(self) -> tuple[list[str], np.ndarray]:
        """Return document ids, and each one's mean chunk vector, (n, d) float32 of unit length."""
        return unit_means(self.vectors_of())

    def table_rows(self, doc_ids: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Return every row of the table, or of documents, unordered, with all columns except the vector."""
        from lancedb.expr import col

        where = None if doc_ids is None else col("doc_id").isin([clean(doc_id) for doc_id in doc_ids])
        return self._read(tuple(CHUNK_COLUMNS), where)

    def _may_hold(self, level: str) -> bool:
        levels = known_levels(self._tables, self.row)
        return levels is None or level in levels

    def _only(self, level: str) -> Any | None:
        return level_condition(known_levels(self._tables, self.row), (level,))

    def _columns_of_level(self, columns: Sequence[str], level: str, where: Any | None = None) -> pa.Table:
        if not self._may_hold(level):
            return no_rows(columns)
        only = self._only(level)
        return self._columns(columns, where if only is None else only if where is None else where & only)

    def _columns(self, columns: Sequence[str], where: Any | None = None) -> pa.Table:
        def query() -> Any:
            return self._query() if where is None else self._query().where(where)

        return self._tables.columns(f"reading the index {self.name}", self.row.table, query, columns)

    def _read(self, columns: Sequence[str], where: Any | None = None) -> list[dict[str, Any]]:
        return self._tables.read(f"reading the index {self.name}", self.row.table, columns, where)


def text_digest(text: str) -> bytes:
    """Return a 16-byte digest of an embedded text, computed as stored (without lone surrogates)."""
    return blake2b(clean(text).encode(), digest_size=16).digest()


def _has_outline(chunk: Chunk) -> bool:
    """True for the row that has its document's outline."""
    return chunk.level == CHUNK and chunk.chunk_index == 0


# -- neighbours


def neighbour_ids(chunks: Sequence[Chunk], before: int, after: int) -> list[str]:
    """Compute the ids of each chunk and its neighbours from their positions; none for summaries.

    The chunk's own id is among them. With `before` and `after` 0 there are none.
    """
    return [
        _neighbour(chunk, n)
        for chunk in chunks
        if chunk.content
        for n in range(max(chunk.chunk_index - before, 0), min(chunk.chunk_index + after + 1, chunk.total_chunks))
        if before + after
    ]


def neighbours_of(
    chunk: Chunk, others: Mapping[str, Chunk], before: int, after: int, across: bool
) -> tuple[Chunk, ...]:
    """Return a chunk's neighbours among `others` in order, up to a missing one or another parent.

    Args:
        others: chunks by id, as far as they exist.
        across: go on where `parent_id` changes.
    """

    def walk(step: int, count: int) -> list[Chunk]:
        run: list[Chunk] = []
        for distance in range(1, count + 1):
            other = others.get(_neighbour(chunk, chunk.chunk_index + step * distance))
            if other is None or not (across or other.parent_id == chunk.parent_id):
                break
            run.append(other)
        return run

    return (*reversed(walk(-1, before)), *walk(1, after)) if chunk.content else ()


def _neighbour(chunk: Chunk, n: int) -> str:
    """Id of the n-th chunk of the same level: ids end in the position."""
    return f"{chunk.chunk_id.removesuffix(str(chunk.chunk_index))}{n}"


# -- vectors of many rows as one matrix


class LevelVectors(NamedTuple):
    """Vectors of one level with their chunk and document ids, sorted by document id and position."""

    ids: list[str]
    """(n,) ids of the chunks."""
    doc_ids: list[str]
    """(n,) the document of each; empty strings for clusters."""
    vectors: np.ndarray
    """(n, d) float32."""


def level_vectors(rows: pa.Table | None, dimension: int) -> LevelVectors:
    """Convert Arrow rows to ids and vectors, sorted by document and position, without null vectors.

    Args:
        rows: with the columns id, doc_id, chunk_index and vector.
    """
    import numpy as np

    if rows is None or not rows.num_rows:
        return LevelVectors([], [], np.zeros((0, dimension), np.float32))
    rows = rows.filter(rows["vector"].is_valid()).sort_by([("doc_id", "ascending"), ("chunk_index", "ascending")])
    matrix = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return LevelVectors(rows["id"].to_pylist(), rows["doc_id"].to_pylist(), matrix.reshape(-1, dimension))


def unit_means(vectors: LevelVectors) -> tuple[list[str], np.ndarray]:
    """Return document ids, and each one's mean vector, (n, d) float32, normalised (or zero)."""
    import numpy as np

    if not vectors.ids:
        return [], vectors.vectors
    documents = np.array(vectors.doc_ids, dtype=object)
    firsts = np.flatnonzero(np.r_[True, documents[1:] != documents[:-1]])
    sums = np.add.reduceat(vectors.vectors, firsts, axis=0)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return documents[firsts].tolist(), (sums / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
