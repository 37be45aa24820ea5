"""Hand the parts that a run draws to the event loop together, where Streamlit (1.67) wakes it for each.

A run of a page draws 50 to 90 parts. Each wake-up hands over the one turn that Python gives its threads. The order
stays, and no part waits longer than `_GATHERED`.
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
"""Seconds that a drawn part may wait for the next ones."""
_EVENTS = "chunkscope_events"
"""Attribute of a session: what its run tells, until it is taken."""
_clear = AppSession._clear_queue


def gather_parts() -> None:
    """Gather drawn parts from now on, in this process. Idempotent."""
    AppSession._on_scriptrunner_event = _gather  # type: ignore[method-assign]
    keep_drawn_parts()


def keep_drawn_parts() -> None:
    """Drop nothing that a run has drawn and no browser has received, from now on, in this process; idempotent."""
    AppSession._clear_queue = _keep_parts  # type: ignore[method-assign]


class _Events:
    """What the runs of one session tell, in its order; told by their threads, taken by the thread of the event loop.

    It does not hold its session: an ended one, whose event loop has files open, would stay until Python looks for
    circles.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[tuple[Any, ...], dict[str, Any]]] = deque()
        self._awaited = False  # whether they will be taken; put back before they are, so that none is left

    def tell(
        self, session: AppSession, event: ScriptRunnerEvent, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """A drawn part waits for the next ones; the begin and the end of a run wait for nothing."""
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
            if self._waiting:  # one of them failed: the others come all the same
                session._call_soon_on_event_loop(partial(self._take, session))


def _gather(self: AppSession, sender: Any, event: ScriptRunnerEvent, *arguments: Any, **named: Any) -> None:
    events: _Events = self.__dict__.get(_EVENTS) or self.__dict__.setdefault(_EVENTS, _Events())
    events.tell(self, event, (sender, event, *arguments), named)


def _keep_parts(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """A run of a part of a page begins: what waits to be sent is sent before it.

    Streamlit drops what the part drew before, and keeps what parts in it drew: a browser cannot place those without the
    rest.
    """
    if fragment_ids_this_run:
        # what is drawn from now on comes after it, and is not put in its place
        self._browser_queue._delta_index_map.clear()
    else:
        _clear(self, fragment_ids_this_run)
