"""A request that was taken is applied, whatever came since; and a click is told once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state import SafeSessionState, SessionState

from components.streamlit_patches import rerun_requests
from components.streamlit_patches.rerun_requests import correct_streamlit


class NewerRequest(BaseException):
    """What a run is ended with where a newer request waits."""


def newer() -> None:
    """There is one."""
    raise NewerRequest


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit is left as it was found."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)


def test_clicks_are_applied_before_newer_requests_are_looked_for() -> None:
    """Streamlit alone ends the run before it has looked at them; where it no longer does, the correction can go."""
    taken, state = WidgetStates(), SessionState()
    taken.widgets.add(id="button", trigger_value=True)
    if SafeSessionState.on_script_will_rerun.__module__.startswith("streamlit."):
        with pytest.raises(NewerRequest):
            SafeSessionState(state, newer).on_script_will_rerun(taken)
        assert "button" not in state._new_widget_state.states
    correct_streamlit()
    SafeSessionState(state, newer).on_script_will_rerun(taken)
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


@pytest.mark.parametrize(("timer", "told"), [(True, ["size"]), (False, ["go", "size", "row"])])
def test_a_timer_tells_of_no_clicks(timer: bool, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Values it does tell of; and the message of the click itself tells of it."""
    heard: list[Any] = []
    monkeypatch.setattr(rerun_requests, "_request_rerun", lambda _, state: heard.append(state))
    message = ClientState(is_auto_rerun=timer)
    message.widget_states.widgets.add(id="go", trigger_value=True)
    message.widget_states.widgets.add(id="size", int_value=5)
    message.widget_states.widgets.add(id="row", json_trigger_value="[1]")
    correct_streamlit()
    session: Any = SimpleNamespace()
    AppSession.request_rerun(session, message)
    AppSession.request_rerun(session, None)
    assert [state.id for state in heard[0].widget_states.widgets] == told
    assert heard[1] is None


def test_back_marks_the_address_that_it_brings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only that one is followed; the address of any other message may be older than what the session has written."""
    heard: list[Any] = []
    monkeypatch.setattr(rerun_requests, "_request_rerun", lambda _, state: heard.append(state.query_string))
    correct_streamlit()
    session: Any = SimpleNamespace()
    for back in (False, True):
        AppSession.request_rerun(session, ClientState(query_string="doc=a", is_history_navigation=back))
    assert heard == ["doc=a", "doc=a&returned=1"]


@pytest.mark.parametrize(("page", "begins"), [("search", ["search"]), ("chunks", [])])
def test_a_fragment_of_a_page_that_was_left_leads_back_to_none(
    page: str, begins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its values are dropped and the session's page is drawn; a request of that page runs as ever."""
    correct_streamlit()
    asked: list[str] = []
    requests = SimpleNamespace(request_rerun=lambda data: asked.append(data.page_script_hash))
    context = SimpleNamespace(
        fragment_ids_this_run=["curve"], page_script_hash="chunks", query_string="", script_requests=requests
    )
    monkeypatch.setattr(rerun_requests, "get_script_run_ctx", lambda: context)
    state, told = SessionState(), WidgetStates()
    state[rerun_requests._PAGE] = page
    told.widgets.add(id="size", int_value=150)
    SafeSessionState(state, lambda: None).on_script_will_rerun(told)
    assert asked == begins
    assert ("size" in state._new_widget_state.states) is not bool(begins)
