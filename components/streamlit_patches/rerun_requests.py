"""Lose no click and count none twice: corrections of how Streamlit (1.67) takes requests for a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from components.streamlit_patches.script_events import keep_drawn_parts

__all__ = ["RETURNED", "correct_streamlit", "note_page", "refuse_messages"]

_CLICKS = frozenset(("trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value"))
"""Kinds of values that stand for one event, in a message of the browser."""
RETURNED = "returned"
"""Stands in the address of a run that the user's Back or Forward began."""
_PAGE = "streamlit.page"
"""Holds in the session's state which page the last run of the whole app drew."""
_handle = AppSession.handle_backmsg
_refused: Callable[[str], bool] | None = None


def correct_streamlit() -> None:
    """Make all corrections, in this process; idempotent.

    The fifth: a fragment's run that follows a run of the whole page at once must not make Streamlit drop what that page
    run drew of the fragment. The browser takes it off the page and draws it anew, and keys meanwhile reach nothing.
    """
    keep_drawn_parts()
    SafeSessionState.on_script_will_rerun = _apply_then_look  # type: ignore[method-assign]
    AppSession.handle_backmsg = _handle_corrected  # type: ignore[method-assign]


def refuse_messages(is_refused: Callable[[str], bool]) -> None:
    """Leave out messages of browsers whose kind is refused, such as `clear_cache`, from now on. Idempotent."""
    global _refused
    _refused = is_refused
    AppSession.handle_backmsg = _handle_corrected  # type: ignore[method-assign]


def note_page() -> None:
    """The page that this run of the whole app draws; call it once `st.navigation` has said which."""
    context = get_script_run_ctx()
    if context is not None:
        context.session_state[_PAGE] = context.page_script_hash


def _page_left(state: SafeSessionState) -> str | None:
    """The page that the session is on, where this run is of a fragment of another one; None in every other run.

    What a page's component tells while the next page is about to be drawn comes after it: its values are those of the
    page that was left, and its run would lead back there, against the click.
    """
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run or _PAGE not in state._state:
        return None
    page: str = state._state[_PAGE]
    return page if page != context.page_script_hash else None


def _apply_then_look(self: SafeSessionState, fresh_widget_states: Any, **replayed: Any) -> None:
    """A run applies what its request says, values and clicks, before it looks for newer requests.

    Streamlit looks first, and where a newer one came in the milliseconds since it took this one, the newer one's run
    begins at once:
    the clicks of the first are gone, before any callback was called. Nor is a callback cut short where it reads the
    session's state:
    a value that came with its request has no second change. Streamlit looks again right after the callbacks, so nothing
    waits longer.
    """
    page, context = _page_left(self), get_script_run_ctx()
    if page is not None and context is not None and context.script_requests is not None:
        context.script_requests.request_rerun(RerunData(query_string=context.query_string, page_script_hash=page))
        return
    look = self._yield_callback
    object.__setattr__(
        self, "_yield_callback", lambda: None
    )  # plain attributes of this class are keys of the session's state
    try:
        with self._lock:
            self._state.on_script_will_rerun(fresh_widget_states, **replayed)
            _run_the_page_where_it_changed(self._state, fresh_widget_states)
    finally:
        object.__setattr__(self, "_yield_callback", look)


def _run_the_page_where_it_changed(state: SessionState, news: WidgetStates | None) -> None:
    """A run of a fragment that brings news from outside of it becomes a run of the whole page.

    The browser puts all changes of one moment into one message, and where one of them is of a fragment, it asks for
    that fragment alone: a file dropped, or a button clicked, in the moment in which a component of a fragment tells
    something, was never acted on.
    """
    context = get_script_run_ctx()
    if news is None or context is None or context.script_requests is None or not context.fragment_ids_this_run:
        return
    of = state._new_widget_state.widget_metadata
    for widget in news.widgets:
        metadata = of.get(widget.id)
        if metadata and metadata.fragment_id not in context.fragment_ids_this_run and state._widget_changed(widget.id):
            clicks = state._filter_active_trigger_widget_states(news)
            context.script_requests.request_rerun(
                RerunData(
                    query_string=context.query_string,
                    page_script_hash=context.page_script_hash,
                    cached_message_hashes=context.cached_message_hashes,
                    context_info=context.context_info,
                    replay_trigger_states=clicks,
                    replay_trigger_values=state._capture_replay_trigger_values(clicks),
                )
            )
            return


@wraps(_handle)
def _handle_corrected(self: AppSession, msg: BackMsg) -> None:
    kind = msg.WhichOneof("type")
    if kind and _refused is not None and _refused(kind):
        return
    if kind == "rerun_script":
        _leave_out_clicks(msg.rerun_script)
    _handle(self, msg)


def _leave_out_clicks(client_state: ClientState) -> None:
    """Take clicks out of the message of a fragment's timer, and mark that of Back or Forward.

    The browser sends a click some milliseconds after it. A timer that goes off in between sends it along, and it is
    sent again. Only the address of a message of Back or Forward is followed: any other may be older than what the
    session has written.
    """
    if client_state.is_history_navigation:
        client_state.query_string += f"&{RETURNED}=1"
    if client_state.is_auto_rerun:
        kept = [state for state in client_state.widget_states.widgets if state.WhichOneof("value") not in _CLICKS]
        del client_state.widget_states.widgets[:]
        client_state.widget_states.widgets.extend(kept)
