"""Exchange one request and answer with a child."""

from __future__ import annotations

import json
import selectors
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from chunking.errors import Cancelled
from chunking.parsing.sandbox.process import Gone, JobSockets
from chunking.parsing.sandbox.wire import LENGTHS, lengths

__all__ = ["ChildOutcome", "exchange"]

_PIECE = 1 << 20
_POLL_SECONDS = 0.1
"""Seconds between two checks for cancellation."""


class ChildOutcome(NamedTuple):
    """The result of a child."""

    answer: bytearray | None
    """A whole frame; None if the child ended without one."""
    status: dict[str, Any]
    """Its end: `exit` code, below 0 by a signal, and why the server `killed` it."""


class _Exchange:
    def __init__(self, line: JobSockets, parts: Sequence[bytes], most: int) -> None:
        self._line, self._most = line, most
        self._unsent = [memoryview(part) for part in parts if part]
        self._answer = bytearray()
        self._status = bytearray()
        self._open = selectors.DefaultSelector()
        self._open.register(line.data, selectors.EVENT_READ | selectors.EVENT_WRITE)
        self._open.register(line.status, selectors.EVENT_READ)

    def run(self, cancelled: Callable[[], bool] | None) -> ChildOutcome:
        with self._open:
            while self._open.get_map():
                for key, events in self._open.select(None if cancelled is None else _POLL_SECONDS):
                    self._handle(key.fileobj, events)
                if self._is_whole():
                    return ChildOutcome(self._answer, {})
                if len(self._answer) > LENGTHS and sum(lengths(self._answer)) > self._most:
                    return ChildOutcome(None, {"killed": "result"})
                if cancelled is not None and cancelled():
                    raise Cancelled("Reading was cancelled; what was read before stays.")
        if not self._status:
            raise Gone("the server ended before the child")
        return ChildOutcome(None, json.loads(self._status))

    def _handle(self, line: Any, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._send()
        if events & selectors.EVENT_READ:
            into = self._answer if line is self._line.data else self._status
            try:
                got = line.recv(_PIECE)
            except BlockingIOError:
                return
            except ConnectionError:
                got = b""
            into += got
            if not got:
                self._open.unregister(line)

    def _send(self) -> None:
        try:
            sent = self._line.data.send(self._unsent[0])
        except BlockingIOError:
            return
        except ConnectionError:  # the child has ended early: its status says why
            self._unsent.clear()
        else:
            self._unsent[0] = self._unsent[0][sent:]
            if not self._unsent[0]:
                del self._unsent[0]
        if not self._unsent:
            self._open.modify(self._line.data, selectors.EVENT_READ)

    def _is_whole(self) -> bool:
        return len(self._answer) >= LENGTHS and len(self._answer) == LENGTHS + sum(lengths(self._answer))


def exchange(line: JobSockets, parts: Sequence[bytes], most: int, cancelled: Callable[[], bool] | None) -> ChildOutcome:
    """Send a request and wait for its answer, or for the end of the child.

    Args:
        parts: the request, from `wire.encode`.
        most: maximum bytes of an answer; a larger one is not received.
    Raises:
        Gone: the server has ended.
        Cancelled: `cancelled` returned True; the child is killed.
    """
    try:
        return _Exchange(line, parts, most).run(cancelled)
    finally:
        line.close()
