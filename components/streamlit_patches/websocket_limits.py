"""Limit what a connection may make the server hold before a message is complete."""

from __future__ import annotations

import weakref
from collections.abc import Callable, MutableMapping
from functools import wraps
from typing import Any

from streamlit import config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

__all__ = ["limit_messages"]

_MEGABYTE = 10**6
_ENVELOPE = _MEGABYTE
"""Bytes that a message may have over the app's limit: the app refuses with a sentence, this limit closes the
connection."""
_UNKNOWN = _MEGABYTE
"""Most bytes of a message from a visitor who has not signed in: the page has nothing to send but a click."""
_DEADLINE = 60.0
"""Seconds from the first byte of a message to its last: 25 MB at 3.4 Mbit/s."""
_MOST_FRAMES = 4_096
"""Most frames of one message. Browsers send one; each, even an empty one, takes memory."""
_TIMER = "chunkscope_message_timer"
_TOO_BIG, _TOO_SLOW = 1009, 1008
_LIMITED = "chunkscope_message_limit"
_receive = WebSocketsSansIOProtocol.data_received

MemberTest = Callable[[MutableMapping[str, Any]], bool]
_is_member: MemberTest = lambda scope: True  # noqa: E731  one person on their own machine


def limit_messages(is_member: MemberTest = _is_member) -> None:
    """Limit size, frames and duration of incoming messages from now on, in this process. Idempotent.

    Streamlit (1.67) lets uvicorn collect 200 MB of each message, for as long as it takes, also from browsers that have
    not signed in. The app itself takes no message over `server.maxWidgetStateSize`.

    Args:
        is_member: True if the sender of a connection, by its scope, may send more than a megabyte.
    """
    global _is_member
    _is_member = is_member
    WebSocketsSansIOProtocol.data_received = _receive_in_time  # type: ignore[method-assign]


@wraps(_receive)
def _receive_in_time(self: WebSocketsSansIOProtocol, data: bytes) -> None:
    if _LIMITED not in self.__dict__:
        self.conn.max_message_size = _UNKNOWN  # also for data sent along with the handshake
    _receive(self, data)
    _limit_size(self)
    if len(self.frames) > _MOST_FRAMES:
        _end(self, _TOO_BIG)
    elif not _is_unfinished(self):
        _cancel(self)
    elif _TIMER not in self.__dict__:
        self.__dict__[_TIMER] = self.loop.call_later(_DEADLINE, _expire, weakref.ref(self))


def _limit_size(self: WebSocketsSansIOProtocol) -> None:
    """Set the size limit of messages, once the handshake has identified the sender."""
    scope: Any = getattr(self, "scope", None)
    if scope is None or _LIMITED in self.__dict__:
        return
    own = config.get_option("server.maxWidgetStateSize") * _MEGABYTE + _ENVELOPE
    self.conn.max_message_size = self.__dict__[_LIMITED] = own if _is_member(scope) else _UNKNOWN


def _is_unfinished(self: WebSocketsSansIOProtocol) -> bool:
    """True between the first byte of a message and its last, the handshake included."""
    return bool(self.frames) or bool(self.conn.reader.buffer)


def _cancel(self: WebSocketsSansIOProtocol) -> None:
    timer = self.__dict__.pop(_TIMER, None)
    if timer is not None:
        timer.cancel()


def _expire(reference: weakref.ref[WebSocketsSansIOProtocol]) -> None:
    """Close the connection of a message that takes too long.

    A weak reference, so that a timer keeps no lost connection's message.
    """
    self = reference()
    if self is None:
        return
    del self.__dict__[_TIMER]
    if self.transport.is_closing():
        return
    if self.read_paused:  # the app has not taken the message before: the browser is not to blame
        self.__dict__[_TIMER] = self.loop.call_later(_DEADLINE, _expire, weakref.ref(self))
    elif _is_unfinished(self):
        _end(self, _TOO_SLOW)


def _end(self: WebSocketsSansIOProtocol, code: int) -> None:
    """Close the connection and notify the app."""
    _cancel(self)
    self.frames = []
    if self.close_sent or self.transport.is_closing():
        return
    self.conn.fail(code)
    self.handle_parser_exception()
