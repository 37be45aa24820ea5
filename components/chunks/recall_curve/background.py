"""Recall curves estimated in a background thread of the server, paused while a slider moves.

Each run of a page requests its curves, and the browser reports when the slider rests. The thread serves resting
pages with recent contact, waits while a setting moves on any page, and ends when nothing is left to do. A curve that
no page requests any more stops after its current point. Sessions share curves.
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

__all__ = ["LEASE", "MOST", "REST", "Curve", "CurveRequest", "Curves", "curves"]

REST = 0.5
"""Seconds without estimation after a setting has moved on any page."""
LEASE = 6.0
"""Seconds without contact after which a page counts as closed; open pages ask about twice a second."""
MOST = 24
"""Most curves kept; unfinished ones in use come on top."""
_BROKEN = "The curve could not be estimated; the server's log has the reason."


@dataclass(slots=True)
class Curve:
    """Points of a curve estimated so far; written by the thread, read by pages."""

    points: list[CurvePoint] = field(default_factory=list)
    """Points in order of arrival."""
    done: bool = False
    error: str = ""
    """Sentence on why it ended early."""
    verdicts: dict[str, str] = field(default_factory=dict)
    """Current value to the verdict about it."""


class CurveRequest(NamedTuple):
    """A curve that a page requests: its key, and how the thread computes its points."""

    key: str
    """Equal for equal curves."""
    start: Callable[[], Iterator[CurvePoint]]
    """Returns the iterator of the points, one step each."""
    before: Callable[[], None]
    """Called in the thread before each point."""


@dataclass(slots=True)
class _Page:
    """State of a session's page."""

    last_contact: float
    moved: float = -math.inf
    rests: bool = False
    """True if the browser has reported a resting slider since the last move."""
    requests: dict[str, CurveRequest] = field(default_factory=dict)
    """Setting to its requested curve."""


class Curves:
    """Recall curves of the server, the pages that request them, and the thread that estimates them.

    Args:
        clock: monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: dict[str, _Page] = {}
        self._curves: OrderedDict[str, Curve] = OrderedDict()
        self._running: dict[str, Iterator[CurvePoint]] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def moved(self, session: str) -> None:
        """Record that a setting moved on a session's page; pauses all curves for `REST` seconds."""
        with self._lock:
            page = self._page(session)
            page.moved, page.rests = self._clock(), False

    def rest(self, session: str) -> None:
        """Record that the slider rests on a session's page, and start the thread if none runs."""
        with self._lock:
            self._page(session).rests = True
            self._work()

    def rests(self, session: str) -> bool:
        """True if the browser reported a resting slider since the last move; counts as contact."""
        with self._lock:
            return self._page(session).rests

    def want(self, session: str, name: str, request: CurveRequest) -> Curve:
        """Request a curve in place of the page's earlier one for a setting; return it so far.

        Starts the thread if the slider rests and the curve is unfinished.
        """
        with self._lock:
            page = self._page(session)
            page.requests[name] = request
            curve = self._curves.setdefault(request.key, Curve())
            self._curves.move_to_end(request.key)
            self._forget()
            if page.rests and not curve.done:
                self._work()
            return curve

    def step(self) -> float | None:
        """Estimate the next point of a resting page's curve; called by the thread in a loop.

        Returns:
            Seconds until the next step; None ends the thread, as nothing is left to do.
        """
        with self._lock:
            self._forget()
            resting = [page for page in self._pages.values() if page.rests]
            request = next(
                (one for page in resting for one in page.requests.values() if not self._curves[one.key].done), None
            )
            if request is None:
                self._thread = None
                return None
            wait = max(
                (page.moved + REST - self._clock() for page in self._pages.values() if not page.rests), default=0.0
            )
            if wait > 0:
                return wait
            curve = self._curves[request.key]
            if request.key not in self._running:
                self._running[request.key] = request.start()
            points = self._running[request.key]
        self._take(request, curve, points)
        return 0.0

    def _take(self, request: CurveRequest, curve: Curve, points: Iterator[CurvePoint]) -> None:
        """Append the next point, or finish the curve."""
        try:
            request.before()
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
            self._running.pop(request.key, None)

    def _page(self, session: str) -> _Page:
        now = self._clock()
        page = self._pages.setdefault(session, _Page(now))
        page.last_contact = now
        return page

    def _forget(self) -> None:
        """Drop closed pages, unfinished curves without a page, and the oldest finished curves."""
        now = self._clock()
        self._pages = {session: page for session, page in self._pages.items() if now - page.last_contact <= LEASE}
        request_keys = {request.key for page in self._pages.values() for request in page.requests.values()}
        idle = [key for key in self._curves if key not in request_keys]
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
    """Return the curves of this server, shared by all sessions."""
    return Curves()
