"""A build on a cluster of three nodes, with the packaged model, that loses actors, a node and its driver."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pytest

from chunking.config import Config
from chunking.indexing import index_files
from chunking.indexing.cluster.ray_session import local_environment
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.store import Workspace
from tests.support.cluster_builds import tables
from tests.support.ray_processes import RAY_WARNINGS, reaped_processes

pytestmark = [
    *RAY_WARNINGS,
    pytest.mark.filterwarnings("ignore:lance is not fork-safe"),  # Ray's processes are forked, but run other programs
    pytest.mark.filterwarnings("ignore:lancedb fork support"),
]
ROOT = Path(__file__).parent.parent.parent.parent
SAMPLES = ("service-guides", "service-plans-zh", "faq/faq.txt", "api", "site-standard")
SETTINGS = {"size": "48", "overlap": "0"}
"""Small chunks: few texts, yet several partitions of them."""
LOOK = 0.02
STARTS = 3
PATIENCE = 400.0
T = TypeVar("T")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return a cluster of a head and two more nodes, of one processor each."""
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # sockets: short paths
    with reaped_processes(), pytest.MonkeyPatch.context() as patch, local_environment():
        from ray._private.authentication_test_utils import reset_auth_token_state
        from ray.cluster_utils import Cluster

        reset_auth_token_state()  # else the token of an earlier Ray of this process
        patch.setattr("ray._private.utils.write_ray_address", lambda *_: None)  # no other Ray shall find this one
        patch.setenv("PYTHONPATH", str(ROOT))
        node = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
        running = Cluster()
        try:
            add_node(running, **node, include_dashboard=False, temp_dir=folder)
            for _ in range(2):
                add_node(running, **node)
            yield running
        finally:
            running.shutdown()
            reset_auth_token_state()
            shutil.rmtree(folder, ignore_errors=True)


def add_node(cluster: Any, **options: Any) -> None:
    """Add a node, again if it was too slow: Ray gives it 30 seconds, whatever else the machine does."""
    for attempt in range(STARTS):
        try:
            cluster.add_node(**options)
            return
        except Exception:
            if attempt == STARTS - 1:
                raise


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder of samples."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in SAMPLES:
        place = ROOT / "sample_data" / name
        for path in place.iterdir() if place.is_dir() else [place]:
            if path.is_file():
                shutil.copy2(path, folder)
    return folder


def embedding(nodes: list[Any]) -> dict[int, Any]:
    """Return the processes that embed at present, with the node of each."""
    processes: dict[int, Any] = {}
    raylets = {one.process.pid: node for node in nodes for one in node.all_processes["raylet"]}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            is_embedding = b"EmbeddingWorker.embed" in (process / "cmdline").read_bytes()
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if is_embedding and parent in raylets:
            processes[int(process.name)] = raylets[parent]
    return processes


def soon(look: Callable[[], T], driver: subprocess.Popen[bytes]) -> T:
    """Return what a function finds, once it finds something; the driver goes on meanwhile."""
    began = time.monotonic()
    while not (result := look()):
        assert driver.poll() is None, "the driver has ended"
        assert time.monotonic() - began < PATIENCE
        time.sleep(LOOK)
    return result


def check_same_rows(workspace: Workspace, expected: Workspace) -> None:
    """Compare all tables: everything is equal but the vectors, whose cosine is nearly 1."""
    ours, theirs = tables(workspace), tables(expected)
    assert ours.keys() == theirs.keys()
    for name, rows in ours.items():
        others = theirs[name]
        for column in rows.column_names:
            if column == "vector":
                assert cosines(rows[column], others[column]).min() > 0.9999
            else:
                assert rows[column].equals(others[column]), (name, column)
    (ours_row,), (theirs_row,) = workspace.indexes(), expected.indexes()
    assert (ours_row.fingerprint, ours_row.chunks) == (theirs_row.fingerprint, theirs_row.chunks)


def cosines(some: pa.ChunkedArray, others: pa.ChunkedArray) -> np.ndarray:
    """Return the cosine of each two vectors; 1 for two of no length."""
    one, other = (np.array(column.to_pylist(), np.float32) for column in (some, others))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    products = (one * other).sum(axis=1)
    return np.where(lengths > 0, products / np.where(lengths > 0, lengths, 1), 1.0)


def test_rows_are_those_of_the_embedded_engine(cluster: Any, files: Path, tmp_path: Path) -> None:
    """Two actors, a node and the driver are killed; later each engine changes a document."""
    place, config = tmp_path / "ours", Config.from_settings(SETTINGS)
    arguments = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    command = [sys.executable, "-m", "chunking", "index", str(files), "--workspace", str(place), *arguments]
    command += ["--engine", "ray", "--address", cluster.address, "--workers", "3"]

    def done() -> int:
        return len(list(place.glob(".runs/*/embed/*.json")))

    driver = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        killed = set[int]()
        for _ in range(2):
            victim = min(soon(lambda: embedding(cluster.list_all_nodes()).keys() - killed, driver))
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
        lost = soon(lambda: list(embedding(list(cluster.worker_nodes)).values()), driver)[0]
        cluster.remove_node(lost, allow_graceful=False)
        before = done()
        soon(lambda: done() > before, driver)
    finally:
        driver.kill()
        driver.wait()
    (run,) = RunFolder.unfinished(str(place))
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    assert not Path(run.place).exists()

    ours, theirs = Workspace.open(place), Workspace.open(tmp_path / "theirs")
    index_files(theirs, files, config)
    check_same_rows(ours, theirs)

    (files / "faq.txt").write_text("An osprey dives for fish.")
    for workspace in (ours, theirs):
        index_files(workspace, files, config)
    (files / "rest-api-reference.md").write_text("# Finches\n\nThe finch is small and sings.\n")
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    index_files(theirs, files, config)
    check_same_rows(Workspace.open(place), theirs)
