"""Work that takes much of a server, of which a person has one going on at a time and all people have few."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from chunking.errors import QuotaError

__all__ = ["Turns"]


class Turns:
    """Turns at one kind of work; for all threads of a server.

    Args:
        at_once: how many go on at the same time.
        patience: seconds that one waits for a place.
        own: what somebody is told who has one going on.
        others: what somebody is told who found no place.
        own_patience: seconds that somebody waits for what they have going on themselves.
    """

    def __init__(self, at_once: int, patience: float, *, own: str, others: str, own_patience: float = 0.0) -> None:
        self.patience, self.own_patience = patience, own_patience
        self._own, self._others = own, others
        self._places, self._changed = threading.Semaphore(at_once), threading.Condition()
        self._working: set[str] = set()

    @contextmanager
    def taken(self, person: str) -> Iterator[None]:
        """Do the work in here.

        Args:
            person: an id.
        Raises:
            QuotaError: the person has one going on, or others had all places for long.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: person not in self._working, timeout=self.own_patience):
                raise QuotaError(self._own, where="turns")
            self._working.add(person)
        try:
            if not self._places.acquire(timeout=self.patience):
                raise QuotaError(self._others, where="turns")
            try:
                yield
            finally:
                self._places.release()
        finally:
            with self._changed:
                self._working.discard(person)
                self._changed.notify_all()
