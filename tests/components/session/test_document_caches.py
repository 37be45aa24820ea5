"""What Streamlit's caches hold of documents, and when it goes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st

from components.session import document_caches
from components.session.document_caches import clear_document_caches, clear_unused_caches, clear_when_unused


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be moved."""
    time = [0.0]
    monkeypatch.setattr(document_caches, "time", SimpleNamespace(monotonic=lambda: time[0]))
    monkeypatch.setattr(document_caches, "_caches", {})
    return time


def test_what_nobody_asks_for_goes_and_the_rest_stays(now: list[float]) -> None:
    """A function by itself: its entries go together, and once."""
    calls: list[str] = []

    @clear_when_unused
    @st.cache_resource(show_spinner=False)
    def read(address: str) -> str:
        calls.append(address)
        return address

    @clear_when_unused
    @st.cache_data(show_spinner=False)
    def other(address: str) -> str:
        calls.append(f"other {address}")
        return address

    assert [read("a"), read("a"), other("b")] == ["a", "a", "b"]
    now[0] = 500.0
    other("b")
    now[0] = 700.0
    clear_unused_caches(600.0)
    assert [read("a"), other("b")] == ["a", "b"]
    assert calls == ["a", "other b", "a"]
    clear_document_caches()
    read("a")
    other("b")
    assert calls[3:] == ["a", "other b"]


def test_a_page_that_runs_again_is_one_cache(now: list[float]) -> None:
    """Its functions are made anew with each run; when they were called last is not forgotten."""

    def run() -> str:
        @clear_when_unused
        @st.cache_data(show_spinner=False)
        def read(address: str) -> str:
            return address

        return read("a")

    run()
    run()
    assert [cached.used for cached in document_caches._caches.values()] == [0.0]
