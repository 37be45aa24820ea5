"""Hand the elements that a run draws to the event loop in groups; Streamlit (1.67) wakes it for each.

A page run draws 50 to 90 elements. Each wake-up gives away the thread's turn (the GIL). The order stays, and no element
waits longer than `_GATHERED`.
"""

from __future__ import annotations

from asyncio import get_running_loop
from collections import deque
from functools import partial
from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

__all__ = ["gather_parts", "keep_drawn_parts"]

_GATHERED = 0.01
"""Seconds that a drawn element may wait for the next ones."""
_EVENTS = "chunkscope_events"
"""Attribute of a session that holds its undelivered events."""
_clear = AppSession._clear_queue


def gather_parts() -> None:
    """Patch Streamlit to deliver drawn elements in groups, and to drop none. Idempotent."""
    AppSession._on_scriptrunner_event = _gather  # type: ignore[method-assign]
    keep_drawn_parts()


def keep_drawn_parts() -> None:
    """Patch Streamlit to drop no drawn element that the browser has not received. Idempotent."""
    AppSession._clear_queue = _keep_parts  # type: ignore[method-assign]


class _Events:
    """Undelivered events of a session's runs in order, added by threads, delivered by the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[tuple[Any, ...], dict[str, Any]]] = deque()
        self._awaited = False  # True if a delivery is scheduled; reset before it, so that no event is missed

    def tell(
        self, session: AppSession, event: ScriptRunnerEvent, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Queue an event; a drawn element waits for the next ones, the start and the end of a run do not."""
        self._waiting.append((arguments, named))
        if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
            session._call_soon_on_event_loop(partial(self._take, session))
        elif not self._awaited:
            self._awaited = True
            session._call_soon_on_event_loop(partial(self._take_later, session))

    def _take_later(self, session: AppSession) -> None:
        get_running_loop().call_later(_GATHERED, self._take, session)

    def _take(self, session: AppSession) -> None:
        self._awaited = False
        try:
            while self._waiting:
                arguments, named = self._waiting.popleft()
                session._handle_scriptrunner_event_on_event_loop(*arguments, **named)
        finally:
            if self._waiting:  # one of them failed: deliver the others
                session._call_soon_on_event_loop(partial(self._take, session))


def _gather(self: AppSession, sender: Any, event: ScriptRunnerEvent, *arguments: Any, **named: Any) -> None:
    events: _Events = self.__dict__.get(_EVENTS) or self.__dict__.setdefault(_EVENTS, _Events())
    events.tell(self, event, (sender, event, *arguments), named)


def _keep_parts(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """Keep undelivered elements when a fragment's run begins, and send them first.

    Streamlit drops what the fragment drew before, and keeps what nested fragments drew: a browser cannot place those
    without the rest.
    """
    if fragment_ids_this_run:
        # so that new elements are appended, and replace none of it
        self._browser_queue._delta_index_map.clear()
    else:
        _clear(self, fragment_ids_this_run)
