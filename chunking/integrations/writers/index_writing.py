"""Synchronisation of an index with another vector store: writes changes and deletes the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from time import perf_counter
from typing import Any, TypeVar

from chunking.errors import Cancelled, ConfigError
from chunking.indexing import IndexProgress
from chunking.indexing.run.run_records import Cancel, IndexPhase, OnProgress
from chunking.integrations.writers.vector_target import GuardedTarget, VectorTarget, target_faults, vector_rows
from chunking.integrations.writers.writer_table import COLLECTION, find_writer
from chunking.model import CHUNK, PARENT
from chunking.store import Index, Workspace, stream_chunks

__all__ = ["AT_ONCE", "WriteReport", "update_target", "write_index"]

T = TypeVar("T")

AT_ONCE = 500
"""Rows per batch: about 2 MB with 384 dimensions."""


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Report of a synchronisation; `written`, `unchanged` and `deleted` count rows of the store."""

    written: int
    unchanged: int
    deleted: int
    without_vector: int
    """Chunks without a vector in the index; not written."""
    seconds: float
    index: str
    fingerprint: str
    """Fingerprint of the index that the store now holds."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def write_index(
    workspace: Workspace,
    writer: str,
    place: str,
    *,
    index: str | None = None,
    collection: str = COLLECTION,
    levels: Sequence[str] = (CHUNK,),
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> WriteReport:
    """Make a collection of a vector store equal to an index, with its very vectors.

    Rows are compared by chunk id and a digest of text, metadata and vector: a second run writes only changes, and
    deletes rows that the index no longer has. At most `AT_ONCE` rows are in memory.

    Args:
        writer: name of a row of `WRITERS`.
        place: a folder, or the address of a server where the writer takes one.
        index: its name; None: the newest.
        collection: the collection, or table, created if missing; it holds only this index.
        levels: of the index, such as `chunk` and `x2`; parents have no vectors.
        on_progress: called after each batch.
        cancelled: called between batches; True stops.
    Raises:
        Cancelled: by `cancelled`; written rows stay, and the next run continues from there.
        ConfigError: no such writer or level.
        NotFoundError: no such index.
        StoreError: the store cannot be read or written, or holds rows that Chunkscope did not write.
        MissingPackageError: the store's package is not installed.
    """
    row, source = find_writer(writer), workspace.index(index)
    chosen = _known_levels(source, levels)
    with target_faults(place, "opening it"):
        unguarded = row.open(place, collection, source.dimension)
    with closing(GuardedTarget(unguarded, place)) as target:
        return update_target(source, target, chosen, on_progress=on_progress, cancelled=cancelled)


def update_target(
    index: Index,
    target: VectorTarget,
    levels: Sequence[str],
    *,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> WriteReport:
    """Write an index's changed rows to an open target, and delete rows that the index lacks."""
    begun = perf_counter()
    done = written = unchanged = deleted = bare = 0
    total = sum(index.levels[level] for level in levels)
    for chunks in _batches(stream_chunks(index, levels)):
        _stop_if(cancelled)
        rows = vector_rows(index, chunks)
        there = target.digests(rows)
        changed = [row for row in rows if there.get(row.id) != row.digest]
        if changed:
            target.upsert(changed)
        if len(rows) < len(chunks):
            target.delete(sorted({chunk.chunk_id for chunk in chunks} - {row.id for row in rows}))
        done, bare = done + len(chunks), bare + len(chunks) - len(rows)
        written, unchanged = written + len(changed), unchanged + len(rows) - len(changed)
        if on_progress is not None:
            on_progress(
                IndexProgress(done, total, "compared, and written where they have changed", phase=IndexPhase.FINISH)
            )
    while gone := list(
        islice(_gone(index, target, levels), AT_ONCE)
    ):  # anew after each batch: the store's pages have moved
        _stop_if(cancelled)
        target.delete(gone)
        deleted += len(gone)
    return WriteReport(
        written, unchanged, deleted, bare, round(perf_counter() - begun, 3), index.name, index.fingerprint
    )


def _known_levels(index: Index, levels: Sequence[str]) -> tuple[str, ...]:
    there = [level for level in index.levels if level != PARENT]
    for level in levels:
        if level not in there:
            what = f"The index has no level '{level}' with vectors; its levels with vectors are {', '.join(there)}."
            raise ConfigError(what, where="levels")
    return tuple(dict.fromkeys(levels))


def _gone(index: Index, target: VectorTarget, levels: Sequence[str]) -> Iterator[str]:
    """Yield the target's ids that the index does not have at these levels."""
    for ids in _batches(target.ids()):
        there = index.level_by_id(ids)
        yield from (one for one in ids if there.get(one) not in levels)


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while batch := list(islice(left, AT_ONCE)):
        yield batch


def _stop_if(cancelled: Cancel | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled(
            "Writing was stopped; everything written so far is kept, and the next run continues from there."
        )
