"""One index: a table of chunks of all levels with vectors and full text, made with one configuration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.errors import StoreError
from chunking.model import CLUSTER, Chunk, Document
from chunking.store.engine.filters import clean
from chunking.store.index.chunk_arrow import chunk_table, chunks_schema, with_vectors
from chunking.store.index.full_text import words_config
from chunking.store.index.index_reading import Reads
from chunking.store.index.index_search import Searches

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["Index"]

_CHUNK_KEY = "id"
_OF_NO_DOCUMENT = ""
"""Document id of clusters."""


class Index(Searches, Reads):
    """Search, read and replace the chunks of one index; opened by `Workspace.index`.

    The caller of what writes holds the workspace's lock (`Workspace.writer`).
    """

    def replace_document(
        self,
        document: Document,
        rows: Sequence[Chunk],
        vectors: np.ndarray,
        fingerprint: str,
        *,
        known: bool = True,
        stamp: str = "",
    ) -> None:
        """Put a document's chunks of all levels in the place of those it had, in one commit.

        Args:
            rows: each level in reading order.
            vectors: (n, d) float32, a row each: of unit length, or zeros for what is only returned (parents).
            fingerprint: what `document_fingerprints` will say.
            known: False where the index certainly holds nothing of the document: its rows are then just added, at a
                cost
                that does not grow with the index.
            stamp: of the document as the workspace holds it; empty: this is that document.
        """
        self._check([row.chunk_id for row in rows], vectors, f"of the document {document.doc_id}")
        self._forget_levels()
        made = chunk_table(document, rows, vectors, fingerprint, self.dimension, stamp)
        if known:
            self._replace(document.doc_id, made)
        else:
            self._tables.add(f"writing the document {document.doc_id} to the index {self.name}", self.row.table, made)

    def add_rows(self, rows: pa.Table, vectors: np.ndarray) -> None:
        """Add rows that the index certainly does not hold, of any documents and levels, in one commit.

        Args:
            rows: the columns of `chunk_arrow.CHUNK_COLUMNS`.
            vectors: (n, d) float32, a row each: as `replace_document`.
        """
        self._check(rows["id"].to_pylist(), vectors, "of these rows")
        self._forget_levels()
        self._tables.add(
            f"writing rows to the index {self.name}", self.row.table, with_vectors(rows, vectors, self.dimension)
        )

    def replace_tree(self, nodes: Sequence[Chunk], vectors: np.ndarray) -> None:
        """Put clusters in the place of those that are there, in one commit.

        Args:
            nodes: with an empty `doc_id`.
            vectors: (n, d) float32, unit length, a row each.
        """
        self._check([node.chunk_id for node in nodes], vectors, "of the summary tree")
        if any(node.doc_id != _OF_NO_DOCUMENT for node in nodes):
            raise StoreError("A cluster belongs to no document; give it an empty doc_id.", where=self.name)
        self._replace(_OF_NO_DOCUMENT, chunk_table(None, nodes, vectors, "", self.dimension))

    def remove_tree(self) -> None:
        """Delete all clusters, in one commit; nothing is written where there are none."""
        if CLUSTER in self.levels:
            self._replace(_OF_NO_DOCUMENT, chunks_schema(self.dimension).empty_table())

    def remove_document(self, doc_id: str) -> None:
        """Delete a document's chunks of all levels, in one commit."""
        self._replace(doc_id, chunks_schema(self.dimension).empty_table())

    def _check(self, ids: Sequence[str], vectors: np.ndarray, of: str) -> None:
        import numpy as np

        if vectors.shape != (len(ids), self.dimension):
            raise StoreError(
                f"{len(ids)} chunks with vectors of the shape {vectors.shape} do not fit the index {self.name}, which "
                f"has {self.dimension} dimensions; build another index with the model that made them.",
                where=self.name,
            )
        if not np.isfinite(vectors).all():
            raise StoreError(
                f"A vector {of} contains values that are not numbers; check the embedding model.", where=self.name
            )
        if len(set(ids)) != len(ids):
            raise StoreError(f"Two chunks {of} have the same id.", where=self.name)

    def _replace(self, doc_id: str, rows: Any) -> None:
        from lancedb.expr import col, lit

        self._forget_levels()
        what = (
            f"writing the document {doc_id} to the index {self.name}"
            if doc_id
            else f"writing clusters to the index {self.name}"
        )
        self._tables.upsert(what, self.row.table, _CHUNK_KEY, rows, replacing=col("doc_id") == lit(clean(doc_id)))

    def build(self) -> None:
        """Make the full-text indexes and those on ids and levels; a search works from then on, also over rows added
        later.
        """
        from lancedb.index import Bitmap, BTree

        words = words_config(self.config.index.tokenizer)
        kinds = {_CHUNK_KEY: BTree(), "doc_id": BTree(), "level": Bitmap(), "indexed_text": words, "headings": words}
        for column, kind in kinds.items():
            create = partial(self._table().create_index, column, config=kind, replace=True)
            self._tables.change(f"indexing {column}", create)

    def optimize(self) -> None:
        """Bring the rows written since into the indexes, and tidy up. Searches are right without it, but slower."""
        self._tables.upkeep(self.row.table)
