"""Users' changes to documents, by document and kind (edits, pins), with undo and redo.

A log belongs to the id of a document, not to a version: it survives new versions and deletion, and applies again when
the file comes back. The kinds (`changed_documents.KINDS`) define the content of changes.
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from chunking.errors import ChangeError
from chunking.store.access import Right
from chunking.store.engine.faults import retry_conflicts
from chunking.store.engine.file_locks import CacheLock
from chunking.store.engine.filters import clean, packed
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import CHANGES, schema
from chunking.store.engine.table_upkeep import upkeep_now_and_then

__all__ = ["MOST_CHANGES", "Change", "ChangeLog", "ChangeLogs", "ListedChanges", "LogStep", "WriteResult"]

Change = Mapping[str, Any]
"""Plain values, with an `id` unique in the log."""

MOST_CHANGES = 20_000
"""Maximum changes of one kind in a document."""
_MOST_STEPS = 500
"""Maximum steps that can be undone; older ones become permanent."""


@dataclass(frozen=True, slots=True)
class LogStep:
    """Changes added and removed by one action, undone and redone together."""

    added: tuple[Change, ...] = ()
    removed: tuple[str, ...] = ()
    """Ids of changes."""
    label: str = ""
    """Description of the action, for the undo and redo buttons."""


@dataclass(frozen=True, slots=True)
class ChangeLog:
    """Changes of one kind to one document, with the steps that can be undone and redone."""

    doc_id: str
    kind: str
    revision: int = 0
    """Number of writes so far."""
    base: tuple[Change, ...] = ()
    """Changes by steps too old to be undone."""
    steps: tuple[LogStep, ...] = ()
    done: int = 0
    """Number of steps in effect; later ones were undone."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes in effect, oldest first."""
        listed = {str(change["id"]): change for change in self.base}
        for step in self.steps[: self.done]:
            for gone in step.removed:
                listed.pop(gone, None)
            listed |= {str(change["id"]): change for change in step.added}
        return tuple(listed.values())

    @property
    def undoable(self) -> LogStep | None:
        """Step that undo would revert, or None."""
        return self.steps[self.done - 1] if self.done else None

    @property
    def redoable(self) -> LogStep | None:
        """Step that redo would apply again, or None."""
        return self.steps[self.done] if self.done < len(self.steps) else None

    def with_step(self, step: LogStep) -> ChangeLog:
        """Return a new log with a further step, without undone steps; nothing is saved.

        Of more than 500 steps the oldest becomes permanent.

        Raises:
            ChangeError: the document would have more than `MOST_CHANGES`.
        """
        longer = replace(self, revision=self.revision + 1, steps=(*self.steps[: self.done], step), done=self.done + 1)
        if len(longer.changes) > MOST_CHANGES:
            raise ChangeError(
                f"A document can have {MOST_CHANGES:,} {self.kind}; remove some first.", where=self.doc_id
            )
        if len(longer.steps) <= _MOST_STEPS:
            return longer
        first = replace(longer, steps=longer.steps[:1], done=1)
        return replace(longer, base=first.changes, steps=longer.steps[1:], done=longer.done - 1)

    def digest(self) -> str:
        """Return 16 hex digits over the changes in effect; empty without any."""
        changes = self.changes
        return hashlib.sha256(json.dumps(changes, sort_keys=True).encode()).hexdigest()[:16] if changes else ""


class WriteResult(NamedTuple):
    """Change log after a write, and whether somebody else had changed it."""

    log: ChangeLog
    """The log after the write."""
    elsewhere: bool
    """True if another tab or process had changed the log since the user saw it."""


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """Summary of a change log: the number of its changes and their digest."""

    doc_id: str
    kind: str
    count: int
    digest: str


