"""Rows of a query, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from chunking.store.engine.lance_tables import Tables

__all__ = ["read_batches"]


def read_batches(tables: Tables, what: str, query: Any, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an asynchronous query in batches, each one counted call.

    Args:
        what: the action, for an error's sentence.
        rows: maximum rows of a batch.
    """
    from lancedb import background_loop

    loop: Any = background_loop.LOOP
    reader = tables.run(what, lambda: loop.run(query.to_batches(max_batch_length=rows)))
    while (batch := tables.run(what, lambda: loop.run(_next(reader)))) is not None:
        yield batch


async def _next(reader: Any) -> pa.RecordBatch | None:
    try:
        batch: pa.RecordBatch = await reader.__anext__()
    except StopAsyncIteration:
        return None
    return batch
