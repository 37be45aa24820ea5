"""Rows of a table as an Arrow stream in zstd, read without trusting a byte.

The size of a batch is announced, and bounded, before it is read: a batch is refused if it is larger than allowed,
compressed again, uses bytes twice, or has other columns. `validate(full=True)` then checks every offset and text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from chunking.errors import WorkspaceFileError
from chunking.store.engine.schema import DEFAULTS
from chunking.store.workspace_file.archive import FileLimits, SavedTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["add_missing_columns", "read_batches", "write_batches"]

_AT_ONCE = 8 * 2**20
"""Maximum bytes of a batch written, unless one row has more."""
_MOST_HEAD = 2**20
"""Maximum bytes of a batch's header, which normally has a few hundred."""
_MORE = b"\xff\xff\xff\xff"
_SCHEMA, _ROWS = 1, 3
"""Types of messages in an Arrow stream."""
_SPARE = 4_096
"""Maximum bytes that Arrow counts for a batch beyond those in the file: its validity bits, rounded up."""


def write_batches(sink: BinaryIO, schema: pa.Schema, batches: Iterable[pa.RecordBatch], most: int) -> tuple[int, int]:
    """Write rows as an Arrow stream compressed by zstd, in batches of at most 8 MB or one row.

    Args:
        most: maximum bytes of one row.
    Returns:
        The number of rows, and of bytes before compression.
    Raises:
        WorkspaceFileError: a row is larger.
    """
    import pyarrow as pa

    rows = 0
    with pa.CompressedOutputStream(pa.PythonFile(sink, "w"), "zstd") as compressed:
        counter = _CountingFile(compressed)
        with pa.ipc.new_stream(pa.PythonFile(counter, "w"), schema) as stream:
            for batch in batches:
                for part in _parts(batch):
                    if part.nbytes > most:
                        message = (
                            f"A row of {part.nbytes / 2**20:,.0f} MB is too large for a workspace file; delete "
                            f"its document first."
                        )
                        raise WorkspaceFileError(message)
                    stream.write_batch(part)
                    rows += part.num_rows
    return rows, counter.written


class _CountingFile:
    """File wrapper that counts the bytes written."""

    closed = False

    def __init__(self, sink: Any) -> None:
        self.written = 0
        self._sink = sink

    def write(self, data: bytes) -> int:
        self._sink.write(data)
        self.written += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: the owner of the sink flushes it."""

    def close(self) -> None:
        """Do nothing: the owner of the sink closes it."""


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    if batch.num_rows <= 1 or batch.nbytes <= _AT_ONCE:
        if batch.num_rows:
            yield batch
        return
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))


def read_batches(
    source: BinaryIO,
    table: SavedTable,
    schemas: Iterable[pa.Schema],
    limits: FileLimits,
    on_bytes: Callable[[int], None],
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an untrusted stream by batch, each checked against manifest and limits.

    Args:
        table: the manifest's entry for them.
        schemas: allowed schemas.
        on_bytes: called with the bytes read since the last call; may raise to stop.
    Raises:
        WorkspaceFileError: it is no such stream, or differs from the manifest.
    """
    import pyarrow as pa

    try:
        yield from _read(source, table, tuple(schemas), limits, on_bytes)
    except (pa.ArrowException, OSError, struct.error, ValueError) as error:
        if isinstance(error, WorkspaceFileError):
            raise
        raise _damaged(table, "it is cut short or changed") from error


