"""Locks of a workspace: for its caches, shared by several processes, and for its one writer.

The writer's lock does not protect the caches: sweeps, searches and previews add to them while an index run holds it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from chunking.errors import LockedError
from chunking.store.engine.faults import guarded

if TYPE_CHECKING:
    from chunking.store.engine.lance_tables import Tables

__all__ = ["LOCKS", "CacheLock", "WriterLock"]

LOCKS = "locks"
"""Subfolder of a workspace with what belongs to the processes at work in it; no part of its data."""
_CLAIMS = 256
"""Number of lock files for claims; different claims that hash to the same file wait for each other."""
_PATIENCE = 120.0
"""Seconds that a write waits for another one, which takes a few at most."""
_LOOK, _REPORT = 0.02, 0.5
"""Seconds between two attempts at a lock, and between two calls of `waiting`."""

_FILE = "writer.lock"


class CacheLock:
    """File locks of a workspace's caches, freed by the system when their process ends.

    Memory and object storage have no place for locks: nothing is locked there, and only one process may write.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._uri = tables.uri
        self._folder = None if tables.folder is None else tables.folder / LOCKS

    @contextmanager
    def writing(self, cache: str) -> Iterator[None]:
        """Hold a cache's lock during a `with` block that reads and writes it; wait up to 2 minutes.

        Never hold it during a computation.

        Raises:
            LockedError: another process holds it for longer than that, so it hangs.
            StoreError: the lock cannot be created.
        """
        with self._hold(f"{cache}.lock", None):
            yield

    @contextmanager
    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the claim to compute some keys during a `with` block, waiting for other processes.

        The holder looks the keys up again before computing them.

        The first key identifies the work: two processes that go through the same texts in the same order wait for each
        other. Claims do not nest. Without the right to write, nothing is cached, so nothing is claimed.

        Args:
            waiting: called twice a second while another process has the claim; may raise to stop.
        Raises:
            StoreError: the lock cannot be created.
        """
        if not keys or not self._tables.writable:
            yield
            return
        place = int(hashlib.sha256(keys[0].encode("utf-8", "surrogatepass")).hexdigest()[:8], 16) % _CLAIMS
        with self._hold(f"claim-{place:02x}.lock", waiting):
            yield

    @contextmanager
    def _hold(self, name: str, waiting: Callable[[], None] | None) -> Iterator[None]:
        if self._folder is None:
            yield
            return
        with guarded(self._uri, "locking a cache"):
            self._folder.mkdir(exist_ok=True)
        lock = FileLock(self._folder / name)
        waited = 0.0
        while not self._acquire(lock):
            waited += _REPORT
            if waiting is not None:
                waiting()
            elif waited >= _PATIENCE:
                raise LockedError(
                    (
                        f"Another process has locked a cache of the workspace {self._uri} for {waited:.0f} "
                        f"seconds; stop it, then try again."
                    ),
                    where=self._uri,
                )
        try:
            yield
        finally:
            lock.release()

    def _acquire(self, lock: FileLock) -> bool:
        with guarded(self._uri, "locking a cache"):
            try:
                lock.acquire(timeout=_REPORT, poll_interval=_LOOK)
            except Timeout:
                return False
            return True


# -- the writer


class WriterLock:
    """Lock of a workspace's only writer, a process and thread; freed when the process ends.

    No other process sees a workspace in memory; on object storage the user has declared to be the only writer.

    Args:
        threads: lock among threads, for a workspace in no folder.
    """

    def __init__(self, uri: str, folder: Path | None, threads: threading.Lock) -> None:
        self._uri = uri
        self._lock = _ThreadLock(uri, threads) if folder is None else FileLock(folder / _FILE)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock during a `with` block, without waiting for it; its holder may enter again.

        Raises:
            LockedError: another process or thread holds it.
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
    """Reentrant lock among threads with the interface of a lock file."""

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
