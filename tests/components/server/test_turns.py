"""Splits of long documents: a person has one at a time, and all people two; the others wait."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner import StopException

from chunking.errors import QuotaError
from components.server import turns
from components.server.turns import in_turn
from components.session.workspace import LARGE

LONG = LARGE + 1


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Who is asking, in each thread."""
    person = SimpleNamespace(ids={})
    host = SimpleNamespace(counted_as=lambda: person.ids.get(threading.get_ident(), "ann"))
    monkeypatch.setattr(turns, "host", lambda: host)
    return person


def test_a_second_one_waits_for_the_first(person: SimpleNamespace) -> None:
    """Of the same person; a short one waits for nobody."""
    done: list[str] = []

    def second() -> None:
        with in_turn(LONG):
            done.append("second")

    with in_turn(LONG):
        thread = threading.Thread(target=second, daemon=True)
        thread.start()
        with in_turn(LARGE):
            done.append("short")
        thread.join(0.05)
        done.append("first")
    thread.join(60)
    assert done == ["short", "first", "second"]


def test_who_has_waited_long_is_told_what_to_do(person: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Theirs, or those of others."""
    monkeypatch.setattr(turns._TURNS, "patience", 0.01)
    me = threading.get_ident()
    with in_turn(LONG):
        with pytest.raises(QuotaError, match="Your"), in_turn(LONG):
            pass
        person.ids[me] = "bob"
        with in_turn(LONG):
            person.ids[me] = "cay"
            with pytest.raises(QuotaError, match="Other people"), in_turn(LONG):
                pass
    with in_turn(LONG):
        pass


def test_who_has_gone_waits_no_longer(person: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit ends the run of a closed tab where it looks; the place is free for the next."""

    def gone() -> None:
        raise StopException

    with in_turn(LONG):
        monkeypatch.setattr(turns, "get_run_yield_check", lambda: gone)
        with pytest.raises(StopException), in_turn(LONG):
            pytest.fail("split for nobody")
    with pytest.raises(StopException), in_turn(LONG):
        pytest.fail("split for nobody")
    monkeypatch.setattr(turns, "get_run_yield_check", lambda: None)
    with in_turn(LONG):
        pass
