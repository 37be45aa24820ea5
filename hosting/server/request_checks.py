"""Refuse requests of other sites' pages, and contradicting identity headers of a proxy.

Streamlit (1.67) refuses a WebSocket from another host's page, but takes one from a page of any port of `localhost`. In
the modes demo and team, `Origin` must be the requested host, that of `CHUNKSCOPE_PUBLIC_URL` (a proxy may pass on
another `Host`), or one of `server.corsAllowedOrigins`. Programs other than browsers send no `Origin`; their cookie, if
any, identifies them.

Streamlit believes the first of several headers of one name. A proxy that appends its own instead of replacing the
client's would let anybody be whom they like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from streamlit import config

from chunking.deployment import Mode, SignIn
from chunking.errors import ConfigError
from components.session.host import deployment
from hosting.server.request_person import is_shared, server_mode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["POLICY_VIOLATION", "IdentityHeaders", "OriginCheck", "allow_public_address"]

_READING = frozenset(("GET", "HEAD", "OPTIONS"))
_ALLOWED = "server.corsAllowedOrigins"
POLICY_VIOLATION = 1008
"""Close code of a WebSocket whose handshake is refused."""


def allow_public_address() -> None:
    """Add the deployment's public address to Streamlit's allowed origins. Idempotent."""
    try:
        address = urlsplit(deployment().settings.sharing.public_url if is_shared() else "")
    except (ConfigError, ValueError):
        return
    origin = f"{address.scheme}://{address.netloc}"
    allowed = list(config.get_option(_ALLOWED))
    if address.netloc and origin not in allowed:
        config.set_option(_ALLOWED, [*allowed, origin])


class OriginCheck:
    """ASGI layer that refuses requests of other sites' pages."""

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


class IdentityHeaders:
    """ASGI layer that refuses contradicting identity headers where a proxy signs people in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take one connection."""
        if scope["type"] not in ("http", "websocket") or not _by_proxy() or _is_one(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await PlainTextResponse("The headers of the proxy name several people", 400)(scope, receive, send)


def _by_proxy() -> bool:
    return server_mode() is Mode.TEAM and deployment().settings.sharing.sign_in is SignIn.PROXY


def _is_one(headers: Headers) -> bool:
    named = config.get_option("server.trustedUserHeaders") or {}
    return all(len(set(headers.getlist(name))) <= 1 for name in named)