def _read(
    source: BinaryIO,
    table: SavedTable,
    schemas: tuple[pa.Schema, ...],
    limits: FileLimits,
    on_bytes: Callable[[int], None],
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    schema: pa.Schema | None = None
    rows = left = 0
    left = table.bytes
    with pa.CompressedInputStream(pa.PythonFile(source, "r"), "zstd") as stream:
        while True:
            start = _read_exactly(stream, 8, table)
            left -= 8
            size = struct.unpack("<i", start[4:])[0]
            if start[:4] != _MORE or not 0 <= size <= min(_MOST_HEAD, left):
                raise _damaged(table, "its rows do not begin where they should")
            if size == 0:
                break
            head = _read_exactly(stream, size, table)
            kind, body_size = _message(head, table)
            left -= size + body_size
            if body_size > limits.batch_bytes or left < 0:
                raise _damaged(table, "it contains more than its list of contents says, or too much at once")
            body = _read_exactly(stream, body_size, table)
            on_bytes(8 + size + body_size)
            if schema is None:
                schema = _schema(kind, start + head, schemas, table)
                continue
            if kind != _ROWS:
                raise _damaged(table, "there is something other than rows in it")
            batch = pa.ipc.read_record_batch(pa.py_buffer(start + head + body), schema)
            batch.validate(full=True)
            if batch.nbytes > body_size + _SPARE:
                raise _damaged(table, "its rows use the same bytes twice")
            rows += batch.num_rows
            if rows > table.rows:
                raise _damaged(table, "it has more rows than its list of contents says")
            yield batch
        if stream.read(1) or left or rows != table.rows:
            raise _damaged(table, "it does not have the rows in its list of contents")


def _schema(kind: int, message: bytes, schemas: tuple[pa.Schema, ...], table: SavedTable) -> pa.Schema:
    import pyarrow as pa

    if kind != _SCHEMA:
        raise _damaged(table, "it does not begin with its columns")
    schema = pa.ipc.read_schema(pa.py_buffer(message))
    if not any(schema.equals(one, check_metadata=True) for one in schemas):
        raise _damaged(table, "it has the wrong columns")
    return schema


def _read_exactly(stream: Any, size: int, table: SavedTable) -> bytes:
    data: bytes = stream.read(size)
    if len(data) != size:
        raise _damaged(table, "it is cut short")
    return data


def _message(head: bytes, table: SavedTable) -> tuple[int, int]:
    """Parse a message's type and body size from its flatbuffer (`Message.fbs`), before Arrow reads it.

    Raises:
        WorkspaceFileError: its body is compressed, so its size in memory is unknown.
    """
    message = struct.unpack_from("<I", head, 0)[0]
    at = _field_position(head, message, 1)
    kind = head[at] if at else 0
    at = _field_position(head, message, 3)
    body = struct.unpack_from("<q", head, at)[0] if at else 0
    if body < 0:
        raise _damaged(table, "it has an invalid size")
    if kind == _ROWS:
        at = _field_position(head, message, 2)
        rows = at + struct.unpack_from("<I", head, at)[0]
        if not at or _field_position(head, rows, 3):
            raise _damaged(table, "its rows are compressed twice")
    return kind, body


def _field_position(head: bytes, table: int, number: int) -> int:
    """Position of a field in a flatbuffer's table; 0 if it is absent."""
    places = table - struct.unpack_from("<i", head, table)[0]
    if places < 0:
        raise struct.error("before the beginning")
    size, at = struct.unpack_from("<H", head, places)[0], 4 + 2 * number
    offset = struct.unpack_from("<H", head, places + at)[0] if at + 2 <= size else 0
    return table + offset if offset else 0


def add_missing_columns(batch: pa.RecordBatch, columns: pa.Schema) -> pa.RecordBatch:
    """Return rows with exactly the given columns; a missing one has its default, or nulls."""
    import pyarrow as pa

    there = set(batch.schema.names)
    arrays = []
    for field in columns:
        if field.name in there:
            arrays.append(batch.column(field.name).cast(field.type))
        elif field.name in DEFAULTS:
            arrays.append(pa.array([DEFAULTS[field.name].strip("'")] * batch.num_rows, field.type))
        else:
            arrays.append(pa.nulls(batch.num_rows, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def _damaged(table: SavedTable, why: str) -> WorkspaceFileError:
    return WorkspaceFileError(
        f"The table {table.name} in the workspace file is damaged: {why}. Save the workspace again.", where=table.name
    )
