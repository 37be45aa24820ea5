"""How long a run still takes: first as its plan expects, then more and more as it has gone so far."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["TimeLeft"]


class TimeLeft:
    """Seconds that are left of the work on documents.

    The plan's estimate knows what has to be embedded, but not how fast this machine is today; what has been done knows
    that, but
    not whether the rest is like it. The share that is done says how much each of them counts.

    Args:
        expected: seconds that the plan expects.
        first: chunks that are there before the run, and `total` those at its end.
        clock: gives seconds.
    """

    def __init__(self, expected: float, first: int, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._expected, self._first, self._total, self._clock = expected, first, total, clock
        self._began = self._worked = clock()

    def begin_work(self) -> None:
        """The model is loaded: from here on the time tells how fast documents go."""
        self._worked = self._clock()

    def after(self, done: int) -> float:
        """Seconds, about.

        Args:
            done: chunks that are embedded or need not be.

        >>> now = [0.0]
        >>> left = TimeLeft(10.0, 0, 100, lambda: now[0])
        >>> left.after(0)
        10.0
        >>> now[0] = 4.0
        >>> left.begin_work()
        >>> now[0] = 14.0  # twice as slow as expected
        >>> left.after(50)
        10.0
        """
        share = (done - self._first) / max(self._total - self._first, 1)
        now = self._clock()
        guessed = self._expected - (now - self._began)
        if share <= 0:
            return max(guessed, 0.0)
        measured = (now - self._worked) * max(1 - share, 0.0) / share
        return measured if guessed <= 0 else share * measured + (1 - share) * guessed
