"""Create tables of a workspace for many writing processes, and commit what they wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import StoreError
from chunking.store.bulk.fragments import commit_fragments, is_committed
from chunking.store.bulk.index_segments import SegmentedIndex, commit_merged, commit_segments
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import DOCUMENTS, EMBEDDINGS, FILES, SECTIONS, schema
from chunking.store.engine.store_opening import may_be_shared
from chunking.store.index.chunk_arrow import table_schema
from chunking.store.index.index import Index
from chunking.store.index.index_registry import IndexRow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SHARED_TABLES", "BulkWriter"]

SHARED_TABLES = (EMBEDDINGS, FILES, SECTIONS, DOCUMENTS)
"""Tables of a build besides the index's own, in the order of their commits: documents after all that they need."""


class BulkWriter:
    """Writer of a workspace's tables from fragments; callers hold the workspace's lock.

    Args:
        tables: of a workspace in a folder or in object storage, which the other processes see under the same name.
    Raises:
        StoreError: the workspace is in the memory of this process.
    """

    def __init__(self, tables: Tables) -> None:
        if tables.folder is None and not may_be_shared(tables.uri):
            raise StoreError(
                f"A cluster cannot build in {tables.uri}, the memory of one process; give a folder that all its "
                "machines see, or an address of object storage.",
                where=tables.uri,
            )
        self._tables = tables
        self.place = tables.uri.rstrip("/") if tables.folder is None else str(tables.folder.resolve())
        """Full path of the folder, or address."""

    @property
    def folder(self) -> Path:
        """Folder of the workspace. Raises StoreError for one in object storage."""
        if self._tables.folder is None:
            raise StoreError(
                f"A sweep on a cluster cannot work in {self.place} yet; give a folder that all its machines see.",
                where=self.place,
            )
        return Path(self.place)

    def uri(self, table: str) -> str:
        """Return the place of a table, for `fragments.write_fragments`."""
        return f"{self.place}/{table}.lance"

    def create(self, row: IndexRow) -> dict[str, int]:
        """Create the tables of a build that are missing; returns the version of each by name."""
        kinds = {name: schema(name) for name in SHARED_TABLES} | {row.table: table_schema(row.dimension)}
        return {name: self._created(name, kind) for name, kind in kinds.items()}

    def create_shared(self, name: str) -> int:
        """Create one of `SHARED_TABLES` if it is missing; returns its version."""
        return self._created(name, schema(name))

    def _created(self, name: str, kind: pa.Schema) -> int:
        # An empty commit adds the columns that the table of an earlier version lacks.
        self._tables.add(f"preparing the table {name}", name, kind.empty_table())
        return self._tables.version(name)

    def commit(self, table: str, fragments: Sequence[str], commit: str, since: int) -> bool:
        """Append fragments to a table exactly once; see `fragments.commit_fragments`."""
        append = partial(commit_fragments, self.uri(table), fragments, commit, since)
        return self._tables.change(f"writing the table {table}", append)

    def commit_merged(self, table: str, merged: Sequence[str]) -> None:
        """List merged files of a table instead of small ones; see `index_segments.commit_merged`."""
        self._tables.change(f"tidying the table {table}", partial(commit_merged, self.uri(table), merged))

    def commit_segments(self, table: str, index: SegmentedIndex, segments: Sequence[str]) -> None:
        """List segments as one index of a table, once; see `index_segments.commit_segments`."""
        commit = partial(commit_segments, self.uri(table), index, segments)
        self._tables.change(f"indexing the table {table}", commit)

    def is_committed(self, table: str, commit: str, since: int) -> bool:
        """True if a table has the commit of that name; see `fragments.is_committed`."""
        return is_committed(self.uri(table), commit, since)

    def index(self, row: IndexRow) -> Index:
        """Return the index over a table, listed or not."""
        return Index(self._tables, row)
