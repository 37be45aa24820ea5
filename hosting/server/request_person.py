"""Who sends a request to the server, by what the mode believes: the cookie of a visit, the signed cookie of the
sign-in, or the proxy's headers. What else a client says of itself is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks, gather_user_info

from chunking.deployment import Mode, SignIn
from chunking.errors import ConfigError
from components.session.host import deployment
from hosting.demo.visits import visit_id
from hosting.people.identity import issued, signed_out, visitor_token, vouched_for

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = ["is_shared", "person_of", "sender", "server_mode"]


def server_mode() -> Mode | None:
    """Mode of the deployment; None if a setting of the operator cannot be used, as each page then says."""
    try:
        return deployment().settings.sharing.mode
    except ConfigError:
        return None


def is_shared() -> bool:
    """Whether people who do not know each other, or share only some of it, use this server."""
    return server_mode() in (Mode.DEMO, Mode.TEAM)


def sender(scope: Scope) -> str:
    """`person_of` a request or the handshake of a WebSocket."""
    connection = HTTPConnection(scope)
    return person_of(connection.headers.items(), connection.cookies)


def person_of(headers: Iterable[tuple[str, str]], cookies: Mapping[str, str]) -> str:
    """The id of a person, the same that their session has; empty where nobody has signed in, or the browser keeps no
    cookies.

    Args:
        headers: name and value each; read only where a proxy signs people in.
        cookies: read in the other modes.
    """
    match server_mode():
        case Mode.DEMO:
            token = visitor_token(cookies)
            return visit_id(token) if token else ""
        case Mode.TEAM:
            sign_in = deployment().settings.sharing.sign_in
            claims = _signed(cookies) if sign_in is SignIn.OIDC else gather_user_info(_headers(headers))
            person = vouched_for(claims, sign_in)
            return person.id if person and not signed_out(person, sign_in, issued(claims)) else ""
        case _:
            return ""


def _signed(cookies: Mapping[str, str]) -> Mapping[str, object]:
    """What the cookie of the sign-in says; nothing where its signature is another server's, or too old."""
    signed = _get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
    claims = json.loads(signed) if signed else {}
    return claims if isinstance(claims, dict) else {}


def _headers(pairs: Iterable[tuple[str, str]]) -> Headers:
    return Headers(raw=[(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in pairs])
