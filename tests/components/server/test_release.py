"""What the server gives back when sessions are over."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from chunking.config import EmbeddingConfig
from chunking.parsing import parse
from components.server import upkeep
from components.session import measured_documents, workspace


def lost(monkeypatch: pytest.MonkeyPatch, *, seconds: int) -> Mock:
    """A session that has lost its browser, on a server that waits so long for it to come back."""
    storage, session = MemorySessionStorage(ttl_seconds=seconds), Mock(id="lost")
    storage.save(SessionInfo(client=None, session=session))
    sessions = object.__new__(WebsocketSessionManager)
    sessions._session_storage, sessions._storage_lock = storage, threading.Lock()
    sessions._active_session_info_by_id = {}
    runtime = SimpleNamespace(_session_mgr=sessions, is_active_session=lambda id: False)
    for module in (upkeep, workspace):
        monkeypatch.setattr(module, "get_instance", lambda: runtime)
    return session


def test_a_session_whose_browser_does_not_come_back_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without another one that loses its connection; once."""
    session = lost(monkeypatch, seconds=0)
    assert [upkeep.end_lost_sessions() for _ in range(2)] == [1, 0]
    session.shutdown.assert_called_once_with()


def test_one_that_fails_to_end_keeps_no_other_from_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor what is given back after it."""
    first, second = lost(monkeypatch, seconds=1_000), Mock(id="another")
    first.shutdown.side_effect = RuntimeError("no loop")
    cache = upkeep.get_instance()._session_mgr._session_storage._cache
    monkeypatch.setattr(
        cache, "expire", lambda: [(one.id, SessionInfo(client=None, session=one)) for one in (first, second)]
    )
    monkeypatch.setattr(workspace, "_sessions", {})
    monkeypatch.setattr(workspace, "close_unused", Mock(side_effect=RuntimeError("no runtime")))
    monkeypatch.setattr(upkeep, "release_memory", arguments := Mock())
    upkeep.release()
    second.shutdown.assert_called_once_with()
    arguments.assert_called_once_with()
    assert "no loop" in caplog.text
    assert "no runtime" in caplog.text


def test_a_session_whose_browser_may_still_come_back_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the operator has set."""
    session = lost(monkeypatch, seconds=1_000)
    assert upkeep.end_lost_sessions() == 0
    session.shutdown.assert_not_called()


@pytest.mark.parametrize("others", [False, True])
def test_memory_is_given_back_when_nobody_is_left(monkeypatch: pytest.MonkeyPatch, others: bool) -> None:
    """Not while somebody works, whom it would stop for a moment; documents that were read and measured are let go
    first.
    """
    lost(monkeypatch, seconds=0)
    monkeypatch.setattr(workspace, "_sessions", {"theirs": {"here"}} if others else {})
    monkeypatch.setattr(workspace, "close_unused", lambda: 0)
    read = parse(b"# Valve\n\nOpen it slowly.", "valve.md")
    monkeypatch.setattr(workspace, "open_workspace", lambda address: Mock(document=Mock(return_value=read)))
    before = workspace._short("here", "valve", "1"), measured_documents.chunker(read, EmbeddingConfig())
    monkeypatch.setattr(upkeep, "release_memory", arguments := Mock())
    upkeep.release()
    assert arguments.call_count == (0 if others else 1)
    after = workspace._short("here", "valve", "1"), measured_documents.chunker(read, EmbeddingConfig())
    assert (after[1] is before[1]) is others
    upkeep.release()  # nothing has ended since
    assert arguments.call_count == (0 if others else 1)
