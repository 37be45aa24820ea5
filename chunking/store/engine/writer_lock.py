"""One writer at a time: a lock file in the workspace's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from chunking.errors import LockedError
from chunking.store.engine.faults import guarded

__all__ = ["WriterLock"]

_FILE = "writer.lock"


class WriterLock:
    """Held by the process (and thread) that writes; freed by the system when that process ends in any way."""

    def __init__(self, uri: str, folder: Path | None) -> None:
        self._uri = uri
        self._lock = None if folder is None else FileLock(folder / _FILE)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; may be entered again by who holds it. A remote URI has no lock: keep to one writer there.

        Raises:
            LockedError: at once, when another process or thread holds it.
        """
        if self._lock is None:
            yield
            return
        with guarded(self._uri, "locking it"):
            self._take()
        try:
            yield
        finally:
            self._lock.release()

    def _take(self) -> None:
        assert self._lock is not None
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise LockedError(
                f"Another process is writing to the workspace {self._uri}; wait until it has finished or stop it, then try again.",
                where=self._uri,
            ) from error
