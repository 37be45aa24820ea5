"""The runs that pages show: those over the very questions, of the documents as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.evaluation import Trials, evaluate
from components.session.questions import run_state
from tests.support.plants import WORDS, fill, filled, questions_of
from tests.support.store_rows import FakeEmbedder


def test_only_runs_that_hold_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run over the same questions of other documents would mislead beside new ones."""
    workspace = filled(tmp_path / "workspace")
    monkeypatch.setattr(run_state, "workspace", lambda: workspace)
    questions = questions_of(workspace)
    assert run_state.runs_of(questions) == []
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        first = evaluate(workspace, questions, WORDS, trials=trials)
    assert run_state.runs_of(questions) == [first]
    assert run_state.runs_of(questions.only(["north-pump"])) == []
    fill(workspace, ["east"])
    assert run_state.runs_of(questions) == []
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        second = evaluate(workspace, questions, WORDS, trials=trials)
    assert run_state.runs_of(questions) == [second]
    assert {one.key for one in run_state.all_runs()} == {first.key, second.key}
