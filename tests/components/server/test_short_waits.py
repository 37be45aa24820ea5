"""One person's run keeps the others waiting only briefly."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from chunking.config import SearchConfig
from components.search import searches
from components.server import freed_memory, short_waits


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Python is left as it was found."""
    turn, threshold = sys.getswitchinterval(), gc.get_threshold()
    yield
    sys.setswitchinterval(turn)
    gc.set_threshold(*threshold)
    gc.unfreeze()


def test_turns_are_short_and_collections_rare() -> None:
    """Shorter and rarer than Python sets them."""
    turn, threshold = sys.getswitchinterval(), gc.get_threshold()
    short_waits.keep_waits_short()
    assert sys.getswitchinterval() < turn
    assert gc.get_threshold()[0] > threshold[0]


def test_what_is_there_is_passed_over_until_nobody_is_there() -> None:
    """Also what came after a server's start; memory that is given back is looked for in all of it."""
    gc.unfreeze()
    short_waits.leave_loaded_out()
    assert gc.get_freeze_count() == 0
    short_waits.leave_out_of_collections()
    before = gc.get_freeze_count()
    came: list[Any] = [[] for _ in range(100)]
    came.append(came)
    short_waits.leave_loaded_out()
    held = gc.get_freeze_count()
    assert held >= before + len(came)
    del came
    gc.collect()
    assert gc.get_freeze_count() == held
    freed_memory.give_back()
    assert gc.get_freeze_count() < held


@pytest.mark.parametrize("loaded", [False, True])
def test_the_model_is_passed_over_once_it_is_loaded(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the search that loads it, and by no other."""
    calls: list[str] = []
    monkeypatch.setattr(searches, "load_embedder", lambda _: SimpleNamespace(loaded=loaded))
    monkeypatch.setattr(searches, "search", lambda *_, **__: calls.append("search"))
    monkeypatch.setattr(searches, "leave_loaded_out", lambda: calls.append("left out"))
    monkeypatch.setattr(searches.st, "spinner", lambda *_: nullcontext())
    row: Any = SimpleNamespace(name="main", config=SimpleNamespace(embedding=SimpleNamespace(model="a model")))
    target: Any = None
    searches._searched(target, row, "query", SearchConfig(), {})
    assert calls == (["search"] if loaded else ["search", "left out", "search"])
