"""The file with the progress of an index run: of a live process, of a killed one, and torn or hostile."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from chunking.errors import AccessError
from chunking.store import Role, RoleAccess, Workspace
from chunking.store.index_run_file import (
    IndexRunFile,
    IndexRunStatus,
    RunOrigin,
    RunOutcome,
    ask_to_stop,
    index_run_of,
)
from tests.support.index_runs import run_in_another_process

STATUS = IndexRunStatus("0" * 32, "main", RunOrigin.TERMINAL, done=3, total=7)


def test_a_run_is_seen_by_other_processes_until_it_is_over(tmp_path: Path) -> None:
    """Its engine, counts and end; a run that is over is not asked to stop."""
    workspace = Workspace.open(tmp_path)
    assert index_run_of(workspace) is None
    with run_in_another_process(tmp_path, engine="ray", workers=2) as (_, report):
        report(done=3, total=8, counted="parts", seconds_left=4.5)
        status = index_run_of(workspace)
        assert status is not None
        assert (status.origin, status.engine, status.workers) == (RunOrigin.TERMINAL, "ray", 2)
        assert (status.done, status.total, status.counted, status.seconds_left) == (3, 8, "parts", 4.5)
        assert (status.outcome, status.stopping) == (None, False)
        ask_to_stop(workspace, status.id)
        stopping = index_run_of(workspace)
        assert stopping is not None
        assert stopping.stopping
    over = index_run_of(workspace)
    assert over is not None
    assert (over.id, over.outcome, over.stopping) == (status.id, RunOutcome.DONE, False)


def test_a_killed_run_is_told_from_one_at_work(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    with run_in_another_process(tmp_path) as (process, _):
        process.kill()
        process.wait()
        status = index_run_of(workspace)
    assert status is not None
    assert status.outcome is RunOutcome.KILLED


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"id": "00',
        b"\xff\xfe",
        b"null",
        b"[" * 10_000,
        json.dumps({**asdict(STATUS), "name": "x" * 20_000}).encode(),
        json.dumps({**asdict(STATUS), "seconds_left": float("nan")}).encode(),
        json.dumps({**asdict(STATUS), "total": -1}).encode(),
        json.dumps({**asdict(STATUS), "id": "../../etc"}).encode(),
        json.dumps({**asdict(STATUS), "engine": "other"}).encode(),
    ],
    ids=["empty", "torn", "bytes", "null", "deep", "long", "nan", "negative", "id", "engine"],
)
def test_a_file_that_no_run_wrote_is_none(tmp_path: Path, content: bytes) -> None:
    with IndexRunFile(tmp_path).hold():
        (tmp_path / "locks" / "index-run.json").write_bytes(content)
        assert IndexRunFile(tmp_path).read() is None


def test_any_name_of_a_file_can_be_written(tmp_path: Path) -> None:
    """Half a surrogate pair, as Python reads names that are no text, and one over the maximum."""
    file = IndexRunFile(tmp_path)
    with file.hold():
        file.write(IndexRunStatus("0" * 32, "\udc80" + "x" * 400, RunOrigin.PROGRAM, message="\x00\n"))
        status = file.read()
    assert status is not None
    assert status.name == "?" + "x" * 299
    assert [path.name for path in (tmp_path / "locks").iterdir() if "#" in path.name] == []


def test_who_may_only_read_stops_nothing(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    viewer = workspace.seen_by(RoleAccess(Role.VIEWER))
    with run_in_another_process(tmp_path):
        status = index_run_of(viewer)
        assert status is not None
        with pytest.raises(AccessError):
            ask_to_stop(viewer, status.id)
    assert not (tmp_path / "locks" / "index-run.stop").exists()
