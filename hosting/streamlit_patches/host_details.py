"""What Streamlit tells any browser of the host, also before the sign-in: in the modes demo and team it tells none of
it.

Streamlit (1.67) answers the message `load_git_info` with the repository of the app, its branch and the names of changed
files, for which
it runs git while all sessions wait; and it begins every run with the path of app.py, which a browser only makes an id
of the app from.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from hosting.server.request_person import is_shared

__all__ = ["withhold_host_details"]

_tell_git, _begin = AppSession._handle_git_information_request, AppSession._create_new_session_message


def withhold_host_details() -> None:
    """Tell nobody from now on, in this process; again is the same."""
    AppSession._handle_git_information_request = _tell_own  # type: ignore[method-assign]
    AppSession._create_new_session_message = _without_path  # type: ignore[method-assign]


@wraps(_tell_git)
def _tell_own(self: AppSession) -> None:
    if not is_shared():
        _tell_git(self)


@wraps(_begin)
def _without_path(self: AppSession, *args: Any, **kwargs: Any) -> ForwardMsg:
    message = _begin(self, *args, **kwargs)
    if is_shared():
        message.new_session.ClearField("main_script_path")
    return message
