"""Turns at expensive work, such as splitting long documents: one per person, few for all.

Splitting a document of 50 MB into chunks of 16 tokens takes a server of 0.4 GB to 2.8 GB, for twenty seconds. Four tabs
of one person at once took it to 8.7 GB, and delayed another person's step of the slider by up to 1.4 s. One after the
other it is 5.1 GB, since each tab keeps its result, and 0.6 s, and finishes sooner.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

from chunking.errors import QuotaError
from components.session.host import host
from components.session.workspace import LARGE

__all__ = ["Turns", "in_turn"]

_LOOK = 0.25
"""Seconds between two checks whether a waiting run is still wanted."""


class Turns:
    """Limit on one kind of work in a server: one turn per person, `at_once` turns for all.

    Args:
        at_once: most concurrent turns.
        patience: most seconds to wait for a turn.
        own: error text for a person who already has a turn.
        others: error text for a person who got no turn in time.
        own_waits: True lets a person who already has a turn wait for its end; False raises at once.
    """

    def __init__(self, at_once: int, patience: float, *, own: str, others: str, own_waits: bool = False) -> None:
        self.patience = patience
        self._at_once, self._own, self._others, self._own_waits = at_once, own, others, own_waits
        self._changed = threading.Condition()
        self._persons: set[str] = set()
        """Ids of persons who work or wait."""
        self._working = 0

    @contextmanager
    def take(self, person: str, look: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Wait for a turn, then hold it in this context.

        Args:
            person: id of the person.
            look: called repeatedly while waiting, and once before the turn; its exceptions end the waiting.
        Raises:
            QuotaError: the person already has a turn, or others held all turns for too long.
        """
        begun = False
        now = time.monotonic()
        with self._changed:
            self._wait(
                lambda: person not in self._persons, now + self.patience if self._own_waits else now, self._own, look
            )
            self._persons.add(person)
        try:
            with self._changed:
                self._wait(lambda: self._working < self._at_once, now + self.patience, self._others, look)
                self._working += 1
                begun = True
            look()
            yield
        finally:
            with self._changed:
                self._working -= begun
                self._persons.discard(person)
                self._changed.notify_all()

    def _wait(self, free: Callable[[], bool], until: float, refused: str, look: Callable[[], object]) -> None:
        while not self._changed.wait_for(free, timeout=max(0.0, min(_LOOK, until - time.monotonic()))):
            if time.monotonic() >= until:
                raise QuotaError(refused, where="turns")
            look()


_TURNS = Turns(
    2,
    120.0,
    own="Your long documents are being split in another tab; reload this page when that is done.",
    others="Other people’s long documents are being split; reload this page in a minute.",
    own_waits=True,
)


@contextmanager
def in_turn(characters: int) -> Iterator[None]:
    """Hold a turn at splitting a long document in this context; up to `LARGE`, do nothing.

    Waits up to two minutes; an outdated run stops waiting: that of a closed tab, or for an older setting.

    Args:
        characters: length of the longest document; up to `LARGE` it takes less than a second, and needs no turn.
    Raises:
        QuotaError: other long documents took two minutes.
    """
    if characters <= LARGE:
        yield
        return
    with _TURNS.take(host().counted_as(), get_run_yield_check() or (lambda: None)):
        yield
