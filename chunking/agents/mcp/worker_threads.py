"""Worker threads for blocking calls, with throttled progress and cancellation."""

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
"""Coroutine function that sends (progress, total, message) to the client."""

_EVERY = 0.25
"""Seconds between two progress notifications."""
_RISE = 1e-6
"""Increment if the work has not advanced: MCP requires progress to rise with every notification."""


class WorkerThreads:
    """Limited number of threads for calls, separate from the event loop's default threads.

    Args:
        at_once: maximum concurrent calls; others wait.
        abandon: stop counting a cancelled call's thread. Only for a process that serves one client and ends with it:
            otherwise cancelled calls would pile up threads.
    """

    def __init__(self, at_once: int, *, abandon: bool) -> None:
        self._at_once, self._abandon = at_once, abandon
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[CallControl], T], send: Send | None = None) -> T:
        """Run a blocking call in a thread, and return its result or raise its exception.

        If the request is cancelled, the call's `CallControl.cancelled` turns True, which stops it at its next step.

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
    """Progress from a worker thread, and the cancellation it polls."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._latest: tuple[float, float, str] | None = None

    def put(self, done: float, total: float, message: str) -> None:
        """Replace the pending progress. Called in the worker thread."""
        self._latest = (done, total, message)

    async def stop_when_cancelled(self) -> None:
        """Set the cancellation when this task is cancelled: a waiting thread is shielded from cancellation."""
        try:
            await anyio.sleep_forever()
        finally:
            self.stopped.set()

    async def send_latest(self, send: Send) -> None:
        """Send new progress at a limited rate."""
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
