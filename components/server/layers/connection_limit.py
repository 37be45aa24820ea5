"""One person has so many pages open, and no more: each takes descriptors and memory of the server, also where nothing is ever said.

Streamlit (1.67) takes every WebSocket. In the modes demo and team one that is too many of a person is refused; who has not signed in
is not told apart from others, and is left to the proxy.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from components.server.request_person import is_shared, sender

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["MOST_CONNECTIONS", "ConnectionLimit"]

MOST_CONNECTIONS = 100
"""Of one person at a time: tabs of all their browsers. Each takes four descriptors."""
_TRY_AGAIN_LATER = 1013
"""Code of a WebSocket that is closed since there are too many."""


class ConnectionLimit:
    """A layer around Streamlit's server; everything but WebSockets passes through.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()
        """Person to the number of their open connections. No lock: only the thread of the event loop touches it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one connection."""
        person = sender(scope) if scope["type"] == "websocket" and is_shared() else ""
        if not person:
            await self._app(scope, receive, send)
            return
        if self._open[person] >= MOST_CONNECTIONS:
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
            return
        self._open[person] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[person] -= 1
            if not self._open[person]:
                del self._open[person]
