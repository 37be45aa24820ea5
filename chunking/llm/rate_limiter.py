"""What all clients of one server share in a process: its pace, the pauses it asks for, and the circuit breaker."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

__all__ = ["FAILURES", "REST", "Gate", "gate_of"]

FAILURES = 3
"""Calls in a row that fail, each after its own further tries, before the breaker opens."""
REST = 30.0
"""Seconds for which everything then fails at once, without a request."""


class Gate:
    """Times are seconds of the clock of whoever asks."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = self._paused = self._open_until = 0.0
        self._failures = 0
        self._reason = ""

    def refusal(self, now: float) -> str | None:
        """Why no request may be made now; None where one may.

        After its rest one call may try. Until that one has succeeded, the next failure opens the breaker again.
        """
        with self._lock:
            if self._failures < FAILURES:
                return None
            if now >= self._open_until:
                self._open_until = now + REST  # others wait for the outcome of this one
                return None
            return self._reason

    def book(self, now: float, interval: float) -> float:
        """The time at which the next request may start, at least `interval` after the one before."""
        with self._lock:
            start = max(now, self._next, self._paused)
            self._next = start + interval
            return start

    def pause(self, until: float) -> None:
        """Nobody starts a request before this time: the server has said that there are too many."""
        with self._lock:
            self._paused = max(self._paused, until)

    @property
    def paused_until(self) -> float:
        with self._lock:
            return self._paused

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self, now: float, reason: str) -> None:
        """A call has failed for good, and the server is to blame."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            self._open_until = now + REST


@lru_cache(maxsize=256)
def gate_of(url: str) -> Gate:
    """The gate of a server, one a process."""
    return Gate()
