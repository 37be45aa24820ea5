"""Progress of an index run for other processes, and their request to stop it.

A terminal indexes, and the app shows how far it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from chunking.errors import Cancelled
from chunking.indexing.run.run_records import Cancel, IndexProgress, OnProgress
from chunking.store import Right, Workspace
from chunking.store.index_run_file import IndexRunFile, IndexRunStatus, RunOrigin, RunOutcome

__all__ = ["SharedProgress", "share_progress", "started_in"]

_PERIOD = 0.5
"""Seconds between two writes of the file, and between two looks for a request to stop."""

_origin: ContextVar[RunOrigin] = ContextVar("origin", default=RunOrigin.PROGRAM)
_sharing: ContextVar[frozenset[Path]] = ContextVar("sharing", default=frozenset())
"""Folders of the workspaces whose run is shared already by this thread, the one that holds the writer lock."""


@contextmanager
def started_in(origin: RunOrigin) -> Iterator[None]:
    """Say for a `with` block which kind of program starts its index runs."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)


class SharedProgress:
    """Progress of one run, reported to other processes through a file.

    Args:
        file: None: nothing is shared.
    """

    def __init__(self, file: IndexRunFile | None, status: IndexRunStatus) -> None:
        self._file, self._status = file, status
        self._written = self._looked = float("-inf")
        self._stopped = False
        self._lock = threading.Lock()
        """Files are read by several threads, which ask together whether to stop."""

    def describe(self, **facts: Any) -> None:
        """Write some fields of the status at once."""
        self._status = replace(self._status, **facts)
        if self._file is not None:
            self._file.write(self._status)
            self._written = time.monotonic()

    def begin_plan(self) -> None:
        """Say that the files are read, and that what is new is counted, which reports nothing itself."""
        self.describe(message="Counting what is new", done=0, total=0, counted="chunks")

    def reports(
        self, on_progress: OnProgress | None, counted: Literal["chunks", "files", "parts"] = "chunks"
    ) -> OnProgress | None:
        """Return a callback that shares the progress and passes it on.

        Args:
            counted: what its numbers count.
        """
        if self._file is None:
            return on_progress

        def report(progress: IndexProgress) -> None:
            self._share(progress, counted)
            if on_progress is not None:
                on_progress(progress)

        return report

    def stops(self, cancelled: Cancel | None = None) -> Cancel | None:
        """Return a callback that is True if `cancelled` is, or another process asked the run to stop."""
        if self._file is None:
            return cancelled
        return lambda: (cancelled is not None and cancelled()) or self._is_stop_asked()

    def _share(self, progress: IndexProgress, counted: Literal["chunks", "files", "parts"]) -> None:
        before = self._status
        self._status = replace(
            before,
            phase=progress.phase.value,
            message=progress.message,
            done=progress.done,
            total=progress.total,
            counted=counted,
            step=progress.step,
            steps=progress.steps,
            seconds_left=None if progress.seconds_left is None else max(progress.seconds_left, 0.0),
        )
        entered = (before.phase, before.step) != (self._status.phase, self._status.step)
        if entered or time.monotonic() >= self._written + _PERIOD:
            self.describe()

    def _is_stop_asked(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if self._file is not None and not self._stopped and now >= self._looked + _PERIOD:
                self._looked, self._stopped = now, self._file.is_stop_asked(self._status.id)
            return self._stopped


@contextmanager
def share_progress(
    workspace: Workspace, name: str, engine: Literal["embedded", "ray"] = "embedded"
) -> Iterator[SharedProgress]:
    """Share the progress of an index run during a `with` block, and its outcome at the end.

    The caller holds the workspace's writer lock. Inside another such block of the workspace, which shares already, and
    for a workspace in no folder, nothing is shared.

    Args:
        name: of the index.
    Raises:
        AccessError: the user may not change the workspace.
    """
    workspace.require(Right.WRITE)
    folder = workspace.folder
    status = IndexRunStatus(uuid4().hex, name, _origin.get(), engine)
    if folder is None or folder in _sharing.get():
        yield SharedProgress(None, status)
        return
    file = IndexRunFile(folder)
    shared, outcome = SharedProgress(file, status), RunOutcome.FAILED
    token = _sharing.set(_sharing.get() | {folder})
    try:
        with file.hold():
            shared.describe()
            try:
                yield shared
                outcome = RunOutcome.DONE
            except (Cancelled, KeyboardInterrupt):
                outcome = RunOutcome.CANCELLED
                raise
            finally:
                shared.describe(outcome=outcome)
    finally:
        _sharing.reset(token)
