"""Limits of jobs: number at once, time, memory and disk, and the watch that enforces them."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from chunking.display import GIGABYTE
from chunking.errors import StoreError
from components.kit.wording import duration
from components.server.jobs.job import ServerJob
from components.server.jobs.job_kinds import KINDS, Weight

__all__ = ["MOST_AT_ONCE", "PATIENCE", "JobLimits", "LimitWatch", "machine_memory", "processors"]

MOST_AT_ONCE = 8
"""Most jobs of a weight at once, however many processors: each loads its own model."""
LEAST_AT_ONCE = 2
MOST_WAITING = 20
"""Most jobs of one person in the queue."""
LEAST_MEMORY = 2 << 30
"""Lowest default memory limit in bytes: the model and its libraries use most of a gigabyte."""
_CGROUP = Path("/sys/fs/cgroup")
_OWN_CGROUP, _UNIFIED = Path("/proc/self/cgroup"), "0::/"

PATIENCE = 120.0
"""Seconds that a stopped job has to end: a batch, or a server's answer, takes that long at most."""
_EVERY = 2.0
"""Seconds between two checks."""
_HOUR = 3600.0


def _cgroups() -> list[Path]:
    """Return the control groups of this process: a container's, or a systemd unit's with its parents."""
    own = _CGROUP
    with suppress(OSError, ValueError):  # no Linux, or none of version 2
        lines = _OWN_CGROUP.read_text(encoding="utf-8").splitlines()
        own = _CGROUP / next((line.removeprefix(_UNIFIED) for line in lines if line.startswith(_UNIFIED)), "")
    return [one for one in (own, *own.parents) if one.is_relative_to(_CGROUP)]


