"""Progress of the index run in a workspace, in a small file that all its processes read.

One run at a time holds the workspace's writer lock, so there is one file. It is replaced as a whole, and a lock beside
it, which the system frees with its process, tells a run at work from one that was killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import uuid4

from filelock import FileLock, Timeout
from pydantic import Field, TypeAdapter, ValidationError

from chunking.store.access import Right
from chunking.store.engine.faults import guarded
from chunking.store.engine.file_locks import LOCKS

if TYPE_CHECKING:
    from chunking.store.workspace import Workspace

__all__ = ["IndexRunFile", "IndexRunStatus", "RunOrigin", "RunOutcome", "ask_to_stop", "index_run_of"]

_STATUS, _LOCK, _STOP = "index-run.json", "index-run.lock", "index-run.stop"
_MOST_BYTES, _MOST_CHARACTERS = 16_384, 300
"""Maximum size of a file that is read, and of a text in it."""
_PATIENCE = 2.0
"""Seconds that a run waits for its lock, which a reader holds for an instant."""

_Count = Annotated[int, Field(ge=0, le=10**15)]
_Text = Annotated[str, Field(max_length=_MOST_CHARACTERS)]
_Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RunOrigin(StrEnum):
    """Kind of program that started an index run."""

    TERMINAL = "terminal"
    APP = "app"
    AGENT = "agent"
    PROGRAM = "program"
    """The library, such as in a notebook."""


class RunOutcome(StrEnum):
    """End of an index run."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    KILLED = "killed"
    """Its process ended without a word."""


@dataclass(frozen=True, slots=True)
class IndexRunStatus:
    """Progress of an index run as its process reported it last, and its outcome."""

    id: _Id
    name: _Text
    """Name of the index."""
    origin: RunOrigin
    engine: Literal["embedded", "ray"] = "embedded"
    workers: _Count = 0
    """Workers of the engine; 0 if it has none, or before they are counted."""
    phase: _Text = ""
    """Value of an `IndexPhase`."""
    message: _Text = ""
    done: _Count = 0
    total: _Count = 0
    counted: Literal["chunks", "files", "parts"] = "chunks"
    """What `done` and `total` count."""
    step: _Count = 0
    steps: _Count = 0
    seconds_left: _Seconds | None = None
    outcome: RunOutcome | None = None
    """None while it runs."""
    stopping: bool = False
    """True if it was asked to stop."""


_reader = TypeAdapter(IndexRunStatus)


class IndexRunFile:
    """File of a workspace's index run; `hold` and `write` are for the run, `read` for anybody.

    Args:
        folder: the workspace's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / LOCKS

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Mark the run as alive during a `with` block; its caller holds the workspace's writer lock."""
        lock = FileLock(self._folder / _LOCK)
        with guarded(str(self._folder.parent), "recording an index run"):
            self._folder.mkdir(exist_ok=True)
            with suppress(Timeout):  # readers hold it for an instant; without it the run counts as killed
                lock.acquire(timeout=_PATIENCE, poll_interval=0.02)
        try:
            yield
        finally:
            lock.release()

    def write(self, status: IndexRunStatus) -> None:
        """Replace the file; a full disk loses the report, and not the run."""
        status = replace(status, name=_storable(status.name), message=_storable(status.message))
        unfinished = self._folder / f"{_STATUS}.{uuid4().hex[:8]}#"
        with suppress(OSError):
            try:
                unfinished.write_text(json.dumps(asdict(status)), encoding="utf-8")
                os.replace(unfinished, self._folder / _STATUS)
            finally:
                unfinished.unlink(missing_ok=True)

    def read(self) -> IndexRunStatus | None:
        """Return the status of the present or last run; None if there is none that can be read."""
        try:
            status = _reader.validate_json(_bytes(self._folder / _STATUS))
        except (OSError, ValidationError):
            return None
        if status.outcome is None and not self._is_held():
            # It may have ended between both looks, and its file was replaced before its lock was freed.
            try:
                status = _reader.validate_json(_bytes(self._folder / _STATUS))
            except (OSError, ValidationError):
                return None
            status = replace(status, outcome=status.outcome or RunOutcome.KILLED)
        return replace(status, stopping=status.outcome is None and self.is_stop_asked(status.id))

    def ask_to_stop(self, id: str) -> None:
        """Ask the run of this id to stop. Raises StoreError."""
        with guarded(str(self._folder.parent), "asking an index run to stop"):
            self._folder.mkdir(exist_ok=True)
            (self._folder / _STOP).write_text(id, encoding="utf-8")

    def is_stop_asked(self, id: str) -> bool:
        """True if the run of this id was asked to stop."""
        try:
            return _bytes(self._folder / _STOP) == id.encode()
        except OSError:
            return False

    def _is_held(self) -> bool:
        lock = FileLock(self._folder / _LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:  # a disk that cannot be written, by a run no more than by this reader
            return False
        lock.release()
        return False


def index_run_of(workspace: Workspace) -> IndexRunStatus | None:
    """Return the present or last index run of a workspace, by any process; None outside folders.

    Raises:
        AccessError: the user may not read the workspace.
    """
    workspace.require(Right.READ)
    return None if workspace.folder is None else IndexRunFile(workspace.folder).read()


def ask_to_stop(workspace: Workspace, id: str) -> None:
    """Ask the index run of this id to stop; it does so at its next report, within seconds of most work.

    Raises:
        AccessError: the user may not change the workspace.
    """
    workspace.require(Right.WRITE)
    if workspace.folder is not None:
        IndexRunFile(workspace.folder).ask_to_stop(id)


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _storable(text: str) -> str:
    """Cut a text to its maximum, and replace halves of surrogate pairs, as in names of files."""
    return text.encode("utf-8", "replace").decode()[:_MOST_CHARACTERS]
