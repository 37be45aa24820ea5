"""Lance and LanceDB tables outside the workspace, read to sample documents; never written.

A table is pinned to one version. Rows are chosen without reading texts: by offset, or, where several rows are one
document, by the values of one column; then only the chosen rows are read, a few at a time.
"""

from __future__ import annotations

import hashlib
import heapq
import random
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.allowed import allowed
from chunking.display import first_names
from chunking.errors import Cancelled, ChunkscopeError, NotFoundError, StoreError
from chunking.paths import begins_with_home
from chunking.store.engine.faults import error_detail
from chunking.store.engine.schema import DOCUMENTS
from chunking.store.engine.store_opening import import_lancedb, local_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SampledGroups", "SourceColumn", "SourceTable", "open_source_table", "source_tables"]

_OBJECT_STORAGE = re.compile(r"(s3|gs|az)://[^/]+", re.IGNORECASE)
_LANCE = ".lance"
_OFFSET, _ROW_ID = "_rowoffset", "_rowid"
_WORKSPACE_COLUMNS = frozenset({"doc_id", "source", "text", "blocks", "sections", "stamp"})
"""Columns that tell a workspace's documents from another table of that name."""
_AT_ONCE = 32
"""Rows read at once: the most texts in memory."""
_IDS_AT_ONCE = 65_536
_METADATA_BYTES = 16 * 2**20
_MOST_NAMED = 8
"""Tables named in a message."""


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """Column of a source table."""

    name: str
    type: str
    """As Arrow names it, such as `string`."""
    is_text: bool
    is_id: bool
    """True if its values can tell documents apart: text or whole numbers."""


@dataclass(frozen=True, slots=True)
class SampledGroups:
    """Documents sampled by the values of a column, each with its rows in the order of the table."""

    rows: Mapping[str, Sequence[int]]
    """Row ids by document, in the order of first rows."""
    without_id: int
    """Rows of the table without a value."""


