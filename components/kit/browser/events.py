"""User events of browser components, applied exactly once and in order; events.js is the other half.

Streamlit alone promises less: a request to run the page stops the run before it, and a click which that run had not
read is lost; a new session calls no callbacks in its first run; a closed connection drops messages. So each event has a
number, and the browser sends *all* unconfirmed ones, again and again, until a message of the component confirms them:

    browser   {"events": [{"nonce": "5f…", "number": 7, "kind": "pick", "value": …}, …]}    oldest first
    server    {"confirmed": {"5f…": 7}}    the highest number applied, by nonce

A nonce names one component in one life of a page in the browser, so numbers of two tabs are never mixed up. The server
remembers applied events by nonce for all sessions: a reloaded page is a new session, and sends again what was not
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
"""Most events in a message; events.js takes no more before some are confirmed."""
_NONCES = 20_000
"""Most nonces remembered; the one unused for longest is dropped."""
_NONCE = re.compile(r"[0-9a-f]{32}")
_HIGHEST = 2**53

Handler = Callable[[Any], None]
"""Function that applies an event's value. It comes from a browser, so it may be any JSON; ignore nonsense."""


class Event(NamedTuple):
    """A user action in a browser component."""

    nonce: str
    """32 hex digits: the component in one life of its page."""
    number: int
    """From 1, ascending; superseded events are left out."""
    kind: str
    value: Any


class LastEvents:
    """Number of the last applied event by nonce; bounded and thread-safe.

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
        """Return the highest number applied; 0 before the first."""
        with self._lock:
            return self._last.get(nonce, 0)

    @contextmanager
    def claim(self, event: Event) -> Iterator[bool]:
        """Yield True if the event is new; it counts as applied unless a new run interrupts the body.

        Streamlit interrupts with exceptions that are no `Exception`. After an `Exception`, a fault of the handler, the
        event counts as applied, as it would fail again each time.
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
    """Return the applied events of this server, shared by all sessions."""
    return LastEvents()


def read_events(message: object) -> list[Event]:
    """Parse the events of a browser message, oldest first; invalid ones are left out.

    >>> read_events([{"nonce": "5f" * 16, "number": 1, "kind": "pick", "value": 3}, {"nonce": "../", "number": 1}, 7])
    [Event(nonce='5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f', number=1, kind='pick', value=3)]
    """
    listed = message.get("list") if isinstance(message, Mapping) else message
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


def apply_events(message: object, handlers: Mapping[str, Handler], last_events: LastEvents | None = None) -> None:
    """Call the handler of each event in a browser's message that was not applied before.

    Args:
        message: the component's state, set by the browser.
        handlers: handlers by kind of event; an event of another kind is confirmed, and does nothing.
        last_events: the events applied so far; None: those of this server.
    """
    last_events = last_events or _server_events()
    for event in read_events(message):
        with last_events.claim(event) as new:
            if new and event.kind in handlers:
                handlers[event.kind](event.value)


def confirmed(message: object, last_events: LastEvents | None = None) -> dict[str, int]:
    """Return the highest applied number by nonce, for the events that the browser sent last."""
    last_events = last_events or _server_events()
    return {event.nonce: last_events.last(event.nonce) for event in read_events(message)}
