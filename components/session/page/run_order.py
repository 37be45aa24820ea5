"""Order of concurrent page runs: what users wait for is drawn before the rest of any page.

Python runs one thread of a server at a time. If many people drag a slider and search at once, each one's boundaries and
hits would wait for all the others' forms and numbers too (measured: `docs/explanation/benchmarks.md`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["RunOrder", "awaited", "give_way", "let_pages_go_first"]

_PATIENCE = 0.15
"""Most seconds that the rest of a page waits: a slider takes its next step once its own field is redrawn."""
_PAINTING = 0.03
"""Least seconds that the rest waits. Streamlit's page gathers elements for 10 ms and then draws all it has: with the
form among them, boundaries were painted 200 ms later."""
_LONG = 2.0
"""Seconds after which other runs stop waiting for one: it waits itself, for a language model or another server."""

_REST = 0.1
"""Idle seconds after which no user is in the middle of an action: pauses of a dragged slider are shorter."""
_PATIENCE_OF_AGENTS = 2.0
"""Most seconds that an agent's work waits for pages."""


class RunOrder:
    """Priorities of a server's concurrent runs: awaited parts first, the rest later.

    Args:
        patience: most seconds that the rest waits for other runs.
        long: most seconds that other runs wait for a run.
        painting: seconds that the rest waits for the browser to paint.
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
        """Mark what is drawn in this context as awaited by a user; nested calls have no effect."""
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
        """Wait with the rest of this run until other runs have drawn what their users wait for.

        Waits at most `patience` seconds. Only the first call inside `awaited` waits; other calls do nothing.
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
        """Wait until no page has run for `rest` seconds, at most `patience`; for agents' work."""
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
        """Wake one waiting run if the way is free; the lock must be held."""
        if self._free():
            self._changed.notify()

    def _free(self) -> bool:
        since = time.monotonic() - self._long
        return all(began <= since for began in (*self._first.values(), *self._rest.values()))


_server = RunOrder(painting=_PAINTING)
awaited, give_way, let_pages_go_first = _server.awaited, _server.give_way, _server.let_pages_go_first
