"""Candidate indexes: built beside a live one, promoted in one commit, or dropped.

The candidate of `main` is the index `main.candidate`, and what it replaced is `main.previous` until the next promotion.
Both are indexes like any other: built, updated, searched by name and deleted. Nothing uses them unless named.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from chunking.errors import NotFoundError, StoreError
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import INDEXES, schema
from chunking.store.index.index_registry import IndexRow, Registry

__all__ = ["candidate_of", "is_live", "live_name", "previous_of", "promote", "undo_promotion"]

_CANDIDATE, _PREVIOUS = ".candidate", ".previous"


def candidate_of(name: str) -> str:
    """Return the name of the candidate of a live index.

    >>> candidate_of("main"), previous_of("main"), live_name("main.candidate"), live_name("main")
    ('main.candidate', 'main.previous', 'main', 'main')
    """
    return name + _CANDIDATE


def previous_of(name: str) -> str:
    """Return the name of the index that the last promotion replaced."""
    return name + _PREVIOUS


def live_name(name: str) -> str:
    """Return the name of the live index that a candidate or previous index belongs to."""
    return name.removesuffix(_CANDIDATE).removesuffix(_PREVIOUS)


def is_live(name: str) -> bool:
    """True unless the name is that of a candidate or of a previous index."""
    return live_name(name) == name


def promote(tables: Tables, registry: Registry, name: str, fingerprint: str | None = None) -> IndexRow:
    """Give a candidate its live index's name in one commit; the live one becomes the previous one.

    No table changes, so searches go on. The previous index of an earlier promotion is deleted afterwards. Caller must
    hold the workspace lock.

    Args:
        fingerprint: of the candidate that was reviewed; None: promote it as it is.
    Raises:
        NotFoundError: there is no candidate, or no live index.
        StoreError: the candidate is not finished, or has another fingerprint.
    """
    rows = {row.name: row for row in registry.rows()}
    candidate, live, oldest = (rows.get(one) for one in (candidate_of(name), name, previous_of(name)))
    if candidate is None:
        raise NotFoundError(f"The index '{name}' has no candidate; build one as '{candidate_of(name)}'.", where=name)
    if live is None:
        raise NotFoundError(
            f"There is no index '{name}' for its candidate to replace; build '{name}' instead.", where=name
        )
    if candidate.state != "complete":
        raise StoreError(f"The index '{candidate.name}' is not finished; build it again first.", where=candidate.name)
    if fingerprint not in (None, candidate.fingerprint):
        raise StoreError(
            f"The index '{candidate.name}' was built again since it was reviewed; review it again.",
            where=candidate.name,
        )
    promoted = replace(candidate, name=name, updated=_now())
    _commit(tables, [promoted, replace(live, name=previous_of(name))], gone=candidate.name)
    if oldest is not None:
        tables.drop(oldest.table)
    tables.note("promoted the candidate of the index", name)
    return promoted


def undo_promotion(tables: Tables, registry: Registry, name: str) -> IndexRow:
    """Make the previous index live again in one commit; the live one becomes the candidate again.

    Caller must hold the workspace lock.

    Raises:
        NotFoundError: nothing was promoted, or the live or the previous index was deleted since.
        StoreError: there is another candidate.
    """
    rows = {row.name: row for row in registry.rows()}
    previous, live = rows.get(previous_of(name)), rows.get(name)
    if previous is None or live is None:
        raise NotFoundError(f"The index '{name}' has no previous one to go back to.", where=name)
    if candidate_of(name) in rows:
        raise StoreError(
            f"The index '{name}' has a candidate, whose name the present index would take; drop the candidate first.",
            where=name,
        )
    restored = replace(previous, name=name, updated=_now())
    _commit(tables, [restored, replace(live, name=candidate_of(name))], gone=previous.name)
    tables.note("restored the previous index", name)
    return restored


def _commit(tables: Tables, rows: list[IndexRow], gone: str) -> None:
    """Write registry rows and delete the row `gone`, all in one commit."""
    import pyarrow as pa
    from lancedb.expr import col, lit

    written = pa.Table.from_pylist([row.as_row() for row in rows], schema=schema(INDEXES))
    tables.upsert("listing the indexes", INDEXES, "name", written, replacing=col("name") == lit(clean(gone)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
