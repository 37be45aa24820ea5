"""Whether a visitor's message can empty what the server keeps for all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession, AppSessionState

from hosting.streamlit_patches.clear_cache_requests import ignore_clear_cache


@pytest.mark.parametrize(("mode", "made"), [("demo", 1), ("team", 1), ("local", 2)])
def test_only_the_one_person_of_a_local_server_empties_its_caches(
    monkeypatch: pytest.MonkeyPatch, mode: str, made: int
) -> None:
    """The message reaches the session as from a browser; in the other modes what was made stays."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setattr(AppSession, "_handle_clear_cache_request", AppSession._handle_clear_cache_request)
    calls: list[str] = []

    @st.cache_resource(show_spinner=False)
    def kept() -> object:
        calls.append("made")
        return object()

    kept()
    ignore_clear_cache()
    session: Any = SimpleNamespace(_session_state={}, _state=AppSessionState.APP_NOT_RUNNING)
    session._handle_clear_cache_request = lambda: AppSession._handle_clear_cache_request(session)
    AppSession.handle_backmsg(session, BackMsg(clear_cache=True))
    kept()
    assert len(calls) == made
    kept.clear()
