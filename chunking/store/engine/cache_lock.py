"""Several processes share the caches of a workspace: what one of them is at work on, the others wait for and then read.

The writer's lock is no help: sweeps, searches and previews add to the caches while an index run holds it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from chunking.errors import LockedError
from chunking.store.engine.faults import guarded

if TYPE_CHECKING:
    from chunking.store.engine.lance_tables import Tables

__all__ = ["CacheLock"]

_FOLDER = "locks"
_CLAIMS = 256
"""Lock files for claims: two claims on different work meet in one of them now and then, and then one waits for the
other.
"""
_PATIENCE = 120.0
"""Seconds that a write waits for another, which takes a few at most."""
_LOOK, _REPORT = 0.02, 0.5
"""Seconds between two looks at a lock, and between two times that who waits is told so."""


class CacheLock:
    """Locks of the caches at one URI; all are freed by the system when their process ends in any way.

    Memory and object storage have no place for locks: nothing is locked there, and one process alone writes.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._uri = tables.uri
        self._folder = None if tables.folder is None else tables.folder / _FOLDER

    @contextmanager
    def writing(self, cache: str) -> Iterator[None]:
        """Hold one of the caches while it is read and written; never while something is computed.

        Raises:
            LockedError: another process holds it for minutes: it hangs.
            StoreError: the lock cannot be made.
        """
        with self._held(f"{cache}.lock", None):
            yield

    @contextmanager
    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> Iterator[None]:
        """Claim the work on some keys; who has the claim looks them up again before the work.

        Work is told by its first key: two processes that go through the same texts in the same order wait for each
        other.
        Claims do not nest. Who may not write to the workspace keeps no work in it, and so claims none.

        Args:
            waiting: called twice a second while another process has the claim; may raise to stop.
        Raises:
            StoreError: the lock cannot be made.
        """
        if not keys or not self._tables.writable:
            yield
            return
        place = int(hashlib.sha256(keys[0].encode("utf-8", "surrogatepass")).hexdigest()[:8], 16) % _CLAIMS
        with self._held(f"claim-{place:02x}.lock", waiting):
            yield

    @contextmanager
    def _held(self, name: str, waiting: Callable[[], None] | None) -> Iterator[None]:
        if self._folder is None:
            yield
            return
        with guarded(self._uri, "locking a cache"):
            self._folder.mkdir(exist_ok=True)
        lock = FileLock(self._folder / name)
        waited = 0.0
        while not self._taken(lock):
            waited += _REPORT
            if waiting is not None:
                waiting()
            elif waited >= _PATIENCE:
                raise LockedError(
                    (
                        f"Another process has locked a cache of the workspace {self._uri} for {waited:.0f} seconds; "
                        "stop it, then try again."
                    ),
                    where=self._uri,
                )
        try:
            yield
        finally:
            lock.release()

    def _taken(self, lock: FileLock) -> bool:
        with guarded(self._uri, "locking a cache"):
            try:
                lock.acquire(timeout=_REPORT, poll_interval=_LOOK)
            except Timeout:
                return False
            return True
