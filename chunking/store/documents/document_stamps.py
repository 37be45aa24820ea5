"""Ids and stamps of documents as columns, to compare 100,000 of them at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.store.engine.filters import clean

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["STAMP_COLUMNS", "DocumentStamps"]

STAMP_COLUMNS = ("doc_id", "parent_id", "stamp", "source")


@dataclass(frozen=True, slots=True, eq=False)
class DocumentStamps:
    """Ids and stamps of documents, by source and then in order of adding."""

    rows: pa.Table
    """`STAMP_COLUMNS`, a row a document; an empty `parent_id` may be null."""

    @classmethod
    def in_order(cls, rows: pa.Table) -> DocumentStamps:
        """Return the documents in the order of `DocumentTable.rows`."""
        import pyarrow.compute as pc

        keyed = rows.append_column("length", pc.utf8_length(rows["doc_id"]))
        ordered = keyed.sort_by([(name, "ascending") for name in ("source", "length", "doc_id")])
        return cls(ordered.select(list(STAMP_COLUMNS)))

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Their ids, in order."""
        return tuple(self.rows["doc_id"].to_pylist())

    def among(self, doc_ids: Collection[str]) -> DocumentStamps:
        """Return those with one of the ids, in their order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted_ids = pa.array([clean(doc_id) for doc_id in doc_ids], pa.string())
        return DocumentStamps(self.rows.filter(pc.is_in(self.rows["doc_id"], value_set=wanted_ids)))

    def with_stamps(self, stamps: Mapping[str, str]) -> DocumentStamps:
        """Return the documents with other stamps for some of them, by id."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not stamps:
            return self
        places = pc.index_in(self.rows["doc_id"], value_set=pa.array(list(stamps)))
        changed = pc.coalesce(pa.array(list(stamps.values())).take(places), self.rows["stamp"])
        return DocumentStamps(self.rows.set_column(STAMP_COLUMNS.index("stamp"), "stamp", changed))

    def with_unsaved(self, stamps: Mapping[str, str], files: Collection[str]) -> DocumentStamps:
        """Return the documents as if others were saved: new ones last.

        Args:
            stamps: of the unsaved documents by id.
            files: ids of those that are files, whose embedded documents are all among the unsaved ones.
        """
        import pyarrow as pa

        if not stamps:
            return self
        saved = {row["doc_id"]: row["stamp"] for row in self.rows.to_pylist() if row["parent_id"] not in files}
        every = {**saved, **stamps}
        unknown = pa.nulls(len(every), pa.string())
        columns = [pa.array(list(every), pa.string()), unknown, pa.array(list(every.values()), pa.string()), unknown]
        return DocumentStamps(pa.table(columns, names=list(STAMP_COLUMNS)))
