"""Curves estimated in the background: one thread a server, a point at a time, and never while a slider moves.

A page says in each run which curves it wants, and its browser says when the slider rests. The thread works for pages
that rest and have been heard of lately, and pauses while a setting moves on any other; when there is nothing more to
do, it ends. What nobody wants any more is stopped after the present point. Sessions that want the same curve share it.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st

from chunking.errors import ChunkscopeError
from chunking.evaluation import CurvePoint

__all__ = ["LEASE", "MOST", "REST", "Curve", "Curves", "Wish", "curves"]

REST = 0.5
"""Seconds that everybody else waits after a setting was moved on a page."""
LEASE = 6.0
"""Seconds that a page counts as open after it was heard of; it asks about twice a second as long as a curve is not
done.
"""
MOST = 24
"""Finished curves kept, the most recently asked for: 25 numbers a question each."""
_BROKEN = "The curve could not be estimated; the server's log has the reason."


@dataclass(slots=True)
class Curve:
    """A curve as far as it is. Written by the thread, read by pages."""

    points: list[CurvePoint] = field(default_factory=list)
    """In the order in which they came."""
    done: bool = False
    error: str = ""
    """Why it ended early, a sentence."""
    verdicts: dict[str, str] = field(default_factory=dict)
    """Present value to what the whole curve says about it, as far as somebody has asked."""


class Wish(NamedTuple):
    """A curve that a page wants."""

    key: str
    """Equal keys, equal curves."""
    start: Callable[[], Iterator[CurvePoint]]
    """Begins it; each point is one step."""
    before: Callable[[], None]
    """Called in the thread before each point."""


@dataclass(slots=True)
class _Page:
    """What is known of a session's page."""

    last_contact: float
    moved: float = -math.inf
    rests: bool = False
    """Its browser has said so since a setting moved."""
    wishes: dict[str, Wish] = field(default_factory=dict)
    """By the name of the setting; one each."""


class Curves:
    """All curves of this server.

    Args:
        clock: seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: dict[str, _Page] = {}
        self._curves: OrderedDict[str, Curve] = OrderedDict()
        self._running: dict[str, Iterator[CurvePoint]] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def moved(self, session: str) -> None:
        """Note a change on a session's page: nothing is estimated for it until its slider rests."""
        with self._lock:
            page = self._page(session)
            page.moved, page.rests = self._clock(), False

    def rest(self, session: str) -> None:
        """The slider rests on a session's page: what it wants is estimated."""
        with self._lock:
            self._page(session).rests = True
            self._work()

    def rests(self, session: str) -> bool:
        """Whether the slider rests on a session's page."""
        with self._lock:
            return self._page(session).rests

    def want(self, session: str, name: str, wish: Wish) -> Curve:
        """A session's page is open, and wants this curve under this name instead of the one before; returns it as far
        as it is.
        """
        with self._lock:
            page = self._page(session)
            page.wishes[name] = wish
            curve = self._curves.setdefault(wish.key, Curve())
            self._curves.move_to_end(wish.key)
            self._forget()
            if page.rests and not curve.done:
                self._work()
            return curve

    def step(self) -> float | None:
        """Estimate the next point, if one is due; what the thread does again and again.

        Returns:
            Seconds until there is something to do; None where there is nothing.
        """
        with self._lock:
            self._forget()
            resting = [page for page in self._pages.values() if page.rests]
            wish = next(
                (one for page in resting for one in page.wishes.values() if not self._curves[one.key].done), None
            )
            if wish is None:
                self._thread = None
                return None
            wait = max(
                (page.moved + REST - self._clock() for page in self._pages.values() if not page.rests), default=0.0
            )
            if wait > 0:
                return wait
            curve = self._curves[wish.key]
            if wish.key not in self._running:
                self._running[wish.key] = wish.start()
            points = self._running[wish.key]
        self._take(wish, curve, points)
        return 0.0

    def _take(self, wish: Wish, curve: Curve, points: Iterator[CurvePoint]) -> None:
        """The next point of a curve, or its end."""
        try:
            wish.before()
            curve.points.append(next(points))
            return
        except StopIteration:
            pass
        except ChunkscopeError as error:
            curve.error = str(error)
        except Exception:
            logging.getLogger(__name__).exception("A curve ended early.")
            curve.error = _BROKEN
        with self._lock:
            curve.done = True
            self._running.pop(wish.key, None)

    def _page(self, session: str) -> _Page:
        now = self._clock()
        page = self._pages.setdefault(session, _Page(now))
        page.last_contact = now
        return page

    def _forget(self) -> None:
        """Drop pages that were left, unfinished curves without a page, and the oldest finished ones."""
        now = self._clock()
        self._pages = {session: page for session, page in self._pages.items() if now - page.last_contact <= LEASE}
        wish_keys = {wish.key for page in self._pages.values() for wish in page.wishes.values()}
        idle = [key for key in self._curves if key not in wish_keys]
        done = [key for key in idle if self._curves[key].done]
        for key in [*(key for key in idle if not self._curves[key].done), *done[: max(len(self._curves) - MOST, 0)]]:
            del self._curves[key]
            self._running.pop(key, None)

    def _work(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="recall-curves", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (wait := self.step()) is not None:
            time.sleep(wait)


@st.cache_resource(show_spinner=False)
def curves() -> Curves:
    """Of this server, shared by all sessions."""
    return Curves()
