"""One person has so many pages open, and no more: each takes descriptors and memory of the server, also where nothing
is ever said.

Streamlit (1.67) takes every WebSocket. In the modes demo and team one that is too many of a person is refused. Those
who have not signed
in are told apart by the address that the connection comes from: behind a proxy all of them have one, so that there is
room for many.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hosting.server.request_person import is_shared, sender

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["MOST_CONNECTIONS", "MOST_OF_ADDRESS", "ConnectionLimit"]

MOST_CONNECTIONS = 100
"""Of one person at a time: tabs of all their browsers. Each takes four descriptors."""
MOST_OF_ADDRESS = 500
"""Of those who have not signed in at an address, at a time."""
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
        """Person, or address, to the number of open connections. No lock: only the thread of the event loop touches it.
        """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one connection."""
        if scope["type"] != "websocket" or not is_shared():
            await self._app(scope, receive, send)
            return
        person = sender(scope)
        whose, most = (person, MOST_CONNECTIONS) if person else (_address(scope), MOST_OF_ADDRESS)
        if self._open[whose] >= most:
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
            return
        self._open[whose] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]


def _address(scope: Scope) -> str:
    """Where the connection comes from, as no person is called; a header that says otherwise may be anybody's."""
    return f"address {(scope.get('client') or ('unknown',))[0]}"
