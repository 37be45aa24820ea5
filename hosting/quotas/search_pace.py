"""How fast a person may search: a token bucket for each."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["SEARCHES_AT_ONCE", "SEARCHES_A_SECOND", "SearchPace"]

SEARCHES_AT_ONCE, SEARCHES_A_SECOND = 40, 4.0
"""So many searches in a row, and so many a second after that. Nobody reads that fast."""
_MOST_ROWS = 1_000
"""People of whom it is known how many searches they have left, before those who have rested are forgotten."""


class SearchPace:
    """The buckets of all people. Thread-safe.

    Args:
        clock: seconds, rising.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}
        """Person to the searches that are left, and when that was so."""

    def take(self, person: str) -> bool:
        """Count a search; False where they have none left."""
        with self._lock:
            now = self._clock()
            tokens, since = self._left.get(person, (float(SEARCHES_AT_ONCE), now))
            tokens = min(float(SEARCHES_AT_ONCE), tokens + (now - since) * SEARCHES_A_SECOND)
            allowed = tokens >= 1
            self._left[person] = (tokens - allowed, now)
            if allowed:
                self._forget_rested(now)
            return allowed

    def _forget_rested(self, now: float) -> None:
        """Who has all searches left needs no row."""
        if len(self._left) > _MOST_ROWS:
            full = SEARCHES_AT_ONCE / SEARCHES_A_SECOND
            self._left = {person: row for person, row in self._left.items() if now - row[1] < full}
