"""Arrow tables as files outside of the engine's tables: parts of a build."""

from __future__ import annotations

import os
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

if TYPE_CHECKING:
    import pyarrow as pa

    ArrowTable: TypeAlias = pa.Table
    """For modules that only pass tables on."""

__all__ = ["read_arrow", "sorted_span", "write_arrow"]


def write_arrow(path: Path, table: pa.Table) -> None:
    """Write a table to a file, which appears when it is complete and replaces an earlier one."""
    import pyarrow as pa

    unfinished = path.with_name(f"{path.name}.{uuid4().hex[:8]}#")
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(unfinished), table.schema, options=options) as file:
        file.write_table(table)
    os.replace(unfinished, path)


def read_arrow(path: Path) -> pa.Table:
    """Return the table in a file of `write_arrow`."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def sorted_span(table: pa.Table, column: str, low: str, high: str) -> pa.Table:
    """Return the rows of a sorted table with low <= `column` < high.

    Args:
        column: by which it is sorted.
        high: empty for no end.
    """
    values = table[column].to_pylist()
    first = bisect_left(values, low)
    end = bisect_left(values, high) if high else len(values)
    return table.slice(first, end - first)
