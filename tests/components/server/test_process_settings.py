"""One person's run keeps the others waiting only briefly."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from chunking.config import SearchConfig
from components.search import searches
from components.server import process_settings


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
    process_settings.shorten_waits()
    assert sys.getswitchinterval() < turn
    assert gc.get_threshold()[0] > threshold[0]


class Model:
    """As models do, it holds itself in a circle, which only a collection takes apart."""

    def __init__(self) -> None:
        self.layers = [self]


def test_what_is_there_is_passed_over_and_nothing_stays_for_ever() -> None:
    """A model that was put away goes when the next one has been loaded, or when nobody is there any more."""
    gc.unfreeze()
    process_settings.exclude_new_objects()
    assert gc.get_freeze_count() == 0
    process_settings.exclude_objects()
    for look_again in (process_settings.exclude_new_objects, process_settings.release_memory):
        model = Model()
        gone = ref(model)
        process_settings.exclude_new_objects()
        del model
        gc.collect()
        assert gone() is not None
        look_again()
        assert gone() is None


@pytest.mark.parametrize("loaded", [False, True])
def test_the_model_is_passed_over_once_it_is_loaded(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the search that loads it, and by no other."""
    calls: list[str] = []
    monkeypatch.setattr(searches, "load_embedder", lambda _: SimpleNamespace(loaded=loaded))
    monkeypatch.setattr(searches, "search", lambda *_, **__: calls.append("search"))
    monkeypatch.setattr(searches, "exclude_new_objects", lambda: calls.append("left out"))
    monkeypatch.setattr(searches.st, "spinner", lambda *_: nullcontext())
    row: Any = SimpleNamespace(name="main", config=SimpleNamespace(embedding=SimpleNamespace(model="a model")))
    target: Any = None
    searches._searched(target, row, "query", SearchConfig(), {})
    assert calls == (["search"] if loaded else ["search", "left out"])
