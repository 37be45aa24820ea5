"""The person who sends a request, as the deployment's mode identifies them.

Believed are only a visit's cookie, the signed cookie of the sign-in, or the proxy's headers.
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
    """Return the deployment's mode; None if an operator's setting is invalid, which each page reports."""
    try:
        return deployment().settings.sharing.mode
    except ConfigError:
        return None


def is_shared() -> bool:
    """True if people who do not fully trust each other use this server (modes demo and team)."""
    return server_mode() in (Mode.DEMO, Mode.TEAM)


def sender(scope: Scope) -> str:
    """Return the id of the person who sent a request or a WebSocket's handshake; empty for unknown."""
    connection = HTTPConnection(scope)
    return person_of(connection.headers.items(), connection.cookies)


def person_of(headers: Iterable[tuple[str, str]], cookies: Mapping[str, str]) -> str:
    """Return the id of the person that cookies or headers identify; empty for unknown.

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
    """Return the claims in the cookie of the sign-in; empty if its signature is not ours or too old."""
    signed = _get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
    claims = json.loads(signed) if signed else {}
    return claims if isinstance(claims, dict) else {}


def _headers(pairs: Iterable[tuple[str, str]]) -> Headers:
    return Headers(raw=[(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in pairs])
