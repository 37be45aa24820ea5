"""What people wait for is drawn first: with much to do at once, the rest of a page waits a moment for it.

Python lets one thread of a server work at a time. Where many people drag a slider and search at the same moment, the
boundaries of each and the hits of each would wait for all the others' forms and numbers too (measured:
`docs/explanation/benchmarks.md`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["RunOrder", "awaited", "give_way", "let_pages_go_first"]

_PATIENCE = 0.15
"""Seconds that the rest of a page waits at most: a slider takes its next step when its own field has been drawn again.
"""
_PAINTING = 0.03
"""Seconds that the rest waits in any case. Streamlit's page gathers parts for 10 ms and then draws all it has: with the
form among them, boundaries were painted 200 ms later."""
_LONG = 2.0
"""Seconds after which a run is one that waits itself, for a language model or another server, and nobody gives way to
it any more.
"""

_REST = 0.1
"""Seconds without a run after which nobody is in the middle of something: a drag of a slider has shorter pauses."""
_PATIENCE_OF_AGENTS = 2.0
"""Seconds that work of which nobody sees a page waits at most."""


class RunOrder:
    """Of the runs of a server, which draw what somebody waits for and which draw the rest.

    Args:
        patience: seconds that the rest waits at most for other runs.
        long: seconds that a run is given way to.
        painting: seconds that the rest waits for the browser to paint what it has.
    """

    def __init__(self, patience: float = _PATIENCE, long: float = _LONG, painting: float = 0.0) -> None:
        self._patience, self._long, self._painting = patience, long, painting
        self._first: dict[int, float] = {}
        self._rest: dict[int, float] = {}
        self._ended = 0.0
        """When the last run ended."""
        self._changed = threading.Condition()

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Draw in here what somebody waits for; in a run that does so already it is the same."""
        me = threading.get_ident()
        with self._changed:
            inside = me in self._first or me in self._rest
            if not inside:
                self._first[me] = time.monotonic()
        try:
            yield
        finally:
            if not inside:
                self._end(me)

    def give_way(self) -> None:
        """Draw the rest from now on: once the browser has painted, nobody waits for anything, and no other run draws
        its rest.
        """
        me = threading.get_ident()
        with self._changed:
            if me not in self._first:
                return
            del self._first[me]
            self._call_next()
        time.sleep(self._painting)
        with self._changed:
            self._changed.wait_for(self._free, timeout=self._patience)
            self._rest[me] = time.monotonic()

    def let_pages_go_first(self, patience: float = _PATIENCE_OF_AGENTS, rest: float = _REST) -> None:
        """Wait until no page has run for `rest` seconds, at most `patience`: for work that an agent asked for."""
        until = time.monotonic() + patience
        while (left := until - time.monotonic()) > 0:
            with self._changed:
                pause = rest if not self._free() else self._ended + rest - time.monotonic()
            if pause <= 0:
                return
            time.sleep(min(pause, left))

    def _end(self, me: int) -> None:
        with self._changed:
            self._ended = time.monotonic()
            self._first.pop(me, None)
            self._rest.pop(me, None)
            self._call_next()

    def _call_next(self) -> None:
        """One that waits may go on where nobody is in its way; the lock is held."""
        if self._free():
            self._changed.notify()

    def _free(self) -> bool:
        since = time.monotonic() - self._long
        return all(began <= since for began in (*self._first.values(), *self._rest.values()))


_server = RunOrder(painting=_PAINTING)
awaited, give_way, let_pages_go_first = _server.awaited, _server.give_way, _server.let_pages_go_first
