"""A request that was taken is applied, whatever came since; and a click is told once."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.state import SafeSessionState, SessionState

from components.streamlit_patches import rerun_requests
from components.streamlit_patches.rerun_requests import correct_streamlit, refuse_messages


class NewerRequest(BaseException):
    """What a run is ended with where a newer request waits."""


def newer() -> None:
    """There is one."""
    raise NewerRequest


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit is left as it was found."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(AppSession, "handle_backmsg", AppSession.handle_backmsg)
    monkeypatch.setattr(AppSession, "_clear_queue", AppSession._clear_queue)
    monkeypatch.setattr(Runtime, "_send_message", Runtime._send_message)
    monkeypatch.setattr(rerun_requests, "_refused", None)


def test_clicks_are_applied_before_newer_requests_are_looked_for() -> None:
    """Streamlit alone ends the run before it has looked at them; where it no longer does, the correction can go."""
    request, state = WidgetStates(), SessionState()
    request.widgets.add(id="button", trigger_value=True)
    if SafeSessionState.on_script_will_rerun.__module__.startswith("streamlit."):
        with pytest.raises(NewerRequest):
            SafeSessionState(state, newer).on_script_will_rerun(request)
        assert "button" not in state._new_widget_state.states
    correct_streamlit()
    SafeSessionState(state, newer).on_script_will_rerun(request)
    assert "button" in state._new_widget_state.states


def test_a_callback_is_not_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads and writes the session's state; who does so afterwards hears of the newer request."""
    state, done = SessionState(), []
    safe = SafeSessionState(state, newer)

    def callbacks(*_: Any, **__: Any) -> None:
        safe["seen"] = True
        done.append(safe["seen"])

    monkeypatch.setattr(SessionState, "_call_callbacks", callbacks)
    correct_streamlit()
    safe.on_script_will_rerun(WidgetStates())
    assert done == [True]
    with pytest.raises(NewerRequest):
        safe["seen"]


@pytest.mark.parametrize(("timer", "values"), [(True, ["size"]), (False, ["go", "size", "row"])])
def test_a_timer_tells_of_no_clicks(timer: bool, values: list[str]) -> None:
    """Values it does tell of; and the message of the click itself tells of it."""
    heard: list[Any] = []
    message = ClientState(is_auto_rerun=timer)
    message.widget_states.widgets.add(id="go", trigger_value=True)
    message.widget_states.widgets.add(id="size", int_value=5)
    message.widget_states.widgets.add(id="row", json_trigger_value="[1]")
    correct_streamlit()
    session: Any = SimpleNamespace(_handle_rerun_script_request=heard.append)
    AppSession.handle_backmsg(session, BackMsg(rerun_script=message))
    assert [state.id for state in heard[0].widget_states.widgets] == values


def test_back_marks_the_address_that_it_brings() -> None:
    """Only that one is followed; the address of any other message may be older than what the session has written."""
    heard: list[Any] = []
    correct_streamlit()
    session: Any = SimpleNamespace(_handle_rerun_script_request=lambda state: heard.append(state.query_string))
    for back in (False, True):
        state = ClientState(query_string="doc=a", is_history_navigation=back)
        AppSession.handle_backmsg(session, BackMsg(rerun_script=state))
    assert heard == ["doc=a", "doc=a&returned=1"]


@pytest.mark.parametrize(("page", "begins"), [("search", ["search"]), ("chunks", [])])
def test_a_fragment_of_a_page_that_was_left_leads_back_to_none(
    page: str, begins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its values are dropped and the session's page is drawn; a request of that page runs as ever."""
    correct_streamlit()
    pages: list[str] = []
    requests = SimpleNamespace(request_rerun=lambda data: pages.append(data.page_script_hash))
    context = SimpleNamespace(
        fragment_ids_this_run=["curve"], page_script_hash="chunks", query_string="", script_requests=requests
    )
    monkeypatch.setattr(rerun_requests, "get_script_run_ctx", lambda: context)
    state, news = SessionState(), WidgetStates()
    state[rerun_requests._PAGE] = page
    news.widgets.add(id="size", int_value=150)
    SafeSessionState(state, lambda: None).on_script_will_rerun(news)
    assert pages == begins
    assert ("size" in state._new_widget_state.states) is not bool(begins)


def test_streamlit_alone_takes_a_timers_clicks() -> None:
    """Where it leaves them out itself, the correction can go."""
    heard: list[Any] = []
    message = ClientState(is_auto_rerun=True)
    message.widget_states.widgets.add(id="go", trigger_value=True)
    session: Any = SimpleNamespace(_handle_rerun_script_request=heard.append)
    rerun_requests._handle(session, BackMsg(rerun_script=message))
    assert [state.id for state in heard[0].widget_states.widgets] == ["go"]


def drawn_part(place: int, fragment: str, text: str) -> ForwardMsg:
    """A line of text at a place of the page, which a part of the page draws."""
    part = ForwardMsg()
    part.metadata.delta_path.extend([0, place])
    part.delta.fragment_id = fragment
    part.delta.new_element.markdown.body = text
    return part


def test_a_part_of_a_page_that_is_drawn_again_loses_nothing() -> None:
    """What it drew last, with the part in it, is sent before what it draws now, each in its order; a whole page
    replaces what waits.
    """
    session: Any = SimpleNamespace(_browser_queue=ForwardMsgQueue())
    before = [drawn_part(0, "outer", "a"), drawn_part(1, "inner", "b")]
    for part in before:
        session._browser_queue.enqueue(part)
    rerun_requests._keep_parts(session, ["outer"])
    after = [drawn_part(0, "outer", "c"), drawn_part(1, "inner", "d")]
    for part in after:
        session._browser_queue.enqueue(part)
    assert session._browser_queue._queue == [*before, *after]
    rerun_requests._keep_parts(session, None)
    assert session._browser_queue.is_empty()


def test_streamlit_alone_drops_what_a_fragment_drew() -> None:
    """Where it no longer does, this correction can go."""
    session: Any = SimpleNamespace(_browser_queue=ForwardMsgQueue())
    session._browser_queue.enqueue(drawn_part(0, "outer", "a"))
    rerun_requests._clear(session, ["outer"])
    assert session._browser_queue.is_empty()


@pytest.mark.parametrize("correct", [correct_streamlit, lambda: refuse_messages(lambda _: False)])
def test_lists_of_kept_messages_are_dropped_only_where_references_are_decided_while_sending(
    monkeypatch: pytest.MonkeyPatch, correct: Callable[[], None]
) -> None:
    """Without either, each run would send all messages in full."""
    monkeypatch.setattr(Runtime, "_send_message", streamlits_own := object())
    correct()
    assert Runtime._send_message is not streamlits_own
