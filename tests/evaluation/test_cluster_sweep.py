"""A sweep in parts gives the runs and the report of a sweep in one process, whatever happens to its workers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest

from chunking.config import EmbeddingConfig
from chunking.errors import Cancelled, ChunkscopeError, ConfigError, ModelError, StoreError
from chunking.evaluation import EvaluationProgress, Sweep, SweepReport, Trials, run_sweep, sweep_report
from chunking.evaluation.sweep.sweep_result import sweep
from chunking.store import Workspace
from chunking.store.scratch_folder import TRIALS
from tests.support.cluster_builds import LoopEngine, use_engine
from tests.support.cluster_sweeps import HYBRID, PLANNED, TWO, check_equal, few_questions
from tests.support.facts import tells
from tests.support.plants import filled
from tests.support.store_rows import FakeEmbedder


def run(
    workspace: Workspace, planned: Sweep = PLANNED, embedder: FakeEmbedder | None = None, **options: Any
) -> SweepReport:
    """Run a sweep with the fake embedder; `engine="ray"` is what `use_engine` sets."""
    with Trials(workspace, embedder=embedder or FakeEmbedder()) as trials:
        return run_sweep(workspace, planned, few_questions(workspace), trials=trials, **options)


@pytest.mark.parametrize("minutes", [0.0, 60.0, 1e-9])
def test_runs_and_report_are_those_of_one_process(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: float
) -> None:
    """Also by halving; each text and question is embedded once, and nothing of the workers is left."""
    monkeypatch.setattr("chunking.evaluation.sweep.halving._SAMPLE", 2)
    engine, embedder, other = LoopEngine(seed=int(minutes)), FakeEmbedder(), filled(tmp_path / "other")
    use_engine(monkeypatch, engine)
    planned, reports = replace(TWO if minutes > 1 else PLANNED, minutes=minutes), list[EvaluationProgress]()
    ours = run(workspace, planned, embedder, engine="ray", on_progress=reports.append)
    check_equal(workspace, ours, other, run(other, planned))
    assert set(embedder.embedded_texts.values()) == {1}
    done = [one.done for one in reports]
    assert done == sorted(done)
    assert done[-1] > 0
    assert not list((tmp_path / "workspace" / TRIALS).iterdir())
    again = run(workspace, planned, engine="ray")
    assert (again.known, again.embedded) == (len(again.runs), 0) or minutes == 1e-9


@pytest.mark.parametrize("lost", ["list_texts", "embed_texts", "build_trial", "ask"])
def test_a_worker_that_always_dies_fails_its_configuration(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """With one sentence each; the others are measured, and the next sweep goes on with those that are missing."""

    def loses(name: str, part: str, arguments: tuple[Any, ...]) -> bool:
        config = arguments[0].config if name == "embed_texts" else arguments[0]
        return name == lost and (name == "embed_texts" or config.chunk.size == 64)

    use_engine(monkeypatch, LoopEngine(loses=loses))
    report = run(workspace, TWO, engine="ray")
    failed = {one.label for one in report.failed}
    assert failed == ({"size 48", "size 64"} if lost == "embed_texts" else {"size 64"})
    assert tells([one.error for one in report.failed], *["WorkerCrashedError"] * len(failed))
    assert len(report.runs) == 2 - len(failed)
    use_engine(monkeypatch, LoopEngine())
    again = run(workspace, TWO, engine="ray")
    assert (again.failed, again.known, len(again.runs)) == ((), len(report.runs), 2)


def test_an_error_of_one_configuration_leaves_the_others(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what one process says of it, after the machine that says it."""
    use_engine(monkeypatch, LoopEngine())

    def load(config: EmbeddingConfig) -> FakeEmbedder:
        if config.passage_prefix == "absent":
            raise ModelError("It is broken.")
        return FakeEmbedder()

    monkeypatch.setattr("chunking.embedding.load_embedder", load)
    planned = Sweep("model", "things", HYBRID, {"embedding.passage_prefix": ("none", "absent")})
    other = filled(tmp_path / "other")
    ours = run_sweep(workspace, planned, few_questions(workspace), engine="ray")
    theirs = run_sweep(other, planned, few_questions(other))
    assert [one.error for one in theirs.failed] == ["It is broken."]
    (failed,) = ours.failed
    assert failed.error.endswith("It is broken.")
    assert gethostname() in failed.error
    assert replace(ours, failed=theirs.failed, seconds=0.0) == replace(theirs, seconds=0.0)


def test_a_stop_keeps_what_is_finished(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and vectors; the next sweep goes on from there."""
    use_engine(monkeypatch, LoopEngine())
    embedder, reports = FakeEmbedder(), list[EvaluationProgress]()

    def cancelled() -> bool:
        return bool(reports) and reports[-1].done > 0

    with pytest.raises(Cancelled):
        run(workspace, TWO, embedder, engine="ray", on_progress=reports.append, cancelled=cancelled)
    kept = workspace.runs.names()
    assert len(kept) == 1
    assert sweep_report(workspace, TWO.name) is None
    report = run(workspace, TWO, embedder, engine="ray")
    assert (report.known, len(report.runs)) == (1, 2)
    assert set(embedder.embedded_texts.values()) == {1}


@pytest.mark.parametrize(
    ("settings", "options", "error"),
    [
        ({"embedding.mode": "late"}, {"engine": "ray"}, ConfigError),
        ({"strategy": "semantic"}, {"engine": "ray"}, ConfigError),
        ({"size": "64"}, {"workers": 2}, ConfigError),
        ({"size": "64"}, {"engine": "ray", "workers": 0}, ConfigError),
        ({"size": "64"}, {"engine": "spark"}, ConfigError),
    ],
)
def test_what_cannot_be_spread_is_refused(
    workspace: Workspace, settings: dict[str, str], options: dict[str, Any], error: type[ChunkscopeError]
) -> None:
    """Before Ray is started or anything is measured."""
    with pytest.raises(error):
        sweep(workspace, few_questions(workspace), tries=[settings], base=HYBRID, **options)
    assert not workspace.runs.names()


def test_a_workspace_in_no_folder_is_refused(workspace: Workspace) -> None:
    """Its documents and vectors are seen by one process only."""
    memory = Workspace.open("memory://")
    for document in workspace.read_documents(["north", "south"]):
        memory.put_document(document)
    with pytest.raises(StoreError):
        run(memory, engine="ray")
