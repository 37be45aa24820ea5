"""Documents of an index as columns, to compare 100,000 of them at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from chunking.model import CHUNK
from chunking.store.engine.filters import clean
from chunking.store.index.build_record import index_fingerprint

if TYPE_CHECKING:
    import pyarrow as pa

    from chunking.store.documents.document_stamps import DocumentStamps

__all__ = ["LIST_COLUMNS", "Indexed", "IndexedDocuments", "StampDifferences"]

LIST_COLUMNS = ("doc_id", "doc_fingerprint", "doc_stamp", "total_chunks", "language")
"""Columns of a document's first chunk that tell of the document."""


class Indexed(NamedTuple):
    """Fingerprint, stamp, number of chunks and language of one document in an index."""

    fingerprint: str
    """Over configuration, code and document at the time of splitting."""
    stamp: str
    """`DocumentRow.stamp` at that time."""
    chunks: int
    language: str = ""
    """Language of the document (BCP 47) at that time."""


class StampDifferences(NamedTuple):
    """Differences between the documents of a workspace and those of an index."""

    changed: tuple[str, ...]
    """Ids of documents that the index has not, or with another stamp, in the workspace's order."""
    added: frozenset[str]
    """Those of them that it has not."""
    gone: tuple[str, ...]
    """Ids of documents that only the index has."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexedDocuments:
    """Documents of an index, unordered, as columns: without an object for each."""

    rows: pa.Table
    """`LIST_COLUMNS`, a row a document."""

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    @property
    def doc_ids(self) -> list[str]:
        """Their ids."""
        return list(self.rows["doc_id"].to_pylist())

    @property
    def chunks(self) -> int:
        """Number of their chunks."""
        import pyarrow.compute as pc

        return pc.sum(self.rows["total_chunks"]).as_py() or 0

    @property
    def languages(self) -> tuple[str, ...]:
        """Their languages, sorted."""
        return tuple(sorted(self.rows["language"].unique().to_pylist()))

    @property
    def fingerprint(self) -> str:
        """Fingerprint of an index of these documents."""
        return index_fingerprint(self.rows["doc_fingerprint"].to_pylist())

    def among(self, doc_ids: Collection[str], *, but: bool = False) -> IndexedDocuments:
        """Return those with one of the ids; with `but`, the others."""
        import pyarrow as pa
        import pyarrow.compute as pc

        matches = pc.is_in(self.rows["doc_id"], value_set=pa.array([clean(doc_id) for doc_id in doc_ids], pa.string()))
        return IndexedDocuments(self.rows.filter(pc.invert(matches) if but else matches))

    def compare(self, stamps: DocumentStamps) -> StampDifferences:
        """Compare with the stamps of documents that the index should hold."""
        import pyarrow.compute as pc

        ids, rows = stamps.rows["doc_id"], self.rows
        places = pc.index_in(ids, value_set=rows["doc_id"])
        same = pc.fill_null(pc.equal(rows["doc_stamp"].take(places), stamps.rows["stamp"]), False)
        has_others = len(rows) > len(ids) - places.null_count
        gone = (
            rows["doc_id"].filter(pc.invert(pc.is_in(rows["doc_id"], value_set=ids))).to_pylist() if has_others else ()
        )
        return StampDifferences(
            tuple(ids.filter(pc.invert(same)).to_pylist()),
            frozenset(ids.filter(pc.is_null(places)).to_pylist()),
            tuple(gone),
        )

    def after_write(self, doc_ids: Collection[str], rows: pa.Table | None) -> IndexedDocuments:
        """Return the list after a write: without some documents, and with those that rows of an index begin."""
        import pyarrow as pa
        import pyarrow.compute as pc

        left = self.among(doc_ids, but=True).rows if doc_ids else self.rows
        if rows is None:
            return IndexedDocuments(left)
        first = pc.and_(pc.equal(rows["level"], CHUNK), pc.equal(rows["chunk_index"], 0))
        return IndexedDocuments(pa.concat_tables([left, rows.filter(first).select(left.column_names)]).combine_chunks())

    def as_dict(self) -> dict[str, Indexed]:
        """Return the documents by id."""
        doc_ids, *values = (self.rows[name].to_pylist() for name in LIST_COLUMNS)
        return dict(zip(doc_ids, map(Indexed._make, zip(*values, strict=True)), strict=True))
