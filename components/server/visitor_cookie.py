"""A visitor of a demo is told by a cookie that no script can read: their copy is theirs through reloads and in two tabs."""

from __future__ import annotations

import secrets
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from chunking.deployment import Mode
from chunking.deployment.visits import is_token
from chunking.errors import ConfigError
from components.session.identity import COOKIE, deployment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["VisitorCookie"]

_BYTES = 32


class VisitorCookie:
    """A layer around Streamlit's server, which gives each browser that asks for a page a token of its own in the mode demo.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not _asks_for_page(scope):
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Set-Cookie", _cookie(secure=_is_https(scope)))
                    message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, with_cookie)


def _asks_for_page(scope: Scope) -> bool:
    """A page, by a browser that has no token yet, of a server in the mode demo."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    given = SimpleCookie(Headers(scope=scope).get("cookie", "")).get(COOKIE)
    return not (given and is_token(given.value)) and _is_demo()


def _is_demo() -> bool:
    try:
        return deployment().settings.sharing.mode is Mode.DEMO
    except ConfigError:  # the page says it
        return False


def _is_https(scope: Scope) -> bool:
    return scope.get("scheme") == "https" or Headers(scope=scope).get("x-forwarded-proto", "") == "https"


def _cookie(*, secure: bool) -> str:
    made = f"{COOKIE}={secrets.token_urlsafe(_BYTES)}; Path=/; HttpOnly; SameSite=Lax"
    return f"{made}; Secure" if secure else made
