"""Open a workspace's file from a stranger: everything is checked before it is used.

The rows are written to new tables in a staging folder, with the same search indexes as a build creates; the folder gets
its name when all is right. Vectors are taken over, none is computed.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import Cancelled, WorkspaceFileError
from chunking.store.copies.linked_copy import staging_folder
from chunking.store.documents.document_rows import row_document, section_rows
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import CHANGES, CHUNKS, DOCUMENTS, INDEXES, SECTIONS, later_columns, schema
from chunking.store.index.build_record import index_fingerprint
from chunking.store.index.chunk_arrow import chunks_schema, table_schema, with_packed
from chunking.store.index.index import Index
from chunking.store.index.index_registry import IndexRow
from chunking.store.index.vector_index import build_vector_index
from chunking.store.workspace import Workspace
from chunking.store.workspace_file.archive import TABLES, FileLimits, Manifest, SavedTable, open_archive, table_stream
from chunking.store.workspace_file.arrow_streams import add_missing_columns, read_batches
from chunking.store.workspace_file.row_checks import Checks, ChunkChecks, explain_errors

if TYPE_CHECKING:
    import zipfile

    import pyarrow as pa

__all__ = ["OpenedWorkspaceFile", "open_workspace_file"]


@dataclass(frozen=True, slots=True)
class OpenedWorkspaceFile:
    """Result of opening a workspace file: new folder, number of documents, indexes, and date."""

    folder: Path
    documents: int
    indexes: dict[str, str]
    """Fingerprints by name, as saved."""
    saved: str
    """Time of saving, ISO 8601, UTC."""


def open_workspace_file(
    path: str | Path,
    folder: str | Path,
    *,
    limits: FileLimits | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> OpenedWorkspaceFile:
    """Create a workspace from an untrusted file of `save_workspace`, and build its search indexes.

    Args:
        folder: where to put it; must not exist yet, or be empty.
        limits: None: those of `FileLimits()`.
        on_progress: called with a table's name, the bytes of all rows read so far, and their total.
        cancelled: called every few rows.
    Raises:
        WorkspaceFileError: it is no such file, damaged, too large, or made by a later version; the sentence says which.
            Then nothing is left at `folder`.
        StoreError: `folder` exists and is not empty, or it cannot be written.
        Cancelled: `cancelled` returned True.
    """
    limits = limits or FileLimits()
    with open_archive(Path(path), limits) as (archive, manifest), staging_folder(Path(folder)) as staging:
        opening = _Opening(archive, manifest, Tables(str(staging), create=True), limits, on_progress, cancelled)
        opening.run()
    fingerprints = {index.name: index.fingerprint for index in manifest.indexes}
    return OpenedWorkspaceFile(Path(folder), len(opening.checks.documents), fingerprints, manifest.saved)


class _Opening:
    """Writes one file's tables into a staging folder."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        manifest: Manifest,
        tables: Tables,
        limits: FileLimits,
        on_progress: Callable[[str, int, int], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.checks = Checks(self._stop)
        self._archive, self._manifest, self._tables, self._limits = archive, manifest, tables, limits
        self._on_progress, self._cancelled = on_progress, cancelled
        self._done, self._all = 0, sum(table.bytes for table in manifest.tables)
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds

    def run(self) -> None:
        """Check and write all tables and indexes."""
        for name in TABLES:
            table = self._manifest.table(name)
            if table is not None:
                self._fixed(table)
        workspace = Workspace(self._tables)
        self._check_changes(workspace)
        listed = {(row.name, row.fingerprint, row.dimension, table) for table, row in self.checks.indexes.items()}
        if listed != {
            (one.name, one.fingerprint, one.dimension, f"{CHUNKS}{n}") for n, one in enumerate(self._manifest.indexes)
        }:
            raise WorkspaceFileError(
                "The indexes in the workspace file differ from its list of contents; save it again."
            )
        for name, row in self.checks.indexes.items():
            self._index(workspace, self._manifest.table(name), row)
        workspace.vectors.index()
        workspace.texts.index()

    def _fixed(self, table: SavedTable) -> None:
        """Check and write a table of fixed columns; the list of indexes is written index by index."""
        for batch in self._read(table, schema(table.name)):
            self.checks.check(table.name, batch)
            if table.name == INDEXES:
                continue
            self._write(table.name, batch)
            if table.name == DOCUMENTS:
                self._sections(batch)

    def _sections(self, batch: pa.RecordBatch) -> None:
        import pyarrow as pa

        rows = [row for document in map(row_document, batch.to_pylist()) for row in section_rows(document)]
        if rows:
            self._write(SECTIONS, pa.Table.from_pylist(rows, schema=schema(SECTIONS)))

    def _check_changes(self, workspace: Workspace) -> None:
        """Check that change logs match their listed digests and can be applied."""
        for (doc_id, kind), listed in workspace.changes.listed().items():
            self._stop()
            explain_errors(CHANGES, partial(_check_log, workspace, doc_id, kind, listed.count, listed.digest))
            if doc_id in self.checks.documents:
                explain_errors(CHANGES, partial(workspace.document, doc_id))

    def _index(self, workspace: Workspace, table: SavedTable | None, row: IndexRow) -> None:
        """Check and write an index with its rows and search indexes, into a new table."""
        import pyarrow as pa

        index = Index(self._tables, replace(row, table=CHUNKS + uuid.uuid4().hex[:16]))
        self._tables.table(index.row.table, table_schema(row.dimension))
        checks = ChunkChecks(self.checks, row, workspace.document)
        for batch in self._read(table, chunks_schema(row.dimension)) if table is not None else ():
            checks.check(batch)
            self._write(index.row.table, with_packed(pa.Table.from_batches([batch])))
        checks.finish()
        if row.fingerprint and row.state == "complete":
            same = index_fingerprint(checks.fingerprints.values()) == row.fingerprint
            if not same or (checks.chunks, len(checks.fingerprints)) != (row.chunks, row.documents):
                raise WorkspaceFileError(
                    f"The index {row.name} in the workspace file does not match its fingerprint; save it again."
                )
        self._stop()
        index.build()
        build_vector_index(index)
        self._list(index.row)

    def _list(self, row: IndexRow) -> None:
        """Write an index's row as it was saved, dates included."""
        import pyarrow as pa

        rows = pa.Table.from_pylist([row.as_row()], schema=schema(INDEXES))
        self._tables.add("listing the indexes", INDEXES, rows)

    def _read(self, table: SavedTable, columns: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Rows of a table with today's columns; those added since the file was saved are empty."""
        later = later_columns(table.name)
        schemas = [columns, *(_without(columns, later[first:]) for first in range(len(later)))]
        stream = table_stream(self._archive, table)

        def counted(size: int) -> None:
            self._done += size
            if self._on_progress is not None:
                self._on_progress(table.name, self._done, self._all)
            self._stop()

        for batch in read_batches(stream, table, schemas, self._limits, counted):
            yield add_missing_columns(batch, columns)
        if stream.hexdigest() != table.sha256:  # type: ignore[attr-defined]
            raise WorkspaceFileError(
                f"The table {table.name} in the workspace file was changed after saving; get it again."
            )

    def _write(self, name: str, rows: pa.RecordBatch | pa.Table) -> None:
        import pyarrow as pa

        self._tables.add(
            "opening a workspace's file", name, rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
        )

    def _stop(self) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("Opening was stopped; there is no workspace.")
        if self._end is not None and time.monotonic() > self._end:
            raise WorkspaceFileError("The workspace file takes too long to open; ask its owner for a smaller one.")


def _without(columns: pa.Schema, names: tuple[str, ...]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([field for field in columns if field.name not in names])


def _check_log(workspace: Workspace, doc_id: str, kind: str, count: int, digest: str) -> None:
    log = workspace.changes.log(doc_id, kind)
    if (len(log.changes), log.digest()) != (count, digest):
        raise ValueError("changes that are not those listed")
