"""The last calls of agents: bounded, by workspace, and without a word of what was asked and answered."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from components.server.agents.call_log import CallLog, RecordedCall

CALL = RecordedCall("search", "done", 12.34, 800, 1.0, "w" * 16, "p" * 24, "t" * 16, "Claude")


def test_the_last_calls_are_kept_by_workspace() -> None:
    """So many of so many; those of one workspace are in no other."""
    calls = CallLog(per_workspace=3, workspaces=2)
    for number in range(5):
        calls.add("a", replace(CALL, tokens=number))
    calls.add("b", CALL)
    assert [one.tokens for one in calls.of("a")] == [4, 3, 2]
    assert (len(calls.of("b")), calls.of("c")) == (1, [])
    calls.add("c", CALL)
    assert (calls.of("a"), len(calls.of("b")), len(calls.of("c"))) == ([], 1, 1)


def test_each_call_is_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """With ids and numbers; not the name that somebody has given to a token."""
    with caplog.at_level(logging.INFO, "chunkscope"):
        CallLog().add("a", CALL)
    (record,) = caplog.records
    facts = vars(record)["facts"]
    assert (vars(record)["event"], facts["tool"], facts["ms"]) == ("agent call", "search", 12.3)
    assert {facts[name] for name in ("workspace", "person", "token")} == {CALL.workspace, CALL.person, CALL.token}
    assert "Claude" not in str(facts)
