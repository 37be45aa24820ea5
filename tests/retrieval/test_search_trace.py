"""Stages of a search: what counts as their time."""

from __future__ import annotations

from itertools import count

import pytest

from chunking.retrieval import search_trace
from chunking.retrieval.search_trace import Trace


def test_loading_a_model_is_no_part_of_a_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that moves a second with each look: the stage takes three, of which loading is one."""
    seconds = count()
    monkeypatch.setattr(search_trace, "perf_counter", lambda: float(next(seconds)))
    trace = Trace()
    trace.timed("late_interaction", "rerank", lambda: trace.untimed(lambda: None), lambda _: 1)
    assert [stage.milliseconds for stage in trace.stages] == [2000.0]
