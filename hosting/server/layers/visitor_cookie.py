"""What a browser is given to keep, in cookies that no script can read.

A visitor of a demo is told by one: their copy is theirs through reloads and in two tabs. In a team the token of an
invitation is
kept for some minutes, since a sign-in comes back to the bare address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import HTTPConnection

from chunking.deployment import Mode
from components.session.host import deployment
from hosting.demo.visit_cookies import issue_cookie
from hosting.people.identity import COOKIE, INVITED, INVITED_COOKIE, SECURE_COOKIE, visitor_token
from hosting.people.invitations import is_token as is_invitation
from hosting.server.request_person import server_mode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SIGN_IN", "VisitorCookie", "is_https", "made_cookie"]

SIGN_IN = 900
"""Seconds that somebody has to sign in, for whom an invitation or an address is kept."""


class VisitorCookie:
    """A layer around Streamlit's server, which gives its cookies to browsers that ask for a page.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        cookies = _cookies(scope)
        if not cookies:
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                if headers.get("content-type", "").startswith("text/html"):
                    for cookie in cookies:
                        headers.append("Set-Cookie", cookie)
                    message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, with_cookie)


def _cookies(scope: Scope) -> list[str]:
    """What a request for a page is answered with."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return []
    secure = is_https(scope)
    match server_mode():
        case Mode.DEMO:
            name = SECURE_COOKIE if secure else COOKIE
            cookies = HTTPConnection(scope).cookies
            # Over HTTPS only the name counts that no neighbouring host can set: the other one may have been planted.
            if visitor_token({name: cookies.get(name, "")} if secure else cookies):
                return []
            return [made_cookie(name, issue_cookie(deployment().settings.home), secure=secure)]
        case Mode.TEAM:
            token = QueryParams(scope.get("query_string", b"")).get(INVITED, "")
            return [made_cookie(INVITED_COOKIE, token, secure=secure, lasts=SIGN_IN)] if is_invitation(token) else []
        case _:
            return []


def is_https(scope: Scope) -> bool:
    """Whether the browser speaks to this server, or to the proxy in front of it, over TLS."""
    return scope.get("scheme") == "https" or Headers(scope=scope).get("x-forwarded-proto", "") == "https"


def made_cookie(name: str, value: str, *, secure: bool, lasts: int | None = None) -> str:
    """The value of a header that sets a cookie which no script can read.

    Args:
        lasts: seconds, 0 to have it forgotten; None: until the browser is closed.
    """
    cookie = f"{name}={value}; Path=/; HttpOnly; SameSite=Lax"
    return cookie + (f"; Max-Age={lasts}" if lasts is not None else "") + ("; Secure" if secure else "")
