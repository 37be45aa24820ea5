"""The MCP servers of this process: made when the first agent comes, and run in a task of the app's lifespan until the server ends.

Importing the SDK takes half a second and 30 MB, which no page pays for. Each server has a manager of its own, since the list of tools
differs: with and without the right to write, and for the profile of deep research. This module knows no SDK; `build` brings it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import anyio
import anyio.to_thread

from components.server.page_imports import import_pages

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from starlette.types import Receive, Scope, Send

__all__ = ["BODY_LIMIT", "LazyServers", "McpServer", "RequestManager"]

BODY_LIMIT = 2**20
"""Bytes of a request."""

K = TypeVar("K", bound=Hashable)


class RequestManager(Protocol):
    """Answers requests of agents while it runs: the SDK's session manager."""

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class McpServer(Protocol):
    """The SDK's server, as far as a manager is made of it."""

    @property
    def session_manager(self) -> RequestManager: ...

    def streamable_http_app(self, *, host: str, stateless_http: bool, max_request_body_size: int) -> object: ...


class LazyServers(Generic[K]):
    """Managers by a key that says which server; made on first use.

    Args:
        build: makes the server of a key; called in a thread, once a key.
    """

    def __init__(self, build: Callable[[K], McpServer]) -> None:
        self._build = build
        self._managers: dict[K, RequestManager] = {}
        self._group: TaskGroup | None = None
        self._lock: anyio.Lock | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Where the managers run; entered by the lifespan of the app."""
        async with anyio.create_task_group() as group:
            self._group, self._lock = group, anyio.Lock()
            try:
                yield
            finally:
                self._group, self._lock = None, None
                self._managers.clear()
                group.cancel_scope.cancel()

    async def manager(self, key: K) -> RequestManager:
        """The running manager of a server.

        Raises:
            RuntimeError: outside of `running`.
            ImportError: the SDK is not installed.
        """
        if self._group is None or self._lock is None:
            raise RuntimeError("the servers for agents run only inside of the app's lifespan")
        async with self._lock:
            if key not in self._managers:
                server = await anyio.to_thread.run_sync(self._make, key)
                self._managers[key] = await self._group.start(_run, server)
            return self._managers[key]

    def _make(self, key: K) -> McpServer:
        import_pages()  # two threads that import what needs one another give one of them half a module
        return self._build(key)


async def _run(server: McpServer, *, task_status: TaskStatus[RequestManager]) -> None:
    # Makes the manager. Its own app is not used: nobody would run its lifespan. With this `host` the SDK looks at no Host and Origin;
    # `request_checks` has done it, for the names that the operator has set.
    server.streamable_http_app(host="0.0.0.0", stateless_http=True, max_request_body_size=BODY_LIMIT)
    async with server.session_manager.run():
        task_status.started(server.session_manager)
        await anyio.sleep_forever()
