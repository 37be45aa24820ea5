"""Turns at work that takes much of a server, such as splitting long documents: one per person, few for all.

A document of 50 MB in chunks of 16 tokens takes a server of 0.4 GB to 2.8 GB, for twenty seconds. Four tabs of one
person took it to 8.7 GB at once, and delayed another person's step of the slider by up to 1.4 s. One after the other
it is 5.1 GB, since each tab keeps what it shows, and 0.6 s, and sooner done.
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
"""Seconds after which who waits looks whether there is anybody left to wait for it."""


class Turns:
    """Turns at one kind of work; for all threads of a server.

    Args:
        at_once: how many go on at the same time.
        patience: seconds that one waits for a place.
        own: what somebody is told who has one going on.
        others: what somebody is told who found no place.
        own_waits: who has one going on waits for that too, and is not told at once.
    """

    def __init__(self, at_once: int, patience: float, *, own: str, others: str, own_waits: bool = False) -> None:
        self.patience = patience
        self._at_once, self._own, self._others, self._own_waits = at_once, own, others, own_waits
        self._changed = threading.Condition()
        self._persons: set[str] = set()
        """Those who work, or wait for a place."""
        self._working = 0

    @contextmanager
    def take(self, person: str, look: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Do the work in here.

        Args:
            person: an id.
            look: called now and then while it waits, and once before it begins; what it raises ends the waiting.
        Raises:
            QuotaError: the person has one going on, or others had all places for long.
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
    others="Long documents of others are being split; reload this page in a minute.",
    own_waits=True,
)


@contextmanager
def in_turn(characters: int) -> Iterator[None]:
    """Split in here; a run that is not wanted any more, of a closed tab or for an older setting, does not wait on.

    Args:
        characters: of the document, or of the longest; up to `LARGE` it takes less than a second, and waits for nobody.
    Raises:
        QuotaError: other long ones went on for two minutes.
    """
    if characters <= LARGE:
        yield
        return
    with _TURNS.take(host().counted_as(), get_run_yield_check() or (lambda: None)):
        yield
