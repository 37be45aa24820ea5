"""Temporary folders that are deleted with their process, or by the next process that creates one."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Self
from uuid import uuid4

from filelock import FileLock, Timeout

from chunking.errors import StoreError
from chunking.store.engine.faults import guarded

__all__ = ["RUNS", "TRIALS", "ScratchFolder"]

RUNS = ".runs"
"""Subfolder of a workspace with the records of unfinished builds on a cluster; no part of the workspace's data."""
TRIALS = ".trials"
"""Subfolder of a workspace that holds scratch folders; no part of the workspace's data."""
_TEMPORARY = f"chunkscope-{os.getuid()}" if hasattr(os, "getuid") else "chunkscope"
"""Name with the user's id, since folders of other users of the machine are not writable."""
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class ScratchFolder:
    """Temporary folder of a process, marked by a lock file.

    `remove` deletes it. If the process was killed, its lock is free, and the next process that creates such a folder
    beside it deletes it.
    """

    path: Path
    _lock: FileLock

    @classmethod
    def inside(cls, uri: str) -> Self:
        """Create a scratch folder under a workspace's folder, in its `.trials`.

        For a remote workspace it is under the system's temporary folder. Scratch folders of ended processes are deleted
        there first.

        Raises:
            StoreError: it cannot be created.
        """
        return cls._below((Path(gettempdir(), _TEMPORARY) if "://" in uri else Path(uri)) / TRIALS, "measure")

    @staticmethod
    def clear_inside(folder: Path) -> None:
        """Delete the scratch folders in a workspace whose processes have ended.

        Raises:
            StoreError: it cannot be read.
        """
        place = folder / TRIALS
        if place.is_dir():
            with guarded(str(folder), "clearing away what killed runs left"):
                _clear(place)

    @classmethod
    def for_job(cls) -> Self:
        """Create a folder for a process's temporary files, under the system's temporary folder.

        Folders of ended processes are deleted there first, so those of a killed one go with the next call.

        Raises:
            StoreError: it cannot be created.
        """
        return cls._below(Path(gettempdir(), _TEMPORARY) / ".jobs", "work")

    @classmethod
    def _below(cls, place: Path, do: str) -> Self:
        try:
            place.mkdir(parents=True, exist_ok=True)
            _clear(place)
            while True:
                path = place / uuid4().hex[:12]
                lock = _acquire(path)
                if lock is not None:
                    path.mkdir()
                    return cls(path, lock)
        except OSError as error:
            reason = error.strerror or str(error)
            message = (
                f"No folder to {do} in can be made in {place} ({reason}); free some space, or check its permissions."
            )
            raise StoreError(message, where=str(place)) from error

    def remove(self) -> None:
        """Delete the folder with its content and its lock file, and free the lock."""
        _remove(self.path, self._lock)


def _clear(place: Path) -> None:
    """Delete the folders of ended processes."""
    for left in place.glob(f"*{_LOCK}"):
        path = left.with_suffix("")
        lock = _acquire(path)
        if lock is not None:
            _remove(path, lock)
    # Files written to a folder while it was deleted: a folder in use had its lock before it was created.
    for path in place.iterdir():
        if path.is_dir() and not path.with_suffix(_LOCK).exists():
            shutil.rmtree(path, ignore_errors=True)


def _acquire(path: Path) -> FileLock | None:
    """Acquire the lock of a folder; None if another process holds it, or has just deleted it."""
    file = path.with_suffix(_LOCK)
    lock = FileLock(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    if file.exists():
        return lock
    lock.release()  # its last holder deleted it: a lock on a deleted file keeps nobody out
    return None


def _remove(path: Path, lock: FileLock) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.with_suffix(_LOCK).unlink()
    lock.release()
