"""Read Parquet rows as JSON lines, for tables of questions or answers."""

from __future__ import annotations

import json
from typing import Any

from chunking.errors import ParseError, TooLargeError

__all__ = ["json_lines"]

_MOST_BYTES = 256 * 1024 * 1024
"""Most bytes of the rows as JSON."""
_ROWS_AT_ONCE = 500


def json_lines(data: bytes, source: str, most_rows: int) -> bytes:
    """Convert a Parquet file's rows to UTF-8 lines of JSON objects; bytes and dates become texts.

    NaN and infinity stay, as Python's `json` writes them.

    Raises:
        ParseError: it is no Parquet file, or damaged.
        TooLargeError: it has more rows, or they hold more than a table of texts does.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines: list[bytes] = []
    size = 0
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if file.metadata.num_rows > most_rows:
            raise TooLargeError(
                f"{source} has {file.metadata.num_rows:,} rows, more than {most_rows:,}; split it.", where=source
            )
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, use_threads=False):
            for row in batch.to_pylist():
                lines.append(json.dumps(row, ensure_ascii=False, default=_text).encode("utf-8", "replace"))
                size += len(lines[-1])
            if size > _MOST_BYTES or len(lines) > most_rows:
                raise TooLargeError(f"{source} holds too much for a table of questions; split it.", where=source)
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise ParseError(f"{source} is not a valid Parquet file; save it again.", where=source) from error
    return b"\n".join(lines)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
