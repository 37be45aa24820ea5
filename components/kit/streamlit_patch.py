"""Two corrections of Streamlit (1.67), by which no click is lost and none counts twice; to be dropped when it does the same itself."""

from __future__ import annotations

from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.safe_session_state import SafeSessionState

__all__ = ["correct_streamlit"]

_CLICKS = frozenset(("trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value"))
"""Kinds of values that stand for one event, in a message of the browser."""
_request_rerun = AppSession.request_rerun


def correct_streamlit() -> None:
    """Make both corrections, in this process; again is the same."""
    SafeSessionState.on_script_will_rerun = _apply_then_look  # type: ignore[method-assign]
    AppSession.request_rerun = _without_clicks_of_others  # type: ignore[method-assign]


def _apply_then_look(self: SafeSessionState, fresh_widget_states: Any, **replayed: Any) -> None:
    """A run applies what its request says, values and clicks, before it looks for newer requests.

    Streamlit looks first, and where a newer one came in the milliseconds since it took this one, the newer one's run begins at once:
    the clicks of the first are gone, before any callback was called. Nor is a callback cut short where it reads the session's state:
    a value that came with its request has no second change. Streamlit looks again right after the callbacks, so nothing waits longer.
    """
    look = self._yield_callback
    object.__setattr__(self, "_yield_callback", lambda: None)  # plain attributes of this class are keys of the session's state
    try:
        with self._lock:
            self._state.on_script_will_rerun(fresh_widget_states, **replayed)
    finally:
        object.__setattr__(self, "_yield_callback", look)


def _without_clicks_of_others(self: AppSession, client_state: ClientState | None) -> None:
    """The message of a fragment's timer tells of no clicks.

    The browser tells of a click some milliseconds after it. A timer that goes off in between sends it along, and it is sent again.
    """
    if client_state is not None and client_state.is_auto_rerun:
        kept = [state for state in client_state.widget_states.widgets if state.WhichOneof("value") not in _CLICKS]
        del client_state.widget_states.widgets[:]
        client_state.widget_states.widgets.extend(kept)
    _request_rerun(self, client_state)
