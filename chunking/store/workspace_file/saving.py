"""Save a workspace into one file, while users work in it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

from chunking import versions
from chunking.errors import Cancelled
from chunking.store.copies.home_folder import unfinished_path
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import CHUNKS, INDEXES, SEARCH_HISTORY, schema
from chunking.store.engine.table_batches import read_batches
from chunking.store.index.chunk_arrow import chunks_schema
from chunking.store.index.index_registry import IndexRow, Registry
from chunking.store.workspace_file.archive import (
    MANIFEST,
    TABLES,
    FileLimits,
    Manifest,
    SavedIndex,
    SavedTable,
    entry_name,
    new_entry,
)
from chunking.store.workspace_file.arrow_streams import add_missing_columns, write_batches

if TYPE_CHECKING:
    import pyarrow as pa

    from chunking.store.workspace import Workspace

__all__ = ["save_workspace"]

_LARGE_ROWS, _SMALL_ROWS = 8, 1_024
"""Rows read at once, from tables with whole documents or files in a row, and from others."""
_SMALL = ("embeddings", "written", INDEXES)

Progress = Callable[[str, int, int], None]
"""Called with a table's name, its number (from 1), and the number of tables."""


def save_workspace(
    workspace: Workspace,
    sink: BinaryIO,
    *,
    history: bool = False,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Manifest:
    """Write a workspace to a file, as a state between two commits, a few megabytes at a time.

    It holds documents, their source files and changes, indexes with their vectors, question sets, runs, and the caches
    of embeddings, encodings and generated texts, so that nothing has to be computed again.

    Args:
        sink: written to from its current position; needs no seeking.
        history: include the search history, which is private to those who searched.
        on_progress: called before each table with its name, its number (from 1), and the number of tables.
        cancelled: called between batches.
    Raises:
        WorkspaceFileError: a document or file in it is too large for a workspace file.
        StoreError: the workspace cannot be read, or the file cannot be written.
        Cancelled: `cancelled` returned True; the sink then holds no workspace file.
    """
    with _stable_tables(workspace) as tables:
        rows = sorted(Registry(tables).rows(), key=lambda row: row.name)
        there = set(tables.names())
        names = [name for name in TABLES if name in there and (history or name != SEARCH_HISTORY)]
        kinds = [(name, name, schema(name)) for name in names if name != INDEXES]
        kinds += [(f"{CHUNKS}{number}", row.table, chunks_schema(row.dimension)) for number, row in enumerate(rows)]
        saved = []
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            for number, (name, table, columns) in enumerate(kinds, 1):
                if on_progress is not None:
                    on_progress(name, number, len(kinds))
                saved.append(_save(archive, name, columns, _batches(tables, table, columns, cancelled)))
            if rows:
                saved.append(_save(archive, INDEXES, schema(INDEXES), iter(_registry_batches(tables, rows))))
            manifest = _manifest(rows, tuple(table for table in saved if table is not None))
            with new_entry(archive, MANIFEST) as entry:
                entry.write(manifest.to_json().encode())
    return manifest


def _save(archive: zipfile.ZipFile, name: str, columns: pa.Schema, batches: Iterator[pa.RecordBatch]) -> SavedTable:
    with new_entry(archive, entry_name(name)) as entry:
        rows, size = write_batches(entry, columns, batches, FileLimits().batch_bytes)  # type: ignore[arg-type]
    return SavedTable(name, rows, size, entry.hexdigest())


@contextmanager
def _stable_tables(workspace: Workspace) -> Iterator[Tables]:
    """Yield the tables of a linked copy, unaffected by writes; outside of a folder, the live tables."""
    if workspace.folder is None:
        yield Tables(workspace.uri, create=False, access=workspace.access)
        return
    place = unfinished_path(workspace.folder)
    try:
        yield Tables(str(linked_copy(workspace, place).folder), create=False, access=workspace.access)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _batches(
    tables: Tables, name: str, columns: pa.Schema, cancelled: Callable[[], bool] | None
) -> Iterator[pa.RecordBatch]:
    """Rows of a table with today's columns, a few at a time."""
    missing = tables.missing(name, columns.names)
    query = tables.query(name).select([column for column in columns.names if column not in missing])
    small = name.startswith(CHUNKS) or name in _SMALL
    for batch in read_batches(tables, "saving it to a file", query, _SMALL_ROWS if small else _LARGE_ROWS):
        if cancelled is not None and cancelled():
            raise Cancelled("Saving was stopped; there is no file.")
        yield add_missing_columns(batch, columns)


def _registry_batches(tables: Tables, rows: list[IndexRow]) -> list[pa.RecordBatch]:
    """Registry rows, with a number in place of each table's name."""
    import pyarrow as pa

    numbers = {row.name: f"{CHUNKS}{number}" for number, row in enumerate(rows)}
    stored = tables.read("saving it to a file", INDEXES, schema(INDEXES).names)
    values = sorted(({**row, "table": numbers[row["name"]]} for row in stored), key=lambda row: str(row["name"]))
    batches: list[pa.RecordBatch] = pa.Table.from_pylist(values, schema=schema(INDEXES)).to_batches()
    return batches


def _manifest(rows: list[IndexRow], saved: tuple[SavedTable, ...]) -> Manifest:
    numbers = {name: getattr(versions, name) for name in versions.__all__ if name.endswith("_VERSION")}
    indexes = tuple(SavedIndex(row.name, row.fingerprint, row.dimension) for row in rows)
    return Manifest(datetime.now(UTC).isoformat(timespec="seconds"), numbers, saved, indexes)
