"""One writer at a time: a lock file in the workspace's folder; of one that is in no folder, a lock among the threads
that share it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from chunking.errors import LockedError
from chunking.store.engine.faults import guarded

__all__ = ["WriterLock"]

_FILE = "writer.lock"


class WriterLock:
    """Held by the process (and thread) that writes; freed by the system when that process ends in any way.

    A workspace in memory is nobody else's; who writes to object storage has said that no other process does.

    Args:
        threads: of a workspace in no folder, what its threads share.
    """

    def __init__(self, uri: str, folder: Path | None, threads: threading.Lock) -> None:
        self._uri = uri
        self._lock = _ThreadLock(uri, threads) if folder is None else FileLock(folder / _FILE)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; may be entered again by who holds it.

        Raises:
            LockedError: at once, when another process or thread holds it.
        """
        with guarded(self._uri, "locking it"):
            self._take()
        try:
            yield
        finally:
            self._lock.release()

    def _take(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise LockedError(
                (
                    f"Another process is writing to the workspace {self._uri}; wait until it has finished or "
                    f"stop it, then try again."
                ),
                where=self._uri,
            ) from error


class _ThreadLock:
    """As a lock file, among threads: each object and thread holds it for itself, and may take it again."""

    def __init__(self, uri: str, lock: threading.Lock) -> None:
        self._uri, self._lock = uri, lock
        self._of_thread = threading.local()

    def acquire(self, timeout: float) -> None:
        depth = getattr(self._of_thread, "depth", 0)
        if not depth and not self._lock.acquire(timeout=timeout):
            raise Timeout(self._uri)
        self._of_thread.depth = depth + 1

    def release(self) -> None:
        self._of_thread.depth -= 1
        if not self._of_thread.depth:
            self._lock.release()
