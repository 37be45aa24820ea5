"""The address that somebody opened is theirs again after the sign-in, which comes back to the bare one.

Whoever clicks *Sign in* under a link to a snapshot, a workspace or a page has that link kept in a cookie for some
minutes. It grants
nothing: what it leads to is asked for as ever. The token of an invitation is not kept here (`visitor_cookie`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection

from chunking.deployment import Mode
from hosting.people.identity import INVITED
from hosting.server.layers.visitor_cookie import SIGN_IN, is_https, made_cookie
from hosting.server.request_person import server_mode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SignInReturn"]

_COOKIE = "chunkscope_address"
_LOGIN, _CALLBACK = "/auth/login", "/oauth2callback"
"""How Streamlit's (1.67) addresses end that begin and end a sign-in."""
_PLACE = re.compile(r"/(?![/\\])[!-\[\]-~]*")
"""A path of this server with its query: no other host, no letter that a header could not hold."""
_LONGEST = 3_000
"""Characters of a cookie; browsers keep 4,096 with its name."""
_FOUND = range(300, 309)


class SignInReturn:
    """A layer around Streamlit's server.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begins = scope["type"] == "http" and scope["path"].endswith(_LOGIN)
        ends = scope["type"] == "http" and scope["path"].endswith(_CALLBACK)
        if not (begins or ends) or server_mode() is not Mode.TEAM:
            await self._app(scope, receive, send)
            return
        place = _opened(scope) if begins else _kept(scope)

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


def _opened(scope: Scope) -> str:
    """The page of this server whose button was clicked, as the browser says; empty where it does not."""
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
    """What the cookie says, which is what its sender wants: a place of this server, or nothing."""
    place = unquote(HTTPConnection(scope).cookies.get(_COOKIE, ""))
    return place if _is_place(place) else ""


def _is_place(place: str) -> bool:
    return _PLACE.fullmatch(place) is not None and len(quote(place, safe="")) <= _LONGEST
