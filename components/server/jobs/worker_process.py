"""The process of a job: started at low priority, measured with all that it starts, and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chunking.errors import ChunkscopeError
from chunking.paths import LIBRARY
from components.server.jobs.job_kinds import JobKind
from components.server.jobs.job_limits import processors

__all__ = ["JobProcesses", "end_tree", "resident", "start_worker", "tree_of"]

_COMMAND = ("-P", "-m", "chunking.worker")
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "LANCE_CPU_THREADS")
"""What torch, numpy, the tokenizers and Lance ask how many threads they may start."""
_PROC = Path("/proc")
_OOM, _FIRST, _MOST = "oom_score_adj", 800, 1000
"""Where memory runs out, the kernel ends the process with the highest score; 1000 is the most that can be said."""
_PPID, _RSS = 1, 21
"""Places in /proc/PID/stat after the name, which is in brackets and may hold anything: parent, resident pages."""


class _Process(NamedTuple):
    parent: int
    resident: int
    """Bytes."""


def start_worker(kind: JobKind, threads: int) -> subprocess.Popen[str]:
    """A worker that finds this library wherever the app was started from.

    It has a process group of its own, so that Ctrl+C in the server's terminal does not reach it: it ends when its input
    does.
    A session of its own would not do: Linux weighs niceness only within one.

    Args:
        threads: for what it computes; where that is all there are, the libraries choose. A lower number in the
            environment stays.
    Raises:
        ChunkscopeError: no process can be started.
    """
    paths = [str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        process = subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **_threads(threads), "PYTHONPATH": os.pathsep.join(paths)},
            process_group=0 if os.name == "posix" else None,
        )
    except OSError as error:
        message = (
            f"The {kind.noun} could not be started ({error.strerror}); close other programs or restart the app, "
            f"then try again."
        )
        raise ChunkscopeError(message) from error
    _step_back(process.pid, kind.nice)
    return process


def _threads(most: int) -> dict[str, str]:
    if most >= processors():
        return {}
    inherited = {name: os.environ.get(name, "") for name in _THREADS}
    return {
        name: str(min(most, int(value)) if value.isdigit() and int(value) else most)
        for name, value in inherited.items()
    }


def _step_back(pid: int, nice: int) -> None:
    """Lower its priority, for the disk too, and let it be ended before the server where memory runs out; threads and
    processes that it starts later have the same."""
    with suppress(OSError, ValueError):  # no Linux, it has ended already, or the system does not let it
        score = int((_PROC / "self" / _OOM).read_text(encoding="ascii"))
        (_PROC / str(pid) / _OOM).write_text(str(min(_MOST, score + _FIRST)), encoding="ascii")
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + nice)


def resident(pids: Iterable[int]) -> dict[int, int]:
    """Resident bytes of some processes, each with all that it has started; empty where the system does not tell.

    Measured, not limited by the system: a limit of address space would stop torch, which maps far more than it uses.
    """
    table = _processes()
    return {pid: sum(table[one].resident for one in _below(table, pid)) for pid in pids if pid in table}


def tree_of(pid: int) -> list[int]:
    """A process and all that it has started, itself first."""
    table = _processes()
    return _below(table, pid) if pid in table else [pid]


def end_tree(process: subprocess.Popen[str]) -> None:
    """End a worker that has no time to clean up, and all that it has started; the workspace stands that."""
    for pid in reversed(tree_of(process.pid)):
        if pid != process.pid:
            with suppress(OSError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.kill()


def _below(table: Mapping[int, _Process], pid: int) -> list[int]:
    pids = [pid]
    for parent in pids:  # grows meanwhile
        pids += [one for one, process in table.items() if process.parent == parent]
    return pids


def _processes() -> dict[int, _Process]:
    """Every process of the system that can be seen: from /proc, else from `ps`."""
    if not _PROC.is_dir():
        return _listed()
    page, processes = os.sysconf("SC_PAGE_SIZE"), {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                processes[int(folder.name)] = _Process(int(fields[_PPID]), int(fields[_RSS]) * page)
    return processes


def _listed() -> dict[int, _Process]:
    try:
        output = subprocess.run(["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    rows = (line.split() for line in output.splitlines())
    return {int(pid): _Process(int(parent), 1024 * int(size)) for pid, parent, size in rows}


def follow_in_thread(read: Callable[[], None]) -> None:
    """Read a worker to its end in a thread of its own."""
    threading.Thread(target=read, daemon=True).start()


@dataclass(frozen=True, slots=True)
class JobProcesses:
    """The processes of jobs and the clock they are measured by; tests replace them."""

    launch: Callable[[JobKind, int], subprocess.Popen[str]] = start_worker
    """Starts a worker of a kind with some threads."""
    follow: Callable[[Callable[[], None]], object] = follow_in_thread
    """Reads a worker to its end, apart from this thread."""
    clock: Callable[[], float] = time.monotonic
    """Seconds."""
    sizes: Callable[[Iterable[int]], Mapping[int, int]] = resident
    """Resident bytes by process id."""
    end: Callable[[subprocess.Popen[str]], None] = end_tree
    """Ends a worker by force."""
