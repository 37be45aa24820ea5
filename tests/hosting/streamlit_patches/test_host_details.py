"""Whether a visitor's browser is told of the host: where the app lies there, and what git says of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.run_descriptor import RunDescriptor

from hosting.streamlit_patches import host_details
from hosting.streamlit_patches.host_details import withhold_host_details

MODES = [("demo", False), ("team", False), ("local", True)]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """As much of a session as the two messages take, with the corrections made."""
    for name in ("_handle_git_information_request", "_create_new_session_message"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    withhold_host_details()
    told: list[object] = []
    pages = SimpleNamespace(main_script_path="/srv/secret/app.py", main_script_hash="h", get_pages=dict)
    script = SimpleNamespace(main_script_path=__file__, name="app", is_hello=False)
    made: Any = SimpleNamespace(
        _enqueue_forward_msg=told.append, told=told, _pages_manager=pages, _script_data=script, id="s"
    )
    made._populate_app_pages = lambda *_: None
    made._compute_skills_nudge_state = lambda: (False, "")
    made._session_state, made._state, made._run_on_save, made._client_state = {}, None, False, None
    made._create_session_status_changed_message = lambda: None
    made._handle_git_information_request = lambda: AppSession._handle_git_information_request(made)
    return made


@pytest.mark.parametrize(("mode", "told"), MODES)
def test_git_is_asked_for_the_one_person_of_a_local_server(
    monkeypatch: pytest.MonkeyPatch, session: Any, mode: str, told: bool
) -> None:
    """By a message of which no page of the app has need; for others it starts no process."""
    asked: list[object] = []
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setattr(host_details, "_tell_git", asked.append)
    AppSession.handle_backmsg(session, BackMsg(load_git_info=True))
    assert bool(asked) is told


@pytest.mark.parametrize(("mode", "told"), MODES)
def test_a_run_begins_without_the_path_of_the_app(
    monkeypatch: pytest.MonkeyPatch, session: Any, mode: str, told: bool
) -> None:
    """What names the run, and the app, is still there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    run = RunDescriptor.create()
    message = AppSession._create_new_session_message(session, "page", run).new_session
    assert (message.main_script_path == "/srv/secret/app.py") is told
    assert ("secret" in str(message)) is told
    assert (message.name, message.main_script_hash, message.page_script_hash) == ("app", "h", "page")