@dataclass(frozen=True, slots=True)
class SourceTable:
    """Table of a Lance or LanceDB database, pinned to a version."""

    place: str
    """Folder or address, as the user gave it."""
    database: str
    """Folder or address of the database that the table is in."""
    name: str
    version: int
    rows: int
    columns: tuple[SourceColumn, ...]
    is_workspace: bool
    """True for the documents of a workspace of Chunkscope: they are taken as they are."""

    def column(self, name: str) -> SourceColumn | None:
        """Return a column by name, or None."""
        return next((column for column in self.columns if column.name == name), None)

    def sample_rows(self, count: int, seed: int) -> list[int]:
        """Return the offsets of random rows, ascending; the same for the same version and seed."""
        return sorted(random.Random(seed).sample(range(self.rows), min(count, self.rows)))

    def sample_groups(
        self, column: str, count: int, seed: int, cancelled: Callable[[], bool] | None = None
    ) -> SampledGroups:
        """Sample values of a column, each equally likely however many rows have it; reads no other column.

        Keeps the values with the smallest hashes: one that drops out never returns, so one pass finds all of their
        rows, in memory for `count` values.

        Raises:
            Cancelled: `cancelled` returned True.
            StoreError: the table cannot be read.
        """
        import pyarrow as pa

        rows: dict[str, array[int]] = {}
        largest: list[tuple[int, str]] = []  # (-hash, value): a heap whose first entry has the largest hash
        without = 0
        with _reading(self.place):
            query = self._open().search().select([column, _ROW_ID])
            batches = iter(query.to_batches(_IDS_AT_ONCE))
        while (batch := self._next(batches)) is not None:
            if cancelled is not None and cancelled():
                raise Cancelled("Stopped while documents were chosen; nothing was added.")
            values = batch.column(column).cast(pa.string()).to_pylist()
            for value, row in zip(values, batch.column(_ROW_ID).to_pylist(), strict=True):
                if value is None or not value.strip():
                    without += 1
                elif value in rows:
                    rows[value].append(row)
                else:
                    digest = hashlib.blake2b(f"{seed} {value}".encode("utf-8", "replace"), digest_size=8).digest()
                    entry = (-int.from_bytes(digest), value)
                    if len(rows) < count:
                        heapq.heappush(largest, entry)
                    elif entry > largest[0]:
                        del rows[heapq.heappushpop(largest, entry)[1]]
                    else:
                        continue
                    rows[value] = array("Q", [row])
        return SampledGroups(dict(sorted(rows.items(), key=lambda item: item[1][0])), without)

    def read(self, rows: Sequence[int], columns: Sequence[str], *, ids: bool = False) -> Iterator[dict[str, Any]]:
        """Yield rows in the given order, a few read at once.

        Args:
            rows: offsets (`sample_rows`), or row ids (`sample_groups`) if `ids`.
        Raises:
            StoreError: the table cannot be read.
        """
        key = _ROW_ID if ids else _OFFSET
        with _reading(self.place):
            table = self._open()
        for first in range(0, len(rows), _AT_ONCE):
            some = list(rows[first : first + _AT_ONCE])
            with _reading(self.place):
                query = table.take_row_ids(some) if ids else table.take_offsets(some)
                records = query.select([*columns, key]).to_arrow().to_pylist()
            by_key = {record.pop(key): record for record in records}
            yield from (by_key[row] for row in some if row in by_key)

    def preview(self, rows: Sequence[int], columns: Sequence[str], characters: int) -> Iterator[dict[str, Any]]:
        """Yield the first characters of each value of rows, cut by the engine.

        The engine itself reads a value whole, as Lance has no read of a part, but no more than the part leaves it.

        Args:
            rows: offsets (`sample_rows`).
            characters: most of a value.
        Raises:
            StoreError: the table cannot be read.
        """
        cut = {name: f"left(cast(`{name}` as string), {characters})" for name in columns}
        with _reading(self.place):
            records = self._open().take_offsets(list(rows)).select({**cut, _OFFSET: _OFFSET}).to_arrow().to_pylist()
        by_offset = {record.pop(_OFFSET): record for record in records}
        yield from (by_offset[row] for row in rows if row in by_offset)

    def _open(self) -> Any:
        table = _connect(self.database).open_table(self.name)
        table.checkout(self.version)
        return table

    def _next(self, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
        with _reading(self.place):
            return next(batches, None)


def source_tables(place: str) -> list[str]:
    """Return the names of the tables at a place; of a workspace of Chunkscope only its documents.

    Args:
        place: the folder or address of a LanceDB database, or of one table (`NAME.lance`).
    Raises:
        ParseError: the place may not be read here (`chunking.allowed`).
        NotFoundError: there is no such folder, or no table in it.
        StoreError: it cannot be read.
    """
    database, own = _database(place)
    with _reading(place):
        names = _table_names(database)
        if DOCUMENTS in names and _is_workspace(_connect(database).open_table(DOCUMENTS).schema):
            names = [DOCUMENTS]
    if own and own in names:
        return [own]
    if not names:
        raise NotFoundError(
            f"There is no Lance table in {place}; give the folder of a LanceDB database, or of a table (NAME.lance).",
            where=place,
        )
    return names


def open_source_table(place: str, name: str = "", version: int | None = None) -> SourceTable:
    """Open a table to sample from, and pin its version.

    Args:
        place: as for `source_tables`.
        name: of the table; empty if there is only one.
        version: of the table; None: the newest.
    Raises:
        ParseError, NotFoundError, StoreError: as for `source_tables`; or there is no such table or version.
    """
    names = source_tables(place)
    if not name and len(names) > 1:
        raise StoreError(
            f"{place} has {len(names):,} tables: {first_names(names, _MOST_NAMED)}; name one.", where=place
        )
    name = name or names[0]
    if name not in names:
        raise NotFoundError(
            f"There is no table '{name}' in {place}; choose one of: {first_names(names, _MOST_NAMED)}.", where=place
        )
    database, _ = _database(place)
    if (folder := local_folder(database)) is not None:
        allowed().check_paths([folder / f"{name}{_LANCE}"])  # it may be a link
    with _reading(place):
        table = _connect(database).open_table(name)
        if version is not None:
            table.checkout(version)
        columns = tuple(map(_column, table.schema))
        return SourceTable(
            place, database, name, table.version, table.count_rows(), columns, _is_workspace(table.schema)
        )


def _database(place: str) -> tuple[str, str]:
    """Return the database at a place, and the name of the table if the place is one table."""
    if not place.strip():
        raise NotFoundError("No place was given; give the folder or the address of a LanceDB database.")
    folder = local_folder(place)
    if folder is None:
        allowed().check_paths([Path(place)])  # object storage is in no folder of a shared server
        if not _OBJECT_STORAGE.match(place):
            raise NotFoundError(
                f"{place} cannot be read; give a folder, or an address that begins with s3://, gs:// or az://.",
                where=place,
            )
        parent, _, last = place.rstrip("/").rpartition("/")
        return (parent, last.removesuffix(_LANCE)) if last.endswith(_LANCE) else (place, "")
    if begins_with_home(folder):
        raise NotFoundError(f"{place} starts with ~, which is not expanded; give the full path.", where=place)
    allowed().check_paths([folder])
    try:
        is_table = (folder / "_versions").is_dir()
        exists = folder.is_dir()
    except (OSError, ValueError) as error:  # ValueError: a null character
        raise NotFoundError(f"{place} cannot be opened; check the name.", where=place) from error
    if not exists:
        raise NotFoundError(f"There is no folder {place}; check the name.", where=place)
    if not is_table:
        return str(folder), ""
    if folder.suffix != _LANCE:
        raise NotFoundError(
            f"{place} is a Lance table whose name does not end in {_LANCE}; give the folder that ending.", where=place
        )
    return str(folder.absolute().parent), folder.stem


def _connect(database: str) -> Any:
    engine = import_lancedb()
    return engine.connect(database, session=engine.Session(metadata_cache_size_bytes=_METADATA_BYTES))


def _table_names(database: str) -> list[str]:
    connection = _connect(database)
    names: list[str] = []
    token = None
    while True:
        page = connection.list_tables(page_token=token)
        names += page.tables
        token = page.page_token
        if not token:
            return sorted(names)


def _is_workspace(schema: pa.Schema) -> bool:
    return set(schema.names) >= _WORKSPACE_COLUMNS


def _column(field: pa.Field) -> SourceColumn:
    import pyarrow.types as types

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return SourceColumn(field.name, str(field.type), is_text, is_text or types.is_integer(kind))


@contextmanager
def _reading(place: str) -> Iterator[None]:
    """Turn an error of the engine into a sentence about the place."""
    try:
        yield
    except ChunkscopeError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        detail = error_detail(error)
        raise StoreError(f"The table at {place} cannot be read ({detail}).", where=place) from error
