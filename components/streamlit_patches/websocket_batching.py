"""What a run draws goes to the browser in a few parcels, where Streamlit (1.67) sends each part by itself.

A run of a page draws 50 to 90 parts. For each of them Streamlit wakes the thread that speaks to all browsers, lets it
go round once, and
has the system send it; each of the three hands over the turn of the one thread that Python lets work at a time. With
fifty people this
handing over took longer than the work. Nothing comes in another order, and nothing waits longer than `_GATHERED`.
"""

from __future__ import annotations

from asyncio import get_running_loop
from asyncio.transports import BaseTransport, Transport
from collections import deque
from functools import partial
from typing import Any, Protocol, cast

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

__all__ = ["batch_messages", "keep_drawn_parts"]

_GATHERED = 0.01
"""Seconds that a drawn part may wait for the next ones."""
_PARCEL = 100
"""Parts of a run that are sent at once; a browser that has 500 waiting is taken for lost."""
_EVENTS = "chunkscope_events"
"""Attribute of a session: what its run tells, until it is taken."""
_flush, _send, _connected = (
    AppSession.flush_browser_queue,
    Runtime._send_message,
    WebSocketsSansIOProtocol.connection_made,
)
_clear = AppSession._clear_queue


def batch_messages() -> None:
    """Gather what is sent, from now on, in this process; again is the same."""
    AppSession._on_scriptrunner_event = _gather  # type: ignore[method-assign]
    keep_drawn_parts()
    AppSession.flush_browser_queue = _parcels  # type: ignore[method-assign, assignment]
    Runtime._enqueued_some_message = _note  # type: ignore[method-assign]
    Runtime._send_message = _send_parcel  # type: ignore[method-assign]
    WebSocketsSansIOProtocol.connection_made = _connect  # type: ignore[method-assign]


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

    def tell(self, session: AppSession, event: ScriptRunnerEvent, told: tuple[Any, ...], named: dict[str, Any]) -> None:
        """A drawn part waits for the next ones; the begin and the end of a run wait for nothing."""
        self._waiting.append((told, named))
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
                told, named = self._waiting.popleft()
                session._handle_scriptrunner_event_on_event_loop(*told, **named)
        finally:
            if self._waiting:  # one of them failed: the others come all the same
                session._call_soon_on_event_loop(partial(self._take, session))


def _gather(self: AppSession, sender: Any, event: ScriptRunnerEvent, *told: Any, **named: Any) -> None:
    events: _Events = self.__dict__.get(_EVENTS) or self.__dict__.setdefault(_EVENTS, _Events())
    events.tell(self, event, (sender, event, *told), named)


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


def _parcels(self: AppSession) -> list[list[ForwardMsg]]:
    """What is to be sent to a browser, in parcels; Streamlit takes each for one message, and lets others have their
    turn after it.
    """
    parts = _flush(self)
    return [parts[begin : begin + _PARCEL] for begin in range(0, len(parts), _PARCEL)]


def _send_parcel(self: Runtime, session_info: Any, msg: Any) -> None:
    for part in msg if isinstance(msg, list) else [msg]:
        _send(self, session_info, part)


def _note(self: Runtime) -> None:
    """Have the event loop send; the loop itself need not be woken by what it does."""
    objects = self._get_async_objs()
    try:
        awake = get_running_loop() is objects.eventloop
    except RuntimeError:  # no loop runs in this thread
        awake = False
    if awake:
        objects.need_send_data.set()
    else:
        objects.eventloop.call_soon_threadsafe(objects.need_send_data.set)


def _connect(self: WebSocketsSansIOProtocol, transport: BaseTransport) -> None:
    _connected(self, cast(Transport, _JoinedWrites(cast(Transport, transport), self.loop)))


class _Loop(Protocol):
    def call_soon(self, callback: Any) -> Any: ...


class _JoinedWrites:
    """A connection that writes once what is written to it in one go."""

    def __init__(self, transport: Transport, loop: _Loop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Written when what runs now is done."""
        if not self._waiting:
            self._loop.call_soon(self._write)
        self._waiting.append(data)

    def close(self) -> None:
        """Close it after what is waiting."""
        self._write()
        self._transport.close()

    def _write(self) -> None:
        data, self._waiting = b"".join(self._waiting), []
        if data:
            self._transport.write(data)
