"""The person who sends a request, by the deployment's mode, and the owner of each session.

Believed are only a visit's cookie, the signed cookie of the sign-in, or the proxy's headers.

Streamlit (1.67) gives a session that has lost its connection to whoever names its id and has the same sign-in; where
nobody signs in, that is everybody. The id stands in the addresses of uploads, and so in the log of every proxy. An
owner is therefore noted when a browser connects, and checked before it resumes a session.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner_utils.script_run_context import UserInfoType
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks, gather_user_info

from chunking.deployment import Mode, SignIn
from chunking.errors import ConfigError
from components.session.host import deployment
from hosting.demo.visits import visit_id
from hosting.people.identity import issued, signed_out, visitor_token, vouched_for

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = ["is_shared", "note_owners", "owner", "person_of", "sender", "server_mode", "sessions_of_all"]

_OWNER = "chunkscope_owner"
"""Attribute of a session: the id of its person, empty if not signed in."""
_sessions: WeakValueDictionary[str, AppSession] = WeakValueDictionary()
"""Sessions by id, also disconnected ones until Streamlit forgets them."""
_lock = threading.Lock()
_connect = WebsocketSessionManager.connect_session


def server_mode() -> Mode | None:
    """Return the deployment's mode; None if an operator's setting is invalid: pages report it."""
    try:
        return deployment().settings.sharing.mode
    except ConfigError:
        return None


def is_shared() -> bool:
    """True if people who do not fully trust each other use this server (modes demo and team).

    False while a setting of the operator is invalid; then no page lets anybody in.
    """
    return server_mode() in (Mode.DEMO, Mode.TEAM)


def sender(scope: Scope) -> str:
    """Return the id of the person who sent a request or a WebSocket's handshake; empty: nobody."""
    connection = HTTPConnection(scope)
    return person_of(connection.headers.items(), connection.cookies)


def person_of(headers: Iterable[tuple[str, str]], cookies: Mapping[str, str]) -> str:
    """Return the id of the person that cookies or headers identify; empty for nobody.

    Empty, too, in the mode for one person, and after an operator signed the person out.

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


def note_owners() -> None:
    """Patch Streamlit to note each session's owner and let nobody else resume it. Idempotent."""
    WebsocketSessionManager.connect_session = _connect_owned  # type: ignore[method-assign]


def owner(session_id: str) -> str | None:
    """Return the id of a session's person, empty if not signed in; None without such a session."""
    with _lock:
        session = _sessions.get(session_id)
    return None if session is None else getattr(session, _OWNER)


def sessions_of_all() -> dict[str, str]:
    """Return the owner of each session, by session id."""
    with _lock:
        return {id: getattr(session, _OWNER) for id, session in _sessions.items()}


@wraps(_connect)
def _connect_owned(
    self: WebsocketSessionManager,
    client: SessionClient,
    script_data: ScriptData,
    user_info: UserInfoType,
    existing_session_id: str | None = None,
    session_id_override: str | None = None,
) -> str:
    context = client.client_context if is_shared() else None
    person = person_of(context.headers, context.cookies) if context else ""
    if is_shared() and existing_session_id is not None and (not person or owner(existing_session_id) != person):
        existing_session_id = None  # a new one
    id = _connect(self, client, script_data, user_info, existing_session_id, session_id_override)
    session = self._active_session_info_by_id[id].session
    setattr(session, _OWNER, person)
    with _lock:
        _sessions[id] = session
    return id
