"""Withhold the host's details from browsers, and refuse to clear all caches, in demo and team.

Streamlit (1.67) empties the caches of all sessions, the list of everybody's jobs among them, when any browser sends
`clear_cache`. It answers `load_git_info` with repository, branch and changed files of the app, and runs git for it
while all sessions wait. It begins every run with the path of app.py, of which a browser only makes an id of the app.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from components.streamlit_patches.rerun_requests import refuse_messages
from hosting.server.request_person import is_shared

__all__ = ["withhold_host_details"]

_LOCAL_ONLY = frozenset({"clear_cache", "load_git_info"})
"""Kinds of messages that only a local server accepts."""
_begin = AppSession._create_new_session_message


def withhold_host_details() -> None:
    """Patch Streamlit to refuse cache and git messages and hide the script's path. Idempotent.

    Acts in the modes demo and team only.
    """
    refuse_messages(lambda kind: kind in _LOCAL_ONLY and is_shared())
    AppSession._create_new_session_message = _without_path  # type: ignore[method-assign]


@wraps(_begin)
def _without_path(self: AppSession, *args: Any, **kwargs: Any) -> ForwardMsg:
    message = _begin(self, *args, **kwargs)
    if is_shared():
        message.new_session.ClearField("main_script_path")
    return message
