"""Pages of other sites cannot speak for a visitor: neither over a WebSocket nor by what changes something.

Streamlit (1.67) refuses a WebSocket from another host's page, but takes one from a page of any port of `localhost`. In
the modes demo and team a page must be of the host that it asks, of `CHUNKSCOPE_PUBLIC_URL`, where a proxy passes on
another `Host`, or of one of `server.corsAllowedOrigins`. Programs that are no browser send no `Origin`; they are who
they are by their cookie, if they have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from streamlit import config

from chunking.errors import ConfigError
from components.session.host import deployment
from hosting.server.request_person import is_shared

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["POLICY_VIOLATION", "OriginCheck", "allow_public_address"]

_READING = frozenset(("GET", "HEAD", "OPTIONS"))
_ALLOWED = "server.corsAllowedOrigins"
POLICY_VIOLATION = 1008
"""Code of a WebSocket that is closed for what its handshake says."""


def allow_public_address() -> None:
    """Add the deployment's own address to what Streamlit allows; again is the same."""
    try:
        address = urlsplit(deployment().settings.sharing.public_url if is_shared() else "")
    except (ConfigError, ValueError):
        return
    origin = f"{address.scheme}://{address.netloc}"
    allowed = list(config.get_option(_ALLOWED))
    if address.netloc and origin not in allowed:
        config.set_option(_ALLOWED, [*allowed, origin])


class OriginCheck:
    """A layer around Streamlit's server.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take one connection."""
        if not _changes(scope) or not is_shared() or _is_own(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await PlainTextResponse("Forbidden", 403)(scope, receive, send)


def _changes(scope: Scope) -> bool:
    return scope["type"] == "websocket" or (scope["type"] == "http" and scope["method"] not in _READING)


def _is_own(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        host = urlsplit(origin).netloc.lower()
    except ValueError:
        return False
    return (bool(host) and host == headers.get("host", "").lower()) or origin in config.get_option(_ALLOWED)
