"""A browser learns nothing of the host, and empties no caches of all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner_utils.run_descriptor import RunDescriptor

from components.streamlit_patches import rerun_requests
from hosting.streamlit_patches import host_details
from hosting.streamlit_patches.host_details import withhold_host_details

MODES = [("demo", False), ("team", False), ("local", True)]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """As much of a session as the messages take, with the corrections made."""
    for name in ("handle_backmsg", "_create_new_session_message"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    monkeypatch.setattr(Runtime, "_send_message", Runtime._send_message)
    monkeypatch.setattr(rerun_requests, "_refused", None)
    withhold_host_details()
    pages = SimpleNamespace(main_script_path="/srv/secret/app.py", main_script_hash="h", get_pages=dict)
    script = SimpleNamespace(main_script_path=__file__, name="app", is_hello=False)
    answers: list[str] = []
    part: Any = SimpleNamespace(answers=answers, _pages_manager=pages, _script_data=script, id="s")
    part._handle_git_information_request = lambda: answers.append("git")
    part._handle_clear_cache_request = lambda: answers.append("cleared")
    part._populate_app_pages = lambda *_: None
    part._compute_skills_nudge_state = lambda: (False, "")
    part._session_state, part._state, part._run_on_save, part._client_state = {}, None, False, None
    part._create_session_status_changed_message = lambda: None
    return part


@pytest.mark.parametrize(("mode", "is_answered"), MODES)
def test_only_the_one_person_of_a_local_server_asks_git_or_empties_caches(
    monkeypatch: pytest.MonkeyPatch, session: Any, mode: str, is_answered: bool
) -> None:
    """By messages that no page of the app needs; for others no process starts, and what is cached stays."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    AppSession.handle_backmsg(session, BackMsg(load_git_info=True))
    AppSession.handle_backmsg(session, BackMsg(clear_cache=True))
    assert session.answers == (["git", "cleared"] if is_answered else [])


@pytest.mark.parametrize(("mode", "is_named"), MODES)
def test_a_run_begins_without_the_path_of_the_app(
    monkeypatch: pytest.MonkeyPatch, session: Any, mode: str, is_named: bool
) -> None:
    """What names the run, and the app, is still there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    run = RunDescriptor.create()
    message = AppSession._create_new_session_message(session, "page", run).new_session
    assert (message.main_script_path == "/srv/secret/app.py") is is_named
    assert ("secret" in str(message)) is is_named
    assert (message.name, message.main_script_hash, message.page_script_hash) == ("app", "h", "page")


def test_streamlit_alone_answers_both_and_names_the_path(monkeypatch: pytest.MonkeyPatch, session: Any) -> None:
    """Where it has settings for them, the correction can go."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    for kind in ("load_git_info", "clear_cache"):
        rerun_requests._handle(session, BackMsg(**{kind: True}))
    assert session.answers == ["git", "cleared"]
    message = host_details._begin(session, "page", RunDescriptor.create())
    assert message.new_session.main_script_path
