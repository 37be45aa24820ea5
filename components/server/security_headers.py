"""Security headers of every answer, and the gate before Streamlit's metrics.

A page of another site that frames the app invisibly could catch clicks of signed-in people: only the app itself and the
sites of `CHUNKSCOPE_EMBEDDED_IN` may frame it. An address can hold the token of a snapshot or an invitation, so no link
sends it to another site; this server gets it (`same-origin`), since a sign-in returns to where it began
(`SignInReturn`). `/_stcore/metrics` is answered only if the operator allows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse

from chunking.errors import ConfigError
from components.session.host import deployment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MetricsGate", "SecurityHeaders"]

_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}

_PATH = "/_stcore/metrics"


class SecurityHeaders:
    """Outermost ASGI layer: adds security headers to every HTTP answer, also to refusals.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                headers.update(_HEADERS)
                headers.append("Content-Security-Policy", _frames())  # beside a stricter one of the answer: both hold
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, guarded)


def _frames() -> str:
    try:
        sites = deployment().settings.sites
    except ConfigError:  # the page reports it
        sites = ()
    return " ".join(("frame-ancestors 'self'", *sites))


class MetricsGate:
    """ASGI layer that answers 404 for Streamlit's metrics unless `CHUNKSCOPE_METRICS` is on.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 404 if the request is for metrics that are off; else pass it on."""
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(_PATH) and not _is_enabled():
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_enabled() -> bool:
    try:
        return deployment().settings.sharing.metrics
    except ConfigError:  # the page reports it
        return False
