"""Whose a session is: who may take it up again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from hosting.demo.visits import visit_id
from hosting.people.identity import COOKIE
from hosting.server import request_person
from tests.hosting.server.asking import ANN, ANN_TOKEN, BOB, NOBODY


def test_a_session_is_taken_up_again_by_its_own_browser_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id is no key: another browser that names it gets a new session, as does one without a cookie."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    requests: list[str | None] = []

    def connect(self: Any, client: Any, script: Any, user: Any, existing: str | None, override: str | None) -> str:
        requests.append(existing)
        id = existing or f"new-{len(requests)}"
        self._active_session_info_by_id[id] = self._active_session_info_by_id.get(id) or SimpleNamespace(
            session=Session()
        )
        return id

    monkeypatch.setattr(request_person, "_connect", connect)
    manager: Any = SimpleNamespace(_active_session_info_by_id={})

    def connected(cookies: dict[str, str], existing: str | None = None) -> str:
        client: Any = SimpleNamespace(client_context=SimpleNamespace(headers=[], cookies=cookies))
        connect: Any = request_person._connect_owned
        return connect(manager, client, None, {}, existing_session_id=existing)

    first = connected(ANN)
    assert request_person.owner(first) == visit_id(ANN_TOKEN)
    others = [
        connected(person, first)
        for person in (BOB, NOBODY, {COOKIE: "forged"}, {COOKIE: ANN_TOKEN}, {COOKIE: f"{ANN_TOKEN}.{'x' * 43}"})
    ]
    assert first not in others
    assert connected(ANN, first) == first
    assert connected(NOBODY, others[1]) not in others
    monkeypatch.setenv("CHUNKSCOPE_MODE", "local")
    assert connected(NOBODY, first) == first


class Session:
    """Stands for Streamlit's."""


def test_streamlits_session_manager_is_the_one_that_is_corrected() -> None:
    """Its method takes what ours takes."""
    names = WebsocketSessionManager.connect_session.__code__.co_varnames[:6]
    assert names == request_person._connect_owned.__wrapped__.__code__.co_varnames[:6]  # type: ignore[attr-defined]
    assert names == request_person._connect_owned.__code__.co_varnames[:6]