def processors() -> int:
    """Return the processors this process may use, by affinity and container quota; at least 1."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for group in _cgroups():
        with suppress(OSError, ValueError):  # no quota: "max"
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
            mine = min(mine, max(1, int(quota) // int(period)))
    return max(1, mine)


def machine_memory() -> int:
    """Return the bytes of memory of this machine or its container; 0 if unknown."""
    total = 0
    with suppress(OSError, ValueError, AttributeError):  # AttributeError: Windows has no sysconf
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for group in _cgroups():
        with suppress(OSError, ValueError):
            total = min(total, int((group / "memory.max").read_text(encoding="ascii")))
    return total


def _at_once() -> Mapping[Weight, int]:
    return dict.fromkeys(Weight, min(max(LEAST_AT_ONCE, processors() // 2), MOST_AT_ONCE))


def _memory() -> int:
    total = machine_memory()
    return max(LEAST_MEMORY, total // 2) if total else 0


def _memory_together() -> int:
    total = machine_memory()
    return max(LEAST_MEMORY, total * 3 // 4) if total else 0


@dataclass(frozen=True, slots=True)
class JobLimits:
    """Limits of each job and of all jobs together; the defaults derive from the machine."""

    at_once: Mapping[Weight, int] = field(default_factory=_at_once)
    """Jobs of each weight that run at once: half of the processors, 2 to 8."""
    threads: int = field(default_factory=processors)
    """Threads of a job that runs alone; concurrent jobs share them."""
    memory: int = field(default_factory=_memory)
    """Resident bytes of a job's processes together: half of the machine's; 0: no limit."""
    memory_together: int = field(default_factory=_memory_together)
    """Resident bytes of all jobs: three quarters of the machine's, as the server needs some; 0: no limit."""
    hours: float = 0.0
    """Hours from a job's start; 0: the limit of its kind, see job_kinds.py."""
    waiting: int = MOST_WAITING
    """Most waiting jobs of one person."""
    shared: bool = False
    """True if several people use the server: the last free slot of a weight is reserved for somebody without a running
    job of it, see `JobQueue`."""

    @classmethod
    def chosen(
        cls,
        *,
        jobs: int = 0,
        threads: int = 0,
        gigabytes: float = 0.0,
        hours: float = 0.0,
        waiting: int = 0,
        shared: bool = False,
    ) -> JobLimits:
        """Return the operator's limits; 0 means the default for this machine.

        >>> limits = JobLimits.chosen(jobs=3, gigabytes=1.5, hours=2)
        >>> limits.at_once[Weight.LIGHT], limits.memory, limits.hours, limits.waiting
        (3, 1500000000, 2, 20)
        """
        machine = cls()
        at_once = dict.fromkeys(Weight, jobs) if jobs else machine.at_once
        memory = round(gigabytes * GIGABYTE) or machine.memory
        together = max(memory, machine.memory_together)
        return cls(at_once, threads or machine.threads, memory, together, hours, waiting or machine.waiting, shared)

    def threads_beside(self, running: int) -> int:
        """Return the threads of a job that starts: an equal share, at least one.

        Args:
            running: jobs of its weight that run then, itself included.

        >>> [JobLimits(threads=8).threads_beside(running) for running in (1, 2, 3, 20)]
        [8, 4, 2, 1]
        """
        return max(1, self.threads // max(1, running))


class LimitWatch:
    """Thread that stops jobs over their limits: a check every two seconds while any job runs.

    `begin` starts it. A job over its time, or the newest on a full disk, is asked to stop; one over the memory limit or
    slow to stop is killed.

    Args:
        running: returns the jobs with a process.
        limits: limits of each job and of all together.
        lock: the registry's lock: no job starts between the last check and the end of the thread.
        clock: seconds, by the clock of `ServerJob.began`.
        sizes: resident bytes of process trees, by process id.
        end: kills a worker.
        shortage: returns the middle of a sentence if the disk is too full; else an empty string.
    """

    def __init__(
        self,
        running: Callable[[], list[ServerJob]],
        limits: JobLimits,
        lock: AbstractContextManager[object],
        *,
        clock: Callable[[], float],
        sizes: Callable[[Iterable[int]], Mapping[int, int]],
        end: Callable[[subprocess.Popen[str]], None],
        shortage: Callable[[], str],
    ) -> None:
        self._running, self._limits, self._lock = running, limits, lock
        self._clock, self._sizes, self._end, self._shortage = clock, sizes, end, shortage
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start the checking thread unless it runs; hold the lock, with a job's process running."""
        if self._thread is None:
            thread = threading.Thread(target=self._keep_checking, name="job-limits", daemon=True)
            thread.start()
            self._thread = thread

    def check(self) -> int:
        """Stop or kill the jobs over a limit, once; return the number of running jobs."""
        running = self._running()
        _enforce(running, self._limits, self._clock(), self._sizes, self._end, self._short() if running else "")
        return len(running)

    def _keep_checking(self) -> None:
        while True:
            time.sleep(_EVERY)
            with self._lock:
                if not self._running():
                    self._thread = None
                    return
            try:
                self.check()
            except Exception:  # the next check enforces the limits
                logging.getLogger(__name__).exception("The usage of running jobs could not be checked.")

    def _short(self) -> str:
        """Return the disk's shortage; empty if it cannot be read, as the other limits still hold."""
        try:
            return self._shortage()
        except StoreError as error:
            logging.getLogger(__name__).warning("Free disk space could not be checked while jobs run. %s", error)
            return ""


def _enforce(
    jobs: Sequence[ServerJob],
    limits: JobLimits,
    now: float,
    sizes: Callable[[Iterable[int]], Mapping[int, int]],
    end: Callable[[subprocess.Popen[str]], None],
    shortage: str = "",
) -> None:
    """Stop jobs over their time, and kill those over the memory limit or slow to stop.

    If the disk is too full, jobs are stopped one after the other, the newest first, until it is not: the free space
    lets the others finish. If all together use too much memory, the one started last is killed, since the others have
    done more of their work; the next check kills another if needed.

    Args:
        jobs: the running ones.
        now: seconds, by the clock of `ServerJob.began`.
        sizes: resident bytes of process trees, by process id.
        end: kills a worker.
        shortage: middle of a sentence if the disk is too full; else empty.
    """
    resident_bytes = (
        sizes([job.process.pid for job in jobs if job.process is not None])
        if limits.memory or limits.memory_together
        else {}
    )
    for job in jobs:
        if job.process is None or not job.active:
            continue
        kind, memory = KINDS[job.kind], resident_bytes.get(job.process.pid, 0)
        hours = limits.hours or kind.hours
        if memory > limits.memory > 0 and not job.over_limit:
            job.over_limit = (
                f"The {kind.noun} was stopped: it used {memory / GIGABYTE:.1f} GB of memory, and a job may use "
                f"{limits.memory / GIGABYTE:.1f} GB on this server; use fewer or smaller documents."
            )
            end(job.process)
        elif job.stopping_since is not None:
            if now - job.stopping_since > PATIENCE:
                job.cancelled = True
                end(job.process)
        elif job.began is not None and now - job.began > hours * _HOUR:
            job.over_limit = (
                f"The {kind.noun} was stopped after {duration(hours * _HOUR)}, the time limit on this server."
            )
            job.stopping_since = now
            job.cancel()
    _keep_free(jobs, shortage, now)
    _keep_together(jobs, limits, resident_bytes, end)


def _keep_free(jobs: Sequence[ServerJob], shortage: str, now: float) -> None:
    going = [job for job in jobs if job.process is not None and job.active]
    if shortage and going and not any(job.over_limit or job.stopping_since is not None for job in going):
        newest = max(going, key=lambda job: job.number)
        newest.over_limit = (
            f"The {KINDS[newest.kind].noun} was stopped: {shortage}. Delete documents or indexes, or ask whoever "
            f"runs the server for more space."
        )
        newest.stopping_since = now
        newest.cancel()


def _keep_together(
    jobs: Sequence[ServerJob], limits: JobLimits, sizes: Mapping[int, int], end: Callable[[subprocess.Popen[str]], None]
) -> None:
    staying = [(job, job.process) for job in jobs if job.process is not None and job.active and not job.over_limit]
    together = sum(sizes.get(process.pid, 0) for _, process in staying)
    if together > limits.memory_together > 0:
        job, process = max(staying, key=lambda one: (one[0].began or 0.0, one[0].number))
        job.over_limit = (
            f"The {KINDS[job.kind].noun} was stopped: all jobs of this server together used "
            f"{together / GIGABYTE:.1f} GB of memory, and they may use {limits.memory_together / GIGABYTE:.1f} "
            f"GB; start it again when fewer are running."
        )
        end(process)
