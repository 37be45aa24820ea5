"""One index: a table of chunks with vectors and full text, made with one configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.config import Config
from chunking.errors import QueryError, StoreError
from chunking.model import Chunk, Document
from chunking.store.filters import clean, predicate
from chunking.store.fulltext import TextQuery, full_text_query, words_config
from chunking.store.rows import CHUNK_FIELDS, chunk_table, row_chunk
from chunking.store.schema import chunks_schema
from chunking.store.tables import Tables

if TYPE_CHECKING:
    import numpy as np

    from chunking.store.registry import IndexRow

__all__ = ["Hit", "Index", "Indexed", "Neighbours"]

_CHUNK_KEY = "id"


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found."""

    rank: int
    """1-based, by score and then by place in reading order: ties come in a fixed order."""
    chunk: Chunk
    score: float
    """Cosine of a vector search, BM25 of a text search."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document as an index knows it."""

    fingerprint: str
    """Of configuration, code and document, as it was cut."""
    stamp: str
    """`DocumentRow.stamp` at that time."""
    chunks: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What stands around some chunks."""

    around: Mapping[str, tuple[Chunk, ...]]
    """Chunk id to the chunks before and after it, in reading order, without the chunk itself."""
    doc_tocs: Mapping[str, str]
    """Document id to its outline."""


class Index:
    """Search and replace the chunks of one index; opened by `Workspace.index`."""

    def __init__(self, tables: Tables, row: IndexRow) -> None:
        self._tables = tables
        self.row = row

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def config(self) -> Config:
        return self.row.config

    @property
    def fingerprint(self) -> str:
        return self.row.fingerprint

    @property
    def dimension(self) -> int:
        return self.row.dimension

    # -- search

    def vector_search(self, vector: np.ndarray, limit: int, where: Mapping[str, str] | None = None) -> list[Hit]:
        """The chunks whose vectors are nearest.

        Args:
            vector: (d,) float32, of unit length.
            where: conditions, see `FILTERS`; applied before the search, so `limit` chunks come where there are as many.
        Raises:
            QueryError: another number of dimensions than the index has, or an unknown filter.
        """
        if vector.shape != (self.dimension,):
            raise QueryError(
                f"The query's vector has the shape {vector.shape}, the index {self.name} holds {self.dimension} dimensions; "
                "search it with the model it was built with.",
                where=self.name,
            )
        query = self._table().search(vector, vector_column_name="vector").distance_type("cosine")
        return _ranked([_hit(row, 1.0 - row["_distance"]) for row in self._found(query, "_distance", limit, where)])

    def text_search(self, query: TextQuery, limit: int, where: Mapping[str, str] | None = None) -> list[Hit]:
        """The chunks that hold the query's words and phrases; nothing for a query without either."""
        request = full_text_query(query)
        if request is None:
            return []
        found = self._table().search(request, query_type="fts")
        return _ranked([_hit(row, row["_score"]) for row in self._found(found, "_score", limit, where)])

    def substring_search(self, text: str, limit: int, where: Mapping[str, str] | None = None) -> list[Hit]:
        """The first chunks that hold exactly these characters: a scan, for what has no words (`->`, half a name)."""
        from lancedb.expr import col, lit

        if not text:
            return []
        condition, filters = col("content").contains(lit(clean(text))), predicate(where)
        condition = condition if filters is None else condition & filters
        query = self._table().search().where(condition).select(list(CHUNK_FIELDS)).limit(limit)
        rows = self._tables.run(f"searching the index {self.name}", query.to_list)
        return _ranked([_hit(row, 1.0) for row in rows])

    def _found(self, query: Any, score: str, limit: int, where: Mapping[str, str] | None) -> list[dict[str, Any]]:
        condition = predicate(where)
        if condition is not None:
            query = query.where(condition)
        query = query.select([*CHUNK_FIELDS, score]).limit(limit)
        rows: list[dict[str, Any]] = self._tables.run(f"searching the index {self.name}", query.to_list)
        return rows

    # -- reading

    def chunks_by_id(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Chunks by their ids, in one query; ids that are not there are left out."""
        rows = self._rows_by_id(ids, CHUNK_FIELDS)
        return {row["id"]: row_chunk(row) for row in rows}

    def _rows_by_id(self, ids: Iterable[str], columns: Sequence[str]) -> list[dict[str, Any]]:
        from lancedb.expr import col

        wanted = list(dict.fromkeys(clean(chunk_id) for chunk_id in ids))
        if not wanted:
            return []
        return self._tables.read(f"reading the index {self.name}", self.row.table, columns, col("id").isin(wanted))

    def chunks_of(self, doc_id: str) -> list[Chunk]:
        """A document's chunks in order; none where the index does not hold it."""
        from lancedb.expr import col, lit

        condition = col("doc_id") == lit(clean(doc_id))
        rows = self._tables.read(f"reading the index {self.name}", self.row.table, CHUNK_FIELDS, condition)
        return sorted((row_chunk(row) for row in rows), key=lambda chunk: chunk.chunk_index)

    def neighbours(
        self, chunks: Sequence[Chunk], before: int, after: int, *, across_parents: bool = False, tocs: bool = True
    ) -> Neighbours:
        """What stands around chunks, and their documents' outlines: one query for all of them (law 8).

        Args:
            before: chunks wanted before each, and `after` behind it.
            across_parents: False stops at the first chunk with another `parent_id`.
        """
        places = {chunk.chunk_id: range(max(chunk.chunk_index - before, 0), chunk.chunk_index + after + 1) for chunk in chunks}
        ids = [f"{chunk.doc_id}_chunk{n}" for chunk in chunks for n in places[chunk.chunk_id] if n < chunk.total_chunks]
        firsts = [f"{chunk.doc_id}_chunk0" for chunk in chunks] if tocs else []
        if before + after == 0:
            ids = []
        rows = {row["id"]: row for row in self._rows_by_id([*ids, *firsts], (*CHUNK_FIELDS, "doc_toc"))}
        found = {chunk_id: row_chunk(row) for chunk_id, row in rows.items()}
        around = {chunk.chunk_id: _around(chunk, found, before, after, across_parents) for chunk in chunks}
        return Neighbours(around, {row["doc_id"]: row["doc_toc"] for row in rows.values() if row["chunk_index"] == 0})

    def documents(self) -> dict[str, Indexed]:
        """Document id to what is known of it here, in one query."""
        from lancedb.expr import col, lit

        columns, first = ("doc_id", "doc_fingerprint", "doc_stamp", "total_chunks"), col("chunk_index") == lit(0)
        rows = self._tables.read(f"reading the index {self.name}", self.row.table, columns, first)
        return {row["doc_id"]: Indexed(row["doc_fingerprint"], row["doc_stamp"], row["total_chunks"]) for row in rows}

    def document_fingerprints(self) -> dict[str, str]:
        """Document id to the fingerprint its chunks were made with; both were written in one commit."""
        return {doc_id: known.fingerprint for doc_id, known in self.documents().items()}

    def hashes(self) -> dict[str, Counter[str]]:
        """Document id to the hashes of its chunks, in one query."""
        found: dict[str, Counter[str]] = {}
        for row in self._tables.read(f"reading the index {self.name}", self.row.table, ("doc_id", "hash")):
            found.setdefault(row["doc_id"], Counter())[row["hash"]] += 1
        return found

    def count(self) -> int:
        """Number of chunks."""
        table = self._table()
        return int(self._tables.run(f"reading the index {self.name}", table.count_rows))

    # -- writing: the caller holds the workspace's lock (`Workspace.writer`)

    def replace_document(
        self, document: Document, chunks: Sequence[Chunk], vectors: np.ndarray, fingerprint: str, *, known: bool = True
    ) -> None:
        """Put a document's chunks in the place of those it had, in one commit.

        Args:
            vectors: (n, d) float32, unit length, a row a chunk.
            fingerprint: what `document_fingerprints` will say.
            known: False where the index certainly holds nothing of the document: its rows are then just added, at a cost
                that does not grow with the index.
        """
        if vectors.shape != (len(chunks), self.dimension):
            raise StoreError(
                f"{len(chunks)} chunks with vectors of the shape {vectors.shape} do not fit the index {self.name}, "
                f"which holds {self.dimension} dimensions.",
                where=self.name,
            )
        if len({chunk.chunk_id for chunk in chunks}) != len(chunks):
            raise StoreError(f"Two chunks of the document {document.doc_id} have one id.", where=document.doc_id)
        rows = chunk_table(document, chunks, vectors, fingerprint, chunks_schema(self.dimension))
        if known:
            self._replace(document.doc_id, rows)
        else:
            self._tables.run(f"writing the document {document.doc_id} to the index {self.name}", partial(self._table().add, rows))

    def remove_document(self, doc_id: str) -> None:
        """Delete a document's chunks, in one commit."""
        self._replace(doc_id, chunks_schema(self.dimension).empty_table())

    def _replace(self, doc_id: str, rows: Any) -> None:
        from lancedb.expr import col, lit

        what = f"writing the document {doc_id} to the index {self.name}"
        self._tables.upsert(what, self.row.table, _CHUNK_KEY, rows, replacing=col("doc_id") == lit(clean(doc_id)))

    def build(self) -> None:
        """Make the full-text indexes and the one on ids; a search works from then on, also over rows added later."""
        from lancedb.index import BTree

        words = words_config(self.config.index.tokenizer)
        for column, kind in ((_CHUNK_KEY, BTree()), ("doc_id", BTree()), ("indexed_text", words), ("headings", words)):
            create = partial(self._table().create_index, column, config=kind, replace=True)
            self._tables.run(f"indexing {column}", create)

    def optimize(self) -> None:
        """Bring the rows written since into the indexes, and tidy up. Searches are right without it, but slower."""
        self._tables.upkeep(self.row.table)

    def _table(self) -> Any:
        table = self._tables.table(self.row.table)
        if table is None:
            raise StoreError(f"The table of the index {self.name} is missing in {self._tables.uri}; build the index anew.", where=self.name)
        return table


def _hit(row: Mapping[str, Any], score: float) -> Hit:
    return Hit(0, row_chunk(row), float(score))


def _ranked(hits: list[Hit]) -> list[Hit]:
    ordered = sorted(hits, key=lambda hit: (-hit.score, hit.chunk.doc_id, hit.chunk.chunk_index))
    return [Hit(rank, hit.chunk, hit.score) for rank, hit in enumerate(ordered, 1)]


def _around(chunk: Chunk, found: Mapping[str, Chunk], before: int, after: int, across: bool) -> tuple[Chunk, ...]:
    def walk(step: int, count: int) -> list[Chunk]:
        run: list[Chunk] = []
        for distance in range(1, count + 1):
            other = found.get(f"{chunk.doc_id}_chunk{chunk.chunk_index + step * distance}")
            if other is None or not (across or other.parent_id == chunk.parent_id):
                break
            run.append(other)
        return run

    return (*reversed(walk(-1, before)), *walk(1, after))
