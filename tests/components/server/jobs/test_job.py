"""Jobs of every kind: what is said of them while they run and when they end, and one of each kind at a time."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.indexing import IndexPhase
from chunking.worker import KINDS
from components.kit.wording import duration
from components.server.jobs import ESTIMATE, EVALUATE, INDEX, LIVE, PHASES, REVIEW, SWEEP, JobLimits, Jobs, ServerJob
from tests.pages.app_session import wait_until

_WAITS = """
import json, sys
task = json.loads(sys.stdin.readline())
print(json.dumps({"event": "plan", "total": 12}), flush=True)
print(json.dumps({"event": "progress", "done": 3, "total": 12, "message": "size 100", "seconds_left": 75}), flush=True)
sys.stdin.read()
print(json.dumps({"event": "done", "report": {"task": task}}), flush=True)
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A worker that tells how far it is, waits for its end, and then reports its task."""
    script = tmp_path / "worker.py"
    script.write_text(_WAITS)
    monkeypatch.setattr("components.server.jobs.worker_process._COMMAND", ("-I", str(script)))
    return script


def output(job: ServerJob, **event: object) -> ServerJob:
    """The job after one line of its worker."""
    job._take({"event": "progress", "done": 3, "total": 12, "message": "size 100"} | event)
    return job


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (INDEX, "Building “Mine”: size 100 · 3 of 12 chunks"),
        (SWEEP, "Comparing settings “Mine”: size 100 · 3 of 12 questions · about 1 min 15 s left"),
        (EVALUATE, "Measuring “Mine”: size 100 · 3 of 12 questions · about 1 min 15 s left"),
    ],
)
def test_each_kind_says_what_it_does(kind: str, line: str) -> None:
    """With what is counted, and the time left where the worker tells it."""
    left = {} if kind == INDEX else {"seconds_left": 75.0}
    assert output(ServerJob("Mine", Mock(), kind), **left).line == line


def test_kinds_are_those_of_the_worker() -> None:
    """The names are written in both: the pages do not load the worker."""
    assert {INDEX, SWEEP, EVALUATE, LIVE, ESTIMATE, REVIEW} == set(KINDS)


def test_a_worker_that_does_not_tell_the_time_any_more() -> None:
    """An old estimate does not stay."""
    assert "left" not in output(output(ServerJob("Mine", Mock(), SWEEP), seconds_left=9), seconds_left=None).line


def test_what_is_prepared_has_its_share_of_an_estimation() -> None:
    """The bar moves while documents are encoded, when no configuration is estimated yet."""
    job = output(
        ServerJob("", Mock(), ESTIMATE), done=0, total=200, message="Encoding faq.txt", share=0.2, seconds_left=30.0
    )
    assert job.progress.share == 0.2
    assert job.line == "Estimating: Encoding faq.txt · 0 of 200 configurations · about 30 s left"
    assert output(job).progress.share == 3 / 12


def test_after_the_last_chunk_the_steps_are_counted() -> None:
    """A full bar and "377 of 377 chunks" would stand there while the full-text index is made."""
    job = ServerJob("main", Mock(), INDEX)
    output(job, done=377, total=377, message="Finishing: something", step=2, steps=4)
    assert "step 2 of 4" in job.line
    assert "377" not in job.line
    assert 0.9 < job.share < 1
    assert "12" in output(job).line


def test_the_time_left_runs_down_from_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever starts it expects, then as the worker tells; a model that takes longer to load than expected has no
    time left to tell.
    """
    now = [100.0]
    monkeypatch.setattr("components.server.jobs.job.time", Mock(monotonic=lambda: now[0]))
    job = ServerJob("main", Mock(), seconds_left=8.0)
    first = job.progress
    now[0] = 103.0
    assert (first.share, first.seconds_left, job.progress.seconds_left) == (0.0, 8.0, 5.0)
    job._take({"event": "plan", "chunks": 12, "seconds_expected": 7.0})
    output(job, done=0, message="Loading the model", phase=str(IndexPhase.LOAD), seconds_left=6.5)
    now[0] = 105.0
    assert (job.progress.stage, job.progress.seconds_left) == (PHASES[IndexPhase.LOAD], 4.5)
    now[0] = 120.0
    assert (job.progress.seconds_left, job.progress.overdue) == (None, True)
    assert "left" not in job.line
    output(job, done=12, step=1, steps=3, phase=str(IndexPhase.FINISH))
    assert (job.progress.share, job.progress.seconds_left) == (0.9, None)
    job.cancel()
    assert job.progress.stage not in PHASES.values()


def test_loading_the_model_takes_no_time_from_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time left runs down by the estimate of the stage, and is then said to be over; "under a second" stays
    nowhere.
    """
    now = [100.0]
    monkeypatch.setattr("components.server.jobs.job.time", Mock(monotonic=lambda: now[0]))
    job = output(ServerJob("", Mock(), ESTIMATE), seconds_left=14.0, stage_seconds=6.0)
    now[0] += 4
    assert (job.progress.seconds_left, job.progress.overdue) == (10.0, False)
    now[0] += 15
    assert (job.progress.seconds_left, job.progress.overdue) == (8.0, True)
    assert duration(0.1) not in job.line
    assert not output(job, seconds_left=8.0).progress.overdue


@pytest.mark.parametrize("kind", [INDEX, SWEEP, EVALUATE, LIVE])
def test_one_of_each_kind_a_workspace(worker: Path, kind: str) -> None:
    """A second start gives the first one's job; other kinds and other workspaces run beside it, where there is room."""
    jobs = Jobs(JobLimits.chosen(jobs=5))
    job = jobs.start_job("here", kind, {"name": "a"})
    others = [jobs.start_job("here", other, {"name": "b"}) for other in (INDEX, SWEEP, EVALUATE, LIVE) if other != kind]
    elsewhere = jobs.start_job("there", kind, {"name": "c"})
    assert jobs.start_job("here", kind, {"name": "d"}) is job
    assert jobs.of("here", kind) is job
    assert len({id(one) for one in (job, *others, elsewhere)}) == 5
    for one in (job, *others, elsewhere):
        one.cancel()
        one.process.wait(60)


def test_the_task_is_reported_with_its_kind_and_workspace(worker: Path) -> None:
    """As the worker reads it."""
    jobs = Jobs()
    job = jobs.start_job("here", SWEEP, {"name": "Sizes"}, name="Sizes on Mine")
    assert job.name == "Sizes on Mine"
    job.cancel()
    job.process.wait(60)
    index = jobs.start("here", Config(), "main")
    index.cancel()
    index.process.wait(60)
    assert index.kind == INDEX


@pytest.mark.parametrize(
    ("kind", "said"), [(SWEEP, "The experiment"), (EVALUATE, "The measurement"), (INDEX, "The index run")]
)
def test_a_worker_that_dies_or_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, said: str
) -> None:
    """One sentence that names what failed, and what is kept."""
    script = tmp_path / "dies.py"
    script.write_text("raise SystemExit(1)")
    monkeypatch.setattr("components.server.jobs.worker_process._COMMAND", ("-I", str(script)))
    jobs = Jobs()
    job = jobs.start_job("here", kind, {})
    wait_until(lambda: not job.active)
    assert job.error is not None
    assert job.error.startswith(said)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ChunkscopeError, match=f"{said} could not be started"):
        jobs.start_job("elsewhere", kind, {})
