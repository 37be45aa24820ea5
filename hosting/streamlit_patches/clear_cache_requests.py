"""What the server keeps for everybody is emptied by no visitor.

Streamlit (1.67) empties the caches of all sessions when any browser sends `clear_cache`, also without a menu that
offers it. Among them
is the list of everybody's jobs, which would be begun anew beside those that run. In the modes demo and team it does
nothing.
"""

from __future__ import annotations

from functools import wraps

from streamlit.runtime.app_session import AppSession

from hosting.server.request_person import is_shared

__all__ = ["ignore_clear_cache"]

_clear = AppSession._handle_clear_cache_request


def ignore_clear_cache() -> None:
    """Refuse it from now on, in this process; again is the same."""
    AppSession._handle_clear_cache_request = _clear_own  # type: ignore[method-assign]


@wraps(_clear)
def _clear_own(self: AppSession) -> None:
    if not is_shared():
        _clear(self)