class ChangeLogs:
    """Change logs of all documents, read and written one by one.

    Writing needs no workspace lock, since every write is one commit.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = CacheLock(tables)
        self._guard = threading.Lock()
        self._listed: tuple[str, dict[tuple[str, str], ListedChanges]] = "", {}
        self._read: dict[tuple[str, str], tuple[str, ChangeLog]] = {}

    @property
    def version(self) -> str:
        """Stamp that changes with every write by any process; "0" before the first."""
        return self._tables.stamp(CHANGES)

    def listed(self) -> dict[tuple[str, str], ListedChanges]:
        """Return summaries of all logs with changes in effect, by (document id, kind).

        Logs of deleted documents are among them.
        """
        version = self.version
        if version == "0":
            return {}
        if self._listed[0] != version:
            rows = self._tables.read("listing changes of documents", CHANGES, ["doc_id", "kind", "count", "digest"])
            entries = (ListedChanges(row["doc_id"], row["kind"], row["count"], row["digest"]) for row in rows)
            self._listed = version, {(one.doc_id, one.kind): one for one in entries if one.count}
        return self._listed[1]

    def log(self, doc_id: str, kind: str) -> ChangeLog:
        """Return a document's log of one kind; an empty log if there are no changes."""
        version = self.version
        if version == "0":
            return ChangeLog(doc_id, kind)
        with self._guard:
            cached = self._read.get((doc_id, kind))
        if cached is not None and cached[0] == version:
            return cached[1]
        log = self._load(doc_id, kind)
        with self._guard:
            if len(self._read) >= 64:
                self._read.clear()
            self._read[doc_id, kind] = version, log
        return log

    def append(
        self,
        doc_id: str,
        kind: str,
        added: Iterable[Mapping[str, Any]] = (),
        *,
        removed: Collection[str] = (),
        label: str = "",
        seen_revision: int | None = None,
    ) -> WriteResult:
        """Add and remove changes of a document as one step, and save its log.

        Args:
            added: plain values; those without an `id` get one.
            removed: ids.
            label: describes the action.
            seen_revision: the revision that the user saw; if outdated, the result says so and the step is still made.
        Raises:
            AccessError: the access does not allow writing.
            ChangeError: there would be more than `MOST_CHANGES`, or a change is not made of plain values.
            StoreError: it cannot be written; the earlier log is unharmed.
        """
        step = LogStep(tuple(_with_id(change) for change in added), tuple(removed), label)
        return self._write(doc_id, kind, seen_revision, lambda log: log.with_step(step))

    def undo(self, doc_id: str, kind: str, *, seen_revision: int | None = None) -> WriteResult:
        """Undo the last step; does nothing without one, or if `seen_revision` is outdated."""
        return self._write(doc_id, kind, seen_revision, lambda log: _moved(log, -1), only_seen=True)

    def redo(self, doc_id: str, kind: str, *, seen_revision: int | None = None) -> WriteResult:
        """Redo the step undone last; does nothing without one, or if `seen_revision` is outdated."""
        return self._write(doc_id, kind, seen_revision, lambda log: _moved(log, 1), only_seen=True)

    def clear(self) -> None:
        """Delete the change logs of all documents, undo steps included."""
        table = self._tables.table(CHANGES)
        if table is not None:
            self._tables.change("deleting changes of documents", lambda: table.delete("true"))

    def _write(
        self,
        doc_id: str,
        kind: str,
        seen_revision: int | None,
        change: Callable[[ChangeLog], ChangeLog],
        *,
        only_seen: bool = False,
    ) -> WriteResult:
        import pyarrow as pa

        self._tables.require(Right.WRITE)
        with self._lock.writing(CHANGES):
            log = self._load(doc_id, kind)
            elsewhere = seen_revision is not None and seen_revision != log.revision
            changed = log if elsewhere and only_seen else change(log)
            if changed == log:
                return WriteResult(log, elsewhere)
            rows = pa.Table.from_pylist([_row(changed)], schema=schema(CHANGES))
            retry_conflicts(partial(self._tables.upsert, "saving changes of a document", CHANGES, "key", rows))
            self._tables.note(f"changed the {kind} of", doc_id)
            upkeep_now_and_then(self._tables, CHANGES)
            return WriteResult(changed, elsewhere)

    def _load(self, doc_id: str, kind: str) -> ChangeLog:
        from lancedb.expr import col, lit

        where = col("key") == lit(_key(doc_id, kind))
        rows = self._tables.read("reading changes of a document", CHANGES, ["revision", "data"], where)
        return (
            _unpack(doc_id, kind, rows[0]["revision"], json.loads(rows[0]["data"])) if rows else ChangeLog(doc_id, kind)
        )


def _moved(log: ChangeLog, by: int) -> ChangeLog:
    done = min(max(log.done + by, 0), len(log.steps))
    return log if done == log.done else replace(log, revision=log.revision + 1, done=done)


def _with_id(change: Mapping[str, Any]) -> Change:
    change_id = change.get("id")
    return dict(change) if isinstance(change_id, str) and change_id else {"id": uuid.uuid4().hex[:12], **change}


def _key(doc_id: str, kind: str) -> str:
    return f"{kind}/{clean(doc_id)}"


def _row(log: ChangeLog) -> dict[str, Any]:
    steps = [{"added": step.added, "removed": step.removed, "label": step.label} for step in log.steps]
    try:
        data = packed({"base": log.base, "steps": steps, "done": log.done})
    except (TypeError, ValueError) as error:
        raise ChangeError(
            f"A change is plain values, such as JSON has; this one is not ({error}).", where=log.doc_id
        ) from error
    return {
        "key": _key(log.doc_id, log.kind),
        "doc_id": clean(log.doc_id),
        "kind": log.kind,
        "revision": log.revision,
        "count": len(log.changes),
        "digest": log.digest(),
        "data": data,
        "updated": datetime.now(UTC).isoformat(timespec="microseconds"),
    }


def _unpack(doc_id: str, kind: str, revision: int, data: Mapping[str, Any]) -> ChangeLog:
    steps: Sequence[Mapping[str, Any]] = data["steps"]
    log_steps = tuple(LogStep(tuple(step["added"]), tuple(step["removed"]), step["label"]) for step in steps)
    return ChangeLog(doc_id, kind, revision, tuple(data["base"]), log_steps, data["done"])
