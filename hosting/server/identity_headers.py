"""What a proxy says of a person, a request says once.

Streamlit (1.67) believes the first of several headers of one name. A proxy that adds its own behind what a client has
written, in the place of taking that out, would let everybody be whom they like: where such headers differ, nobody is
asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from streamlit import config

from chunking.deployment import Mode, SignIn
from components.session.host import deployment
from hosting.server.origin_check import POLICY_VIOLATION
from hosting.server.request_person import server_mode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["IdentityHeaders"]


class IdentityHeaders:
    """A layer around Streamlit's server, where a proxy signs people in.

    Args:
        app: what answers.
    """

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
