"""Gateway to the storage engine: open tables, count calls, and make errors readable."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from copy import copy
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.errors import AccessError, NotFoundError
from chunking.store.access import EVERYTHING, Access, Right, refusal
from chunking.store.engine.faults import guarded
from chunking.store.engine.schema import CHUNKS, DEFAULTS, PACKED, later_columns
from chunking.store.engine.store_opening import (
    check_format,
    import_lancedb,
    local_folder,
    mark_format,
    may_be_shared,
    prepare_folder,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pyarrow as pa

__all__ = ["Tables", "sql"]

T = TypeVar("T")

_LOOKS, _PAUSE = 10, 0.05
"""Attempts to open a table that is listed but not created yet, and seconds between them."""
_KEPT, _KEPT_OF_CHUNKS = 2 * 2**20, 16 * 2**20
"""Bytes of metadata cache for each open table, and for tables of chunks.

The engine caches some 25 KB for each version read, up to a gigabyte by default, and a page reads every version of a
workspace in use. A table of 60 fragments and 19 columns is read as fast with 2 MB as with all of it, and a third slower
with 1 MB.
"""


class Tables:
    """Gateway to the LanceDB tables at one URI: checks rights, counts calls, explains errors.

    Attributes:
        uri: a folder, or a URI for LanceDB (`s3://…`).
        folder: the folder on this machine; None for memory and object storage.
        access: rights of the user the tables are opened for, checked before every call.
        threads: lock of the writing thread, for a workspace in no folder; shared by all users' views.
        calls: queries and writes so far. Opening a table or reading its version does not count: it reads no rows.
        versions_left: number of versions after the last upkeep by this process, by table (`table_upkeep`).
    """

    def __init__(self, uri: str, *, create: bool, access: Access = EVERYTHING, sole_writer: bool = False) -> None:
        self.folder = local_folder(uri)
        self.uri = uri if self.folder is None else str(self.folder)
        self.access = access
        self.threads = threading.Lock()
        self._unguarded = may_be_shared(uri) and not sole_writer
        self.require(Right.READ)
        self.calls = 0
        self._open: dict[str, Any] = {}
        self._up_to_date: set[str] = set()
        """Tables that have every column of this version; columns are never removed."""
        self._packed: dict[str, bool] = {}
        """Answers of `is_packed` by table; a name is never used for another table of chunks."""
        self.versions_left: dict[str, int] = {}
        self.listings: dict[str, Any] = {}
        """Newest list of a table's rows by its name, with the stamp it was read at; shared by `seen_by`."""
        self._guard = threading.Lock()
        if self.folder is not None:
            prepare_folder(self.folder, create, lambda: self.require(Right.WRITE))
            check_format(self.folder)
        with guarded(self.uri, "opening it"):
            self._db = self._connect()

    def _connection(self, name: str) -> Any:
        """Return a connection for one table: a new one, or for memory the existing one, which alone sees it.

        A connection caches what it read of a table's indexes, with the files open, until it is dropped itself.
        """
        return self._db if self.folder is None else self._connect(name)

    def _connect(self, name: str = "") -> Any:
        engine, kept = import_lancedb(), _KEPT_OF_CHUNKS if name.startswith(CHUNKS) else _KEPT
        # Interval 0: every read first looks for commits of other processes (0.1 ms).
        session = engine.Session(metadata_cache_size_bytes=kept)
        return engine.connect(self.uri, read_consistency_interval=timedelta(0), session=session)

    def seen_by(self, access: Access) -> Tables:
        """Return the same open tables for another access, with `calls` at 0.

        Raises:
            AccessError: the access does not allow reading.
        """
        view = copy(self)
        view.access = access
        view.calls = 0
        view.require(Right.READ)
        return view

    def require(self, right: Right) -> None:
        """Raise AccessError if the access lacks, or no longer has, a right.

        Writing is refused where no lock prevents a second writer, unless the user declared to be the only one.
        """
        if not self.access.allows(right):
            raise refusal(right)
        if right is Right.WRITE and self._unguarded:
            message = (
                f"The workspace {self.uri} is on object storage, which has no lock against a second writer; copy "
                f"it to a folder, or declare that nothing else writes to it (Workspace.open(…, "
                f"sole_writer=True), or --sole-writer)."
            )
            raise AccessError(message, where=self.uri)

    def may(self, right: Right) -> bool:
        """True if `require` would raise nothing for a right at this moment."""
        return self.access.allows(right) and not (right is Right.WRITE and self._unguarded)

    def note(self, what: str, name: str) -> None:
        """Report a change for the audit log: action in the past tense, and the object's name."""
        self.access.note(what, name)

    @property
    def writable(self) -> bool:
        """True if writing is allowed at this moment; see `require`."""
        return self.may(Right.WRITE)

    def names(self) -> list[str]:
        """Return the names of all tables."""
        with guarded(self.uri, "listing its tables"):
            names: list[str] = []
            token = None
            while True:
                page = self._db.list_tables(page_token=token)
                names += page.tables
                token = page.page_token
                if not token:
                    return names

    def table(self, name: str, schema: pa.Schema | None = None) -> Any | None:
        """Return an open table; create a missing one by `schema`, or return None without a schema.

        Raises:
            AccessError: the access does not allow reading, or writing for a table to create.
        """
        self.require(Right.READ)
        with self._guard:
            if name in self._open:
                return self._open[name]
            with guarded(self.uri, f"opening the table {name}"):
                if name in self.names():
                    self._open[name] = self._listed(name)
                elif schema is None:
                    return None
                else:
                    self.require(Right.WRITE)
                    self.calls += 1
                    if self.folder is not None:
                        mark_format(self.folder)
                    # Another process may make it at this very moment.
                    self._open[name] = self._connection(name).create_table(name, schema=schema, exist_ok=True)
            return self._open[name]

    def _listed(self, name: str) -> Any:
        """Open a listed table on its own connection, so that forgetting it closes all its files (0.3 ms more).

        If another process is just creating the table, wait for it.
        """
        connection = self._connection(name)
        for _ in range(_LOOKS):
            with suppress(ValueError):
                return connection.open_table(name)
            time.sleep(_PAUSE)
        return connection.open_table(name)

    def forget(self, prefix: str = "", *, but: Collection[str] = ()) -> None:
        """Close open tables whose names begin with `prefix`, except `but`; a use reopens them."""
        with self._guard:
            for name in [name for name in self._open if name.startswith(prefix) and name not in but]:
                del self._open[name]
                self._up_to_date.discard(name)

    def drop(self, name: str) -> None:
        """Delete a table with all its files; ignore a missing one."""
        self.require(Right.WRITE)
        with self._guard:
            self._open.pop(name, None)
            self._up_to_date.discard(name)
        self.calls += 1
        with guarded(self.uri, f"deleting the table {name}"):
            if name in self.names():
                self._db.drop_table(name)

    def version(self, name: str) -> int:
        """Return the newest version number of a table; 0 if there is no such table."""
        table = self.table(name)
        try:
            with guarded(self.uri, f"opening the table {name}"):
                return int(table.version) if table is not None else 0
        except NotFoundError:
            self.forget()
            raise

    def stamp(self, name: str) -> str:
        """Return a stamp that changes with every write to a table, also if its folder is recreated.

        Pages ask for it many times a run. In a local folder it is read from the names of the manifests, of which each
        commit adds one: a seventh of the time of the engine's own answer. "0": there is no such table.
        """
        self.require(Right.READ)
        if self.folder is None:
            return str(self.version(name))
        table = self.folder / f"{name}.lance"
        try:
            manifests = [file for file in os.listdir(table / "_versions") if file.endswith(".manifest")]
            return f"{min(manifests)}.{max(manifests)}.{table.stat().st_ctime_ns}" if manifests else "0"
        except OSError as error:
            never = isinstance(error, FileNotFoundError) and name not in self._open
            return "0" if never else str(self.version(name))  # which raises an error that describes the fault

    def run(self, what: str, call: Callable[[], T]) -> T:
        """Call a function that only reads tables, counting it as one call, and return its result.

        Args:
            what: the action, for an error's sentence.
        Raises:
            AccessError: the access does not allow reading, or no longer.
            StoreError: the engine's error as one sentence.
        """
        self.require(Right.READ)
        self.calls += 1
        return self._explained(what, call)

    def _explained(self, what: str, call: Callable[[], T]) -> T:
        try:
            with guarded(self.uri, what):
                return call()
        except NotFoundError:
            self.forget()  # the folder was moved or deleted: a retry must open the table anew
            raise

    def change(self, what: str, call: Callable[[], T]) -> T:
        """Call a function that writes to tables, as `run` does; the access must allow writing.

        Raises:
            AccessError, StoreError: as `require` and `run`.
        """
        self.require(Right.WRITE)
        return self.run(what, call)

    def read(
        self, what: str, name: str, columns: Sequence[str], where: Any | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        """Return rows of a table as dictionaries, in storage order; empty if the table is missing.

        Columns later than the table's version (`schema.later_columns`) are None in every row.
        """
        if self.table(name) is None:
            return []

        def query() -> Any:
            rows = self.query(name)
            rows = rows if where is None else rows.where(where)
            return rows if limit is None else rows.limit(limit)

        rows: list[dict[str, Any]] = self.columns(what, name, query, columns).to_pylist()
        return rows

    def read_columns(
        self, what: str, name: str, columns: Sequence[str], where: Any | None = None
    ) -> dict[str, list[Any]]:
        """Return a table's rows as lists by column, for many rows; as `read`, but quicker."""
        rows: dict[str, list[Any]] = self.read_table(what, name, columns, where).to_pydict()
        return rows

    def read_table(self, what: str, name: str, columns: Sequence[str], where: Any | None = None) -> pa.Table:
        """Return a table's rows as an Arrow table; empty, with columns of texts, if the table is missing."""
        import pyarrow as pa

        if self.table(name) is None:
            return pa.table({column: pa.array([], pa.string()) for column in columns})

        def query() -> Any:
            return self.query(name) if where is None else self.query(name).where(where)

        return self.columns(what, name, query, columns)

    def first_row(self, name: str) -> None:
        """Read one row of a table, all columns, to check its files; a missing table passes.

        Raises:
            StoreError: the files cannot be read.
        """
        if self.table(name) is not None:
            self.fetch(f"reading the table {name}", self.query(name).limit(1))

    def query(self, name: str) -> Any:
        """Return the engine's query over an existing table, without conditions, for `fetch`.

        It is the asynchronous one: the synchronous one asks for the table's schema two or three times before it runs.
        """
        table = self.table(name)
        assert table is not None
        return table._table.query()

    def fetch(self, what: str, query: Any) -> pa.Table:
        """Run an asynchronous query as one counted call, and return its rows as an Arrow table."""
        return self.start(what, query)()

    def start(self, what: str, query: Any) -> Callable[[], pa.Table]:
        """Start an asynchronous query as one counted call, and return a function that waits for its rows.

        The engine works without Python's lock, so queries run side by side, and beside this program's own work.
        """
        from lancedb import background_loop

        loop: Any = background_loop.LOOP
        pending = self.run(what, lambda: asyncio.run_coroutine_threadsafe(query.to_arrow(), loop.loop))
        return partial(self._explained, what, partial(_result, pending))

    def columns(self, what: str, name: str, query: Callable[[], Any], columns: Sequence[str]) -> pa.Table:
        """Run a query and return its columns, in the order of `columns`; missing ones are null.

        Args:
            query: creates the engine's query, without a selection.
        """
        return self.start_columns(what, name, query, columns)()

    def start_columns(
        self, what: str, name: str, query: Callable[[], Any], columns: Sequence[str]
    ) -> Callable[[], pa.Table]:
        """Start a query, and return a function that waits for its columns; see `start` and `columns`."""
        missing = self.missing(name, columns)
        with guarded(self.uri, what):
            selection = query().select([column for column in columns if column not in missing])
        rows = self.start(what, selection)
        return lambda: _with_nulls(rows(), missing).select(list(columns))

    def missing(self, name: str, columns: Sequence[str]) -> list[str]:
        """Return those of `columns` that an earlier version's table lacks; not a counted call.

        Only columns in `schema.LATER` are looked for; empty if there is no such table.
        """
        table = self.table(name)
        later = [column for column in columns if column in later_columns(name)] if name not in self._up_to_date else []
        if table is None or not later:
            return []
        with guarded(self.uri, f"opening the table {name}"):
            there = table.schema.names
        if all(column in there for column in later_columns(name)):
            self._up_to_date.add(name)
        return [column for column in later if column not in there]

    def is_packed(self, name: str) -> bool:
        """True if a table has the column `schema.PACKED`, which it has from its creation or never."""
        if name not in self._packed:
            table = self.table(name)
            if table is None:  # not an answer to keep: it may be created with the column
                return False
            with guarded(self.uri, f"opening the table {name}"):
                self._packed[name] = PACKED in table.schema.names
        return self._packed[name]

    def upsert(
        self,
        what: str,
        name: str,
        key: str,
        rows: pa.Table,
        *,
        replacing: Any | None = None,
        by_index: bool = False,
    ) -> None:
        """Insert or replace rows by `key` in one commit, creating the table if it is missing.

        Columns that the table of an earlier version lacks are added first.

        Args:
            replacing: an expression; rows that match it and are not among `rows` are deleted in the same commit.
            by_index: find rows by the index on `key`, at a cost that does not grow with the table. Only for one writer
                at a time, and without `replacing`, which reads all rows.
        """
        table, rows = self._complete(what, name, rows)
        merge = table.merge_insert(key).when_matched_update_all().when_not_matched_insert_all()
        if replacing is not None:
            merge = merge.when_not_matched_by_source_delete(sql(replacing))
        # With the index two writers would give a key twice.
        # A row without a vector is meant so: what has one was checked before.
        self.change(what, lambda: merge.use_index(by_index).execute(rows, on_bad_vectors="null"))

    def add(self, what: str, name: str, rows: pa.Table) -> None:
        """Add rows, whose keys must be new, in one commit, creating table and columns as `upsert`."""
        table, rows = self._complete(what, name, rows)
        self.change(what, lambda: table.add(rows))

    def _complete(self, what: str, name: str, rows: pa.Table) -> tuple[Any, pa.Table]:
        """Return the table, after adding the columns of `rows` that it lacks, and the rows that it takes."""
        table = self.table(name, rows.schema)
        assert table is not None
        for column in self.missing(name, rows.schema.names):
            added = {column: DEFAULTS[column]} if column in DEFAULTS else [rows.schema.field(column)]
            self.change(what, partial(table.add_columns, added))
        if PACKED in rows.schema.names and not self.is_packed(name):
            rows = rows.drop_columns([PACKED])
        return table, rows


def _with_nulls(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    for name in names:
        rows = rows.append_column(name, pa.nulls(len(rows), pa.string()))
    return rows


def _result(pending: Future[T]) -> T:
    """Wait for a query's result; whatever interrupts the wait also ends the query."""
    try:
        return pending.result()
    except BaseException:
        pending.cancel()
        raise


def sql(expression: Any) -> str:
    """Return an engine's expression as SQL with quoted values."""
    return str(expression.to_sql())
