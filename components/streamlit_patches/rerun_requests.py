"""Apply each click once and lose nothing drawn: corrections of Streamlit's (1.67) rerun requests."""

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

from components.streamlit_patches.sent_messages import refer_to_sent_messages

__all__ = ["RETURNED", "correct_streamlit", "note_page", "refuse_messages"]

_CLICKS = frozenset(("trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value"))
"""Kinds of values that stand for one event, in a message of the browser."""
RETURNED = "returned"
"""URL parameter of a run that the user's Back or Forward began."""
_PAGE = "streamlit.page"
"""Session key of the page that the last run of the full app drew."""
_handle = AppSession.handle_backmsg
_clear = AppSession._clear_queue
_refused: Callable[[str], bool] | None = None


def correct_streamlit() -> None:
    """Patch Streamlit so that each click is applied once, and no drawn element is dropped. Idempotent."""
    AppSession._clear_queue = _keep_parts  # type: ignore[method-assign]
    SafeSessionState.on_script_will_rerun = _apply_then_look  # type: ignore[method-assign]
    _correct_messages()


def refuse_messages(is_refused: Callable[[str], bool]) -> None:
    """Drop browser messages of refused kinds, such as `clear_cache`, from now on. Idempotent."""
    global _refused
    _refused = is_refused
    _correct_messages()


def _correct_messages() -> None:
    """Correct the browsers' messages, and decide on references without the lists that are dropped from them."""
    AppSession.handle_backmsg = _handle_corrected  # type: ignore[method-assign]
    refer_to_sent_messages()


def note_page() -> None:
    """Record the page drawn by this run of the full app; call it after `st.navigation`."""
    context = get_script_run_ctx()
    if context is not None:
        context.session_state[_PAGE] = context.page_script_hash


def _keep_parts(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """Keep undelivered elements when a fragment's run begins, and send them first.

    Streamlit drops what the page run before drew of the fragment, and keeps what nested fragments drew: a browser
    cannot place those without the rest. It removes and redraws the fragment, and keys pressed meanwhile are lost.
    """
    if fragment_ids_this_run:
        # so that new elements are appended, and replace none of it
        self._browser_queue._delta_index_map.clear()
    else:
        _clear(self, fragment_ids_this_run)


def _page_left(state: SafeSessionState) -> str | None:
    """Return the session's page if this run is of a fragment of another page; else None.

    A component's event of the old page may arrive while the next page is about to be drawn: its values are those of the
    old page, and its run would lead back there, against the click.
    """
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run or _PAGE not in state._state:
        return None
    page: str = state._state[_PAGE]
    return page if page != context.page_script_hash else None


def _apply_then_look(self: SafeSessionState, fresh_widget_states: Any, **replayed: Any) -> None:
    """Apply a request's values and clicks before looking for newer requests.

    Streamlit looks first: if a newer request came in the milliseconds since, its run begins at once, and the clicks of
    the first are lost before any callback. A callback is not cut short either when it reads the session state, as its
    value would not come again. Streamlit looks again right after the callbacks, so nothing waits longer.
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
    """Rerun the full page if a fragment's run brings changes from outside the fragment.

    The browser puts all changes of one moment into one message, and asks only for a fragment if one of them belongs to
    it: a file dropped, or a button clicked, in the moment of a fragment's event was never acted on.
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
        msg.rerun_script.ClearField("cached_message_hashes")  # may be too old by then, see `sent_messages`
        _leave_out_clicks(msg.rerun_script)
    _handle(self, msg)


def _leave_out_clicks(client_state: ClientState) -> None:
    """Remove clicks from the message of a fragment's timer, and mark that of Back or Forward.

    The browser sends a click some milliseconds after it. A timer that fires in between sends it along, and it is sent
    again. Only the address of a message of Back or Forward is followed: any other may be older than what the session
    has written.
    """
    if client_state.is_history_navigation:
        client_state.query_string += f"&{RETURNED}=1"
    if client_state.is_auto_rerun:
        kept = [state for state in client_state.widget_states.widgets if state.WhichOneof("value") not in _CLICKS]
        del client_state.widget_states.widgets[:]
        client_state.widget_states.widgets.extend(kept)
