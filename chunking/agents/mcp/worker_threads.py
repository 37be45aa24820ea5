"""Blocking calls in threads of their own, with throttled progress and cancellation."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from chunking.agents.long_calls import CallControl

__all__ = ["WorkerThreads"]

T = TypeVar("T")

Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends (progress, total, message) to the client."""

_EVERY = 0.25
"""Seconds between two notices of progress."""
_RISE = 1e-6
"""Added where the work is no further than before: the protocol wants progress to rise with every notice."""


class WorkerThreads:
    """Runs calls in threads, so many at once; the default threads of the event loop stay free for whoever serves files
    with them.

    Args:
        at_once: most calls side by side; the others wait.
        abandon: leave a cancelled call's thread to itself and count it no more. For a process that serves one client
            and ends with it: with many, cancelled calls would pile up threads.
    """

    def __init__(self, at_once: int, *, abandon: bool) -> None:
        self._at_once, self._abandon = at_once, abandon
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[CallControl], T], send: Send | None = None) -> T:
        """Run the work; a cancelled request stops it at its next step.

        Args:
            send: where progress goes; None: it is dropped.
        """
        if self._limiter is None:  # belongs to the running event loop, so it cannot be made before
            self._limiter = anyio.CapacityLimiter(self._at_once)
        notices = _Notices()
        control = CallControl(notices.put, notices.stopped.is_set)
        results: list[T] = []
        failures: list[Exception] = []

        def caught() -> None:
            try:
                results.append(work(control))
            except Exception as error:  # noqa: BLE001 - a task group would wrap it into an ExceptionGroup
                failures.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(notices.stop_when_cancelled)
            if send is not None:
                group.start_soon(notices.send_latest, send)
            try:
                await anyio.to_thread.run_sync(caught, limiter=self._limiter, abandon_on_cancel=self._abandon)
            finally:
                notices.stopped.set()
                group.cancel_scope.cancel()
        if failures:
            raise failures[0]
        return results[0]


class _Notices:
    """What the work's thread tells, and what it is told."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._latest: tuple[float, float, str] | None = None

    def put(self, done: float, total: float, message: str) -> None:
        """Replace what is to be sent next. Called in the work's thread."""
        self._latest = (done, total, message)

    async def stop_when_cancelled(self) -> None:
        """Stop the work when this task is cancelled: the wait for a thread is shielded from that, so it would never
        learn of it.
        """
        try:
            await anyio.sleep_forever()
        finally:
            self.stopped.set()

    async def send_latest(self, send: Send) -> None:
        """Send what is new, so many times a second at most."""
        sent: tuple[float, float, str] | None = None
        progress = 0.0
        while True:
            latest = self._latest
            if latest is not None and latest is not sent:
                sent = latest
                progress = max(latest[0], progress + _RISE)
                try:
                    await send(progress, max(latest[1], progress) if latest[1] else None, latest[2])
                except Exception:  # noqa: BLE001 - the client has gone: the call itself says so, if it has to
                    return
            await anyio.sleep(_EVERY)
