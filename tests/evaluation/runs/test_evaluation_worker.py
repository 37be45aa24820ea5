"""Sweeps and measurements as jobs in processes of their own: told, stopped, killed, two at once."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from chunking.evaluation import EvaluationRun, Sweep, save_set, save_sweep, split, sweep_report
from chunking.store import Workspace
from chunking.worker import EXIT_CODES
from tests.support.plants import ASKED, WORDS, filled, questions_of
from tests.support.store_rows import FakeEmbedder
from tests.support.worker_process import Worker, finish_here, run_here

MODULE = "tests.support.evaluation_worker"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With questions and a sweep of three configurations, two of which share an index; to be copied."""
    workspace = filled(tmp_path_factory.mktemp("evaluation") / "workspace")
    save_set(workspace, split(questions_of(workspace), holdout=0.25))
    tries = ({"size": "90"}, {"search.granularity_weight": "1.0"}, {})
    save_sweep(workspace, Sweep("first", "things", WORDS, tries=tries))
    save_sweep(workspace, Sweep("second", "things", WORDS, tries=({"size": "100"}, {"size": "90"})))
    return Path(workspace.uri)


@pytest.fixture
def workspace(prepared: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(shutil.copytree(prepared, tmp_path / "workspace"))


@pytest.fixture
def _fake_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """For jobs in this process; the others have it by their module."""
    embedder = FakeEmbedder()
    monkeypatch.setattr("chunking.embedding.load_embedder", lambda config: embedder)


def task(workspace: Workspace, **values: Any) -> str:
    return json.dumps({"workspace": workspace.uri} | values) + "\n"


def runs(workspace: Workspace) -> list[EvaluationRun]:
    return [EvaluationRun.from_json(text) for text in Workspace.open(workspace.uri).runs.all().values()]


def left(workspace: Workspace) -> list[str]:
    """Of trials."""
    return [path.name for path in (Path(workspace.uri) / ".trials").iterdir()]


@pytest.mark.usefixtures("_fake_model")
def test_a_sweep_is_reported(workspace: Workspace) -> None:
    """What will be done, how far it is and how long it will take, at last the report; the runs are there."""
    events, code = run_here(task(workspace, kind="sweep", name="first"))
    assert code == EXIT_CODES["done"]
    count = len(runs(workspace)[0].answered)
    assert events[0] == {"event": "plan", "total": 3 * count, "questions": count, "configurations": 3}
    progress = events[1:-1]
    assert {"event", "done", "total", "message", "seconds_left", "share", "stage_seconds"} == set(progress[0])
    assert [event["done"] for event in progress] == sorted(event["done"] for event in progress)
    assert (progress[0]["seconds_left"], progress[-1]["done"], progress[-1]["seconds_left"]) == (None, 3 * count, 0.0)
    report = sweep_report(workspace, "first")
    assert report is not None
    assert events[-1] == {"event": "done", "report": report.as_record()}
    assert {run.key for run in runs(workspace)} == set(report.runs)
    assert left(workspace) == []


@pytest.mark.usefixtures("_fake_model")
def test_a_worker_receives_settings_and_questions_in_full(workspace: Workspace) -> None:
    """With all settings as YAML, prompts too; only the questions of the part are asked."""
    config = WORDS.from_settings({"enrich.summary_prompt": "Sum up: {text}", "category.doc.size": "80"}, WORDS)
    job = {"kind": "evaluate", "config": config.to_yaml(), "question_set": "things", "part": "holdout", "n": 3}
    last, code = finish_here(task(workspace, **job))
    assert (last["event"], code) == ("done", 0)
    (run,) = runs(workspace)
    assert (run.config, run.n, run.key) == (config, 3, last["report"]["run"])
    assert len(run.answered) == last["report"]["questions"] < len(ASKED)


@pytest.mark.usefixtures("_fake_model")
def test_killed_midway_it_goes_on(workspace: Workspace) -> None:
    """Kill -9: the finished runs are kept, the next sweep looks them up, and clears away what the dead one left."""
    worker = Worker(task(workspace, kind="sweep", name="first"), "Granularity weight 1.0: Building", module=MODULE)
    worker.until("Granularity weight 1.0: Building")
    worker.process.kill()
    assert worker.close() == -signal.SIGKILL
    assert [run.config.chunk.size for run in runs(workspace)] == [90]
    assert left(workspace)
    last, code = finish_here(task(workspace, kind="sweep", name="first"))
    assert (last["event"], code) == ("done", 0)
    assert (last["report"]["known"], len(last["report"]["runs"])) == (1, 3)
    assert left(workspace) == []


def test_a_worker_stops_at_the_end_of_its_input(workspace: Workspace) -> None:
    """At the end of its input, between two questions."""
    worker = Worker(task(workspace, kind="sweep", name="first"), "Granularity weight 1.0: Asking", module=MODULE)
    worker.until("Granularity weight 1.0: Asking")
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    last, code = worker.end()
    assert (last["event"], code) == ("cancelled", EXIT_CODES["cancelled"])
    assert [run.config.chunk.size for run in runs(workspace)] == [90]
    assert left(workspace) == []


def test_two_sweeps_run_side_by_side_in_two_processes(workspace: Workspace) -> None:
    """In two processes, with a configuration in common, while a third program holds the workspace's lock: both end
    well.
    """
    with workspace.writer():
        workers = [Worker(task(workspace, kind="sweep", name=name), module=MODULE) for name in ("first", "second")]
        ends = [worker.end() for worker in workers]
    assert [(last["event"], code) for last, code in ends] == [("done", 0)] * 2
    keys = [set(last["report"]["runs"]) for last, _ in ends]
    assert [len(some) for some in keys] == [3, 2]
    assert len(keys[0] & keys[1]) == 1
    assert {run.key for run in runs(workspace)} == keys[0] | keys[1]
    assert left(workspace) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "dance"}, "no kind of job 'dance'; the kinds are index, evaluate"),
        ({"kind": "sweep", "name": "third"}, "no experiment 'third'"),
        ({"kind": "evaluate", "question_set": "others"}, "no question set 'others'"),
        ({"kind": "evaluate", "question_set": "things", "part": "half"}, "one line of JSON"),
        ({"kind": "evaluate", "question_set": "things", "n": "many"}, "one line of JSON"),
        ({"kind": "evaluate", "question_set": "things", "config": "size: ["}, "not valid YAML"),
    ],
)
def test_a_bad_task_is_reported(workspace: Workspace, values: dict[str, Any], words: str) -> None:
    """As an event like any other."""
    last, code = finish_here(task(workspace, **values))
    assert (last["event"], code) == ("failed", EXIT_CODES["failed"])
    assert words in last["error"]
