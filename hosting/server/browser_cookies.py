"""Cookies that no script can read: of a demo visit, an invitation, or the page before a sign-in.

A demo visitor's copy stays theirs through reloads and in two tabs. In a team, a sign-in comes back to the bare address,
so the token of the invitation and the address that was opened are kept for some minutes. The address grants nothing:
the page that it names is checked as ever.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

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

__all__ = ["SIGN_IN", "SignInReturn", "VisitorCookie", "is_https", "made_cookie"]

SIGN_IN = 900
"""Seconds for a sign-in, during which the invitation or address is kept."""

_COOKIE = "chunkscope_address"
_LOGIN, _CALLBACK = "/auth/login", "/oauth2callback"
"""Ends of Streamlit's (1.67) addresses that begin and end a sign-in."""
_PLACE = re.compile(r"/(?![/\\])[!-\[\]-~]*")
"""A path of this server with its query: no other host, no character that a header could not hold."""
_LONGEST = 3_000
"""Most characters of a cookie; browsers keep 4,096 with its name."""
_FOUND = range(300, 309)


class VisitorCookie:
    """ASGI layer that gives HTML pages a new demo visitor's cookie, or a team invitation's."""

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
    """Return the cookies to set in the answer to a request for a page."""
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
    """True if the browser uses TLS to reach this server or the proxy in front of it."""
    return scope.get("scheme") == "https" or Headers(scope=scope).get("x-forwarded-proto", "") == "https"


def made_cookie(name: str, value: str, *, secure: bool, lasts: int | None = None) -> str:
    """Return the value of a `Set-Cookie` header for a cookie that no script can read.

    Args:
        lasts: seconds, 0 to have it forgotten; None: until the browser is closed.
    """
    cookie = f"{name}={value}; Path=/; HttpOnly; SameSite=Lax"
    return cookie + (f"; Max-Age={lasts}" if lasts is not None else "") + ("; Secure" if secure else "")


class SignInReturn:
    """ASGI layer that redirects a team's people after a sign-in to the page where it began."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begins = scope["type"] == "http" and scope["path"].endswith(_LOGIN)
        ends = scope["type"] == "http" and scope["path"].endswith(_CALLBACK)
        if not (begins or ends) or server_mode() is not Mode.TEAM:
            await self._app(scope, receive, send)
            return
        place = _clicked_page(scope) if begins else _kept(scope)

        async def carried(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _FOUND:
                headers = MutableHeaders(raw=list(message["headers"]))
                if begins:  # also where there is nothing to keep: what an earlier one has left is forgotten
                    headers.append(
                        "Set-Cookie", made_cookie(_COOKIE, quote(place, safe=""), secure=is_https(scope), lasts=SIGN_IN)
                    )
                elif place:
                    headers["Location"] = place
                    headers.append("Set-Cookie", made_cookie(_COOKIE, "", secure=is_https(scope), lasts=0))
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, carried)


def _clicked_page(scope: Scope) -> str:
    """Return the page of this server whose sign-in button was clicked, from `Referer`; empty if unknown."""
    headers = Headers(scope=scope)
    try:
        page = urlsplit(headers.get("referer", ""))
        if page.netloc.lower() != headers.get("host", "").lower():
            return ""
        query = urlencode(
            [(key, value) for key, value in parse_qsl(page.query, keep_blank_values=True) if key != INVITED]
        )
    except ValueError:
        return ""
    place = f"{page.path}?{query}" if query else page.path
    return place if _is_place(place) else ""


def _kept(scope: Scope) -> str:
    """Return the page in the cookie; empty unless it is a page of this server, since anybody can forge it."""
    place = unquote(HTTPConnection(scope).cookies.get(_COOKIE, ""))
    return place if _is_place(place) else ""


def _is_place(place: str) -> bool:
    return _PLACE.fullmatch(place) is not None and len(quote(place, safe="")) <= _LONGEST
