"""What users do in a browser component, applied exactly once and in order; events.js is the other half.

Streamlit alone promises less: a request to run the page stops the run before it, and what that run had not read of a
click is gone; a new session calls no callbacks in its first run; a closed connection drops messages. So each event has
a number, and the browser sends *all* that are not confirmed yet, again and again, until a message of the component
confirms them:

    browser   {"events": [{"nonce": "5f…", "number": 7, "kind": "pick", "value": …}, …]}    oldest first
    server    {"confirmed": {"5f…": 7}}                                                    the highest number applied, a
    nonce each

A nonce names one component in one life of a page in the browser, so numbers of two tabs are never mixed up. What has
been applied is known to the whole server, by nonce: a page loaded anew is a new session, and sends again what was not
confirmed to the old one.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import streamlit as st

__all__ = ["MOST", "Event", "Handler", "LastEvents", "apply_events", "confirmed", "read_events"]

MOST = 256
"""Events in a message; events.js takes no more before some are confirmed."""
_NONCES = 20_000
"""Remembered; of those not heard of for longest the oldest goes."""
_NONCE = re.compile(r"[0-9a-f]{32}")
_HIGHEST = 2**53

Handler = Callable[[Any], None]
"""Applies an event's value. It comes from a browser, so it may be any JSON; what makes no sense is left alone."""


class Event(NamedTuple):
    """Something that the user has done."""

    nonce: str
    """32 hex digits: the component, in one life of its page."""
    number: int
    """From 1, ascending; what a later event made pointless is left out."""
    kind: str
    value: Any


class LastEvents:
    """The number of the last event applied, a nonce each; bounded, and safe between threads.

    >>> applied = LastEvents()
    >>> with applied.claim(Event("5f" * 16, 1, "pick", 3)) as new:
    ...     new
    True
    >>> applied.last("5f" * 16)
    1
    """

    def __init__(self, most: int = _NONCES) -> None:
        self._last: OrderedDict[str, int] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def last(self, nonce: str) -> int:
        """The highest number applied; 0 before the first."""
        with self._lock:
            return self._last.get(nonce, 0)

    @contextmanager
    def claim(self, event: Event) -> Iterator[bool]:
        """True where the event is new: then the body applies it, and it counts as applied unless a new run cuts the
        body short.

        Streamlit interrupts with exceptions that are no `Exception`. One that is, a fault of the handler, would come
        again each time: such an event counts as applied.
        """
        with self._lock:
            before = self._last.get(event.nonce, 0)
            new = event.number > before
            if new:
                self._set(event.nonce, event.number)
        try:
            yield new
        except Exception:
            raise
        except BaseException:
            if new:
                with self._lock:
                    self._set(event.nonce, before)
            raise

    def _set(self, nonce: str, number: int) -> None:
        self._last[nonce] = number
        self._last.move_to_end(nonce)
        while len(self._last) > self._most:
            self._last.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _server_events() -> LastEvents:
    """Of this server, shared by all sessions."""
    return LastEvents()


def read_events(said: object) -> list[Event]:
    """The events in a message of the browser, oldest first; what is no event is left out.

    >>> read_events([{"nonce": "5f" * 16, "number": 1, "kind": "pick", "value": 3}, {"nonce": "../", "number": 1}, 7])
    [Event(nonce='5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f', number=1, kind='pick', value=3)]
    """
    listed = said.get("list") if isinstance(said, Mapping) else said
    if not isinstance(listed, list):
        return []
    return [event for one in listed[:MOST] if (event := _read(one))]


def _read(one: object) -> Event | None:
    if not isinstance(one, Mapping):
        return None
    nonce, number, kind = one.get("nonce"), one.get("number"), one.get("kind")
    if not (isinstance(nonce, str) and _NONCE.fullmatch(nonce) and isinstance(kind, str)):
        return None
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= _HIGHEST:
        return None
    return Event(nonce, number, kind, one.get("value"))


def apply_events(said: object, handlers: Mapping[str, Handler], last_events: LastEvents | None = None) -> None:
    """Apply those that are new, each to the handler of its kind.

    Args:
        said: the state that the browser set.
        handlers: kind of event to what applies it; an event of another kind is confirmed, and does nothing.
        last_events: the events applied so far; None: those of this server.
    """
    last_events = last_events or _server_events()
    for event in read_events(said):
        with last_events.claim(event) as new:
            if new and event.kind in handlers:
                handlers[event.kind](event.value)


def confirmed(said: object, last_events: LastEvents | None = None) -> dict[str, int]:
    """What the browser may forget of the events that it sent last: the highest number applied, a nonce each."""
    last_events = last_events or _server_events()
    return {event.nonce: last_events.last(event.nonce) for event in read_events(said)}
