"""Builds on Ray, with two workers on this machine, in one session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ModelError, StoreError
from chunking.indexing import IndexReport, index_files
from chunking.indexing.cluster.build_tasks import BuildJob, code_version
from chunking.indexing.cluster.ray_engine import RayEngine
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.store import Workspace
from chunking.store.index import vector_index
from chunking.store.index_run_file import IndexRunStatus, RunOutcome, index_run_of
from tests.support.cluster_builds import LEVELS, DyingEmbedder, tables
from tests.support.ray_processes import RAY_WARNINGS, ray_of_two_workers
from tests.support.store_rows import FakeEmbedder

pytestmark = RAY_WARNINGS
ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Return Ray with two workers, which all tests of the module use."""
    with ray_of_two_workers() as running:
        yield running


@pytest.fixture(scope="module")
def expected(embedded: tuple[Workspace, IndexReport]) -> dict[str, Any]:
    """Return the tables of the embedded engine."""
    return tables(embedded[0])


def is_same(workspace: Workspace, expected: dict[str, Any]) -> bool:
    """True if all tables are equal, bit for bit."""
    ours = tables(workspace)
    return ours.keys() == expected.keys() and all(rows.equals(expected[name]) for name, rows in ours.items())


def test_rows_of_ray_are_those_of_the_embedded_engine(
    ray: Any, files: Path, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An actor is killed while it embeds, and its part is embedded by the next; other processes see the stages.

    The search structures are built in segments, as those of a large table.
    """
    monkeypatch.setattr(vector_index, "_ROWS_PER_SEGMENT", 10)
    workspace, flag, runs = Workspace.open(tmp_path / "workspace"), tmp_path / "flag", list[str]()
    flag.touch()
    statuses: list[IndexRunStatus | None] = []
    report = index_files(
        workspace,
        files,
        LEVELS,
        engine="ray",
        embedder=DyingEmbedder(flag),
        workers=2,
        on_run=runs.append,
        on_progress=lambda _: statuses.append(index_run_of(workspace)),
    )
    assert {(one.engine, one.workers, one.counted) for one in statuses if one} == {("ray", 2, "parts")}
    over = index_run_of(workspace)
    assert over is not None
    assert over.outcome is RunOutcome.DONE
    assert not flag.exists()
    assert is_same(workspace, expected)
    assert (len(runs), len(report.failed)) == (1, 2)
    listed = workspace.index().on_table("listing indexes", lambda table: list(table.list_indices()))
    assert {one.num_segments for one in listed} == {2}


def test_it_listens_on_this_machine_only(ray: Any) -> None:
    """No port of Ray's processes is open to others, and nothing is reported to its makers."""
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {line[9]: line[1] for line in sockets if line[3] == "0A"}
    session = ray._private.worker._global_node.get_session_dir_path()
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or session.encode() not in _read(process / "cmdline"):
            continue
        for link in (process / "fd").glob("*"):
            target = os.readlink(link) if link.is_symlink() else ""
            address = listening.get(target[8:-1]) if target.startswith("socket:[") else None
            assert address is None or address.startswith("0100007F:"), address
    assert not (Path(session) / "usage_stats.json").exists()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _dies_at_three(job: Any, part: str, *_: Any) -> None:
    if part == "3":
        os._exit(9)


def test_a_worker_that_always_dies_is_reported(ray: Any) -> None:
    """After the retries, and the other parts are done."""
    engine = RayEngine(ray, 2, lambda: None)
    ended = dict(engine.each(None, _dies_at_three, {str(number): () for number in range(6)}))  # type: ignore[arg-type]
    assert {part for part, fault in ended.items() if fault} == {"3"}


def _lacks_a_package(job: Any, part: str, *_: Any) -> None:
    raise ModuleNotFoundError("No module named 'splitting_of_tomorrow'", name=part)


def test_a_worker_that_lacks_the_code_is_one_sentence(ray: Any) -> None:
    """A machine with another installation cannot even load a task."""
    with pytest.raises(StoreError) as refused:
        list(RayEngine(ray, 2, lambda: None).each(None, _lacks_a_package, {"1": ()}))  # type: ignore[arg-type]
    assert "splitting_of_tomorrow" in str(refused.value)


class OtherEmbedder(FakeEmbedder):
    """Embedder of a machine that computes in another precision than the first one."""

    key = "fake@1+bf16"


def test_an_actor_with_another_precision_is_one_sentence(ray: Any, tmp_path: Path) -> None:
    """And not an actor that died."""
    job = BuildJob(str(tmp_path), str(tmp_path), LEVELS, code_version(), OtherEmbedder(), model_key=FakeEmbedder.key)
    with pytest.raises(ModelError) as refused:
        list(RayEngine(ray, 2, lambda: None).embed(job, {"1": (("", ""), [])}))
    assert OtherEmbedder.key in str(refused.value)


DRIVER = """
import sys
from chunking.indexing import index_files
from chunking.store import Workspace
from tests.support.cluster_builds import LEVELS
from tests.support.store_rows import FakeEmbedder
workspace, files, address = sys.argv[1:]
index_files(Workspace.open(workspace), files, LEVELS, engine="ray", address=address, embedder=FakeEmbedder())
"""


def test_a_killed_driver_goes_on(ray: Any, files: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    """A process that is killed while its parts are split leaves them to the next, which does the others."""
    place = tmp_path / "workspace"
    address = ray.get_runtime_context().gcs_address
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(place), str(files), address], env=environment)
    try:
        while driver.poll() is None and not list(place.glob(".runs/*/cut/*.json")):
            time.sleep(0.05)
        assert driver.poll() is None
        driver.send_signal(signal.SIGKILL)
    finally:
        driver.kill()
        driver.wait()
    (run,) = RunFolder.unfinished(str(place))
    read = {path: path.stat().st_mtime_ns for path in Path(run.place).glob("parse/*.json")}
    later: dict[Path, int] = {}

    def look(_: Any) -> None:
        later.update({path: path.stat().st_mtime_ns for path in Path(run.place).glob("parse/*.json")})

    workspace = Workspace.open(place)
    index_files(workspace, files, None, engine="ray", resume=run.id, embedder=FakeEmbedder(), on_progress=look)
    assert later == read
    assert is_same(workspace, expected)
