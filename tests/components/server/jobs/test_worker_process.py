"""The process of a job: how many threads it may start, what it and its children take, and its end by force."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from components.server.jobs import JobLimits, Weight, job_limits
from components.server.jobs.job_kinds import INDEX, KINDS
from components.server.jobs.worker_process import _THREADS, _listed, end_tree, resident, start_worker, tree_of
from tests.pages.app_session import wait_until

_PARENT = """
import os, subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-c", "import sys; held = b'x' * 60_000_000; print('held', flush=True); sys.stdin.read()"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
threads = os.environ.get("OMP_NUM_THREADS"), os.environ.get("RAYON_NUM_THREADS")
print(*threads, os.getpriority(os.PRIO_PROCESS, 0), child.pid, flush=True)
sys.stdin.read()
"""


def test_it_steps_back_is_measured_with_its_children_and_ended_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker: threads, niceness, a process group of its own, the bytes of its child, and no orphan."""
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    monkeypatch.setattr("components.server.jobs.worker_process._COMMAND", ("-I", str(script)))
    monkeypatch.setattr("components.server.jobs.worker_process.processors", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    with start_worker(KINDS[INDEX], 3) as process:
        assert process.stdout is not None
        omp, rayon, nice, child = map(int, process.stdout.readline().split())
        assert (omp, rayon) == (1, 3)
        assert nice == min(19, os.getpriority(os.PRIO_PROCESS, 0) + KINDS[INDEX].nice)
        assert os.getpgid(process.pid) == process.pid
        oom = Path("/proc", str(process.pid), "oom_score_adj")
        assert not oom.exists() or int(oom.read_text()) == min(
            1000, int(Path("/proc/self/oom_score_adj").read_text()) + 800
        )
        assert tree_of(process.pid) == [process.pid, child]
        assert resident([process.pid])[process.pid] > resident([child])[child] > 60_000_000
        listed = _listed()
        assert not listed or listed[child].parent == process.pid
        end_tree(process)
    assert process.returncode < 0
    wait_until(lambda: resident([child]).get(child, 0) == 0)


def test_one_that_may_use_all_processors_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries know better, such as that two threads of a core are one."""
    monkeypatch.setattr("components.server.jobs.worker_process.processors", lambda: 4)
    arguments: list[dict[str, str]] = []

    def popen(*words: object, env: dict[str, str], **more: object) -> object:
        arguments.append(env)
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(subprocess, "Popen", popen)
    for name in _THREADS:
        monkeypatch.delenv(name, raising=False)
    for threads in (4, 2):
        with pytest.raises(Exception, match="could not be started"):
            start_worker(KINDS[INDEX], threads)
    assert [{env.get(name) for name in _THREADS} for env in arguments] == [{None}, {"2"}]


@pytest.mark.parametrize(
    ("quota", "memory", "processors", "bytes_"),
    [
        ("max 100000", "max", 8, 64 << 30),
        ("150000 100000", str(3 << 30), 1, 3 << 30),
        ("400000 100000", str(99 << 30), 4, 64 << 30),
    ],
)
def test_what_the_machine_has_is_what_its_container_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, memory: str, processors: int, bytes_: int
) -> None:
    """The smaller of both; without a container, the machine's own."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(8), raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 16 << 20, "SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr(job_limits, "_CGROUP", tmp_path / "nowhere")
    assert (job_limits.processors(), JobLimits().memory) == (8, 32 << 30)
    monkeypatch.setattr(job_limits, "_CGROUP", tmp_path)
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    (tmp_path / "memory.max").write_text(f"{memory}\n")
    assert job_limits.processors() == processors
    limits = JobLimits()
    assert limits.at_once == dict.fromkeys(Weight, max(2, processors // 2))
    assert limits.threads == processors
    assert limits.memory == max(2 << 30, bytes_ // 2)
    assert limits.memory_together == max(2 << 30, bytes_ * 3 // 4)
    assert JobLimits.chosen(gigabytes=100).memory_together == 100_000_000_000


def test_a_unit_of_systemd_has_limits_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand in a folder below that of the machine; the least of all above it holds."""
    unit = tmp_path / "system.slice" / "chunkscope.service"
    unit.mkdir(parents=True)
    (unit / "memory.max").write_text("4000000000")
    (unit.parent / "memory.max").write_text("max")
    (tmp_path / "own").write_text("1:memory:/elsewhere\n0::/system.slice/chunkscope.service\n")
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 16 << 20, "SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr(job_limits, "_CGROUP", tmp_path)
    monkeypatch.setattr(job_limits, "_OWN_CGROUP", tmp_path / "own")
    assert JobLimits().memory_together == 3_000_000_000
    (unit.parent / "memory.max").write_text("3000000000")
    assert JobLimits().memory_together == 2_250_000_000
