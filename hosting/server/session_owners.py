"""Whose each session is: noted when a browser connects, and asked before a session is taken up again by its id; and
when it is over.

Streamlit (1.67) gives a session that has lost its connection to whoever names its id and has the same sign-in; where
nobody signs in, that is everybody. The id stands in the addresses of uploads, and so in the log of every proxy.
"""

from __future__ import annotations

import threading
from functools import wraps
from weakref import WeakValueDictionary

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner_utils.script_run_context import UserInfoType
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from hosting.server.request_person import is_shared, person_of

__all__ = ["note_owners", "owner", "sessions_of_all"]

_OWNER = "chunkscope_owner"
"""Attribute of a session: the id of its person, empty for who has not signed in."""
_sessions: WeakValueDictionary[str, AppSession] = WeakValueDictionary()
"""By id; those whose connection is lost among them, until Streamlit forgets them."""
_lock = threading.Lock()
_connect = WebsocketSessionManager.connect_session


def note_owners() -> None:
    """Note whose each session is from now on, in this process; again is the same."""
    WebsocketSessionManager.connect_session = _connect_owned  # type: ignore[method-assign]


def owner(session_id: str) -> str | None:
    """The id of the person whose session this is, empty for who has not signed in; None for no session."""
    with _lock:
        session = _sessions.get(session_id)
    return None if session is None else getattr(session, _OWNER)


def sessions_of_all() -> dict[str, str]:
    """Session to its owner, of all sessions that there are."""
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
