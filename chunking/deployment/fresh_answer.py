"""An answer of the directory that is asked for so often that it is kept for half a second, and never longer than it is
known to hold.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["FreshAnswer"]

T = TypeVar("T")
_FRESH = 0.5
"""Seconds for which it is believed that another process has changed nothing; a change in this one is seen at once."""


class FreshAnswer(Generic[T]):
    """The last answer to a question, asked again once it may have changed.

    Args:
        revision: changes with every write of this process.
        ask: reads the directory.
    """

    def __init__(self, revision: Callable[[], int], ask: Callable[[], T]) -> None:
        self._revision, self._ask = revision, ask
        self._last: tuple[int, float, T] | None = None
        """The revision and the time at which it was asked, and the answer."""

    def now(self) -> T:
        """The answer. Raises what asking raises."""
        last, time_now = self._last, time.monotonic()
        revision = self._revision()
        if last is None or last[0] != revision or time_now - last[1] > _FRESH:
            self._last = last = (revision, time_now, self._ask())
        return last[2]
