"""Worker processes: started at low priority, measured with their children, and killed."""

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
"""Variables from which torch, numpy, the tokenizers and Lance read their number of threads."""
_PROC = Path("/proc")
_OOM, _FIRST, _MOST = "oom_score_adj", 800, 1000
"""If memory runs out, the kernel kills the process with the highest score; 1000 is the maximum."""
_PPID, _RSS = 1, 21
"""Positions in /proc/PID/stat after the name, which is in brackets and may hold anything: parent, resident pages."""


class _Process(NamedTuple):
    parent: int
    resident: int
    """Bytes."""


def start_worker(kind: JobKind, threads: int) -> subprocess.Popen[str]:
    """Start a worker process at low priority; it reads its task from its standard input.

    It can import this library from any folder. It has its own process group, so that Ctrl+C in the server's terminal
    does not reach it; it ends when its input is closed. A session of its own would not do: Linux weighs niceness only
    within a session.

    Args:
        threads: most threads for computing; if that is all processors, the libraries choose. A lower number in the
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
    """Lower a process's CPU and disk priority, and make it the first to be killed if memory runs out.

    Threads and processes that it starts later inherit both.
    """
    with suppress(OSError, ValueError):  # no Linux, it has ended already, or not permitted
        score = int((_PROC / "self" / _OOM).read_text(encoding="ascii"))
        (_PROC / str(pid) / _OOM).write_text(str(min(_MOST, score + _FIRST)), encoding="ascii")
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + nice)


def resident(pids: Iterable[int]) -> dict[int, int]:
    """Return the resident bytes of each process with its descendants, by its id.

    Ended processes are left out; empty if the system reports none. Memory is measured, not limited by the system: torch
    maps far more address space than it uses.
    """
    table = _processes()
    return {pid: sum(table[one].resident for one in _below(table, pid)) for pid in pids if pid in table}


def tree_of(pid: int) -> list[int]:
    """Return a process id and those of all its descendants, itself first; alone if it ended."""
    table = _processes()
    return _below(table, pid) if pid in table else [pid]


def end_tree(process: subprocess.Popen[str]) -> None:
    """Kill a worker and its descendants without warning; the workspace survives that."""
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
    """Return all visible processes by id, read from /proc or else from `ps`."""
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
    """Call a function that reads a worker to its end, in a new daemon thread."""
    threading.Thread(target=read, daemon=True).start()


@dataclass(frozen=True, slots=True)
class JobProcesses:
    """Functions that start, read, measure and kill workers, and their clock; tests replace them."""

    launch: Callable[[JobKind, int], subprocess.Popen[str]] = start_worker
    """Starts a worker of a kind with a number of threads."""
    follow: Callable[[Callable[[], None]], object] = follow_in_thread
    """Reads a worker to its end in another thread."""
    clock: Callable[[], float] = time.monotonic
    """Returns seconds."""
    sizes: Callable[[Iterable[int]], Mapping[int, int]] = resident
    """Returns resident bytes by process id."""
    end: Callable[[subprocess.Popen[str]], None] = end_tree
    """Kills a worker."""
