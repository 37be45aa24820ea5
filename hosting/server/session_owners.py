"""Owners of sessions, noted when a browser connects and checked before it resumes a session by id.

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
"""Attribute of a session: the id of its person, empty if not signed in."""
_sessions: WeakValueDictionary[str, AppSession] = WeakValueDictionary()
"""Sessions by id, also disconnected ones until Streamlit forgets them."""
_lock = threading.Lock()
_connect = WebsocketSessionManager.connect_session


def note_owners() -> None:
    """Patch Streamlit to note the owner of each session. Idempotent."""
    WebsocketSessionManager.connect_session = _connect_owned  # type: ignore[method-assign]


def owner(session_id: str) -> str | None:
    """Return the id of a session's person, empty if not signed in; None if there is no such session."""
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
