"""What the Index page is made of: levels and fallback levels in words, the state of a run, and the status of an
endpoint.
"""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.errors import EndpointError
from chunking.indexing import IndexPhase
from chunking.indexing.run.index_building import _lower  # the sentence of a fall is made there
from chunking.store.index.build_record import BuildReport, FallbackLevel
from components.index.built_levels import generated_texts_line, levels_line, reasons
from components.server.jobs import PHASES, ServerJob
from components.server.jobs.job_kinds import phases_of
from tests.support.llm_server import KEY, LLMServer

_WRITES = Config.from_settings({"prefix": "context", "enrich.generator": "llm", "enrich.raptor": "true"})


def test_levels_are_told_from_the_chunks_up() -> None:
    """Levels of nothing are left out; one row is not many."""
    levels = {"cluster": 9, "section": 1, "parent": 30, "x4": 25, "x2": 50, "chunk": 1200, "document": 0}
    assert (
        levels_line(levels)
        == "1,200 chunks · 50 chunks at ×2 · 25 chunks at ×4 · 30 parents · 1 section summary · 9 cluster summaries"
    )
    assert generated_texts_line(BuildReport(written={"summary by rules": 12})) == "12 summaries by rule"
    assert generated_texts_line(BuildReport()) == ""


def test_a_fall_is_kept_with_its_sentence() -> None:
    """As the library tells it: on the page while it runs, and with the place of the fallback level in its report."""
    messages: list[str] = []
    plan = Mock(config=_WRITES)
    lower = _lower(plan, FallbackLevel.FULL, EndpointError("The LLM endpoint at x cannot be reached."), messages)
    (sentence,) = reasons(lower, messages)
    assert sentence.startswith("Built at fallback level 2 of 4, contextual, instead of full")
    job = ServerJob("main", Mock())
    job._take({"event": "progress", "done": 0, "total": 3, "message": f"On {lower}: why", "fell": True})
    job._take({"event": "progress", "done": 1, "total": 3, "message": "Embedding a.md", "fell": False})
    assert job.falls == [f"On {lower}: why"]


def test_the_phase_comes_with_the_message() -> None:
    """As the worker tells it; before it has told anything, and of a worker that tells none, a job prepares."""
    job = ServerJob("main", Mock())
    assert job.phase is IndexPhase.PREPARE
    job._take({"event": "plan", "chunks": 3})
    assert job.phase is IndexPhase.PREPARE
    for phase in IndexPhase:
        job._take({"event": "progress", "done": 1, "total": 3, "message": "Something", "phase": str(phase)})
        assert job.phase is phase
    job._take({"event": "progress", "done": 1, "total": 3, "message": "Something"})
    assert job.phase is IndexPhase.PREPARE
    assert [*PHASES] == [*IndexPhase]


def test_a_run_shows_only_the_phases_it_goes_through() -> None:
    """Nothing is written, and no tree made, where the settings ask for neither."""
    assert phases_of(Config()) == (
        IndexPhase.PREPARE,
        IndexPhase.LOAD,
        IndexPhase.SPLIT,
        IndexPhase.EMBED,
        IndexPhase.FINISH,
    )
    assert IndexPhase.LOAD not in phases_of(Config(), loads=False)
    assert phases_of(_WRITES) == tuple(IndexPhase)


def _status() -> None:
    import streamlit as st

    from components.session.endpoint_status import endpoint_status

    endpoint_status("llm", needed=st.session_state["wanted"])


def status(*, needed: bool = False) -> AppTest:
    """A page with the status of the language model and nothing else."""
    page = AppTest.from_function(_status, default_timeout=60)
    page.session_state["wanted"] = needed
    return page.run()


def words(page: AppTest) -> str:
    """All that stands on it."""
    assert not page.exception
    return "\n".join(part.value for kind in (page.markdown, page.caption, page.code) for part in kind).replace("\\", "")


def test_no_endpoint_says_how_to_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One click further; as a warning where the settings ask for one."""
    monkeypatch.delenv("CHUNKSCOPE_LLM_URL", raising=False)
    text = words(status())
    assert "none configured" in text
    assert "works without one" in text
    assert "CHUNKSCOPE_LLM_MODEL" in text
    assert "[llm]" in text
    assert "⚠" in words(status(needed=True))


def test_the_check_says_what_is_wrong(llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right, a wrong key, gone: each in a sentence, and never the key."""
    for name, value in llm_server.environment().items():
        monkeypatch.setenv(name, value)
    page = status(needed=True)
    assert not llm_server.requests
    assert "test-writer at 127.0.0.1" in words(page)
    page.button(key="endpoint.llm.check").click().run()
    assert "✓" in words(page)
    llm_server.always = "401"
    page.button(key="endpoint.llm.check").click().run()
    assert "key" in words(page)
    assert "✓" not in words(page)
    llm_server.stop()
    page.button(key="endpoint.llm.check").click().run()
    assert "cannot be reached" in words(page)
    assert KEY not in words(page)


def test_an_address_that_cannot_be_used_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable that is wrong; the page goes on."""
    monkeypatch.setenv("CHUNKSCOPE_LLM_URL", "ftp://nowhere")
    monkeypatch.setenv("CHUNKSCOPE_LLM_MODEL", "small")
    assert "CHUNKSCOPE_LLM_URL is not an address" in words(status())
