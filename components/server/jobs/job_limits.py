"""Limits of jobs: how many run at once, what each may take, and the watch that ends those over the limits."""

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
"""Jobs of a weight, on however many processors: each loads a model of its own."""
LEAST_AT_ONCE = 2
MOST_WAITING = 20
"""Jobs of one person in the queue."""
LEAST_MEMORY = 2 << 30
"""Bytes: the model and its libraries take most of one gigabyte."""
_CGROUP = Path("/sys/fs/cgroup")
_OWN_CGROUP, _UNIFIED = Path("/proc/self/cgroup"), "0::/"

PATIENCE = 120.0
"""Seconds in which a job that was told to stop has to end: a batch, or an answer of a server, takes that long at most.
"""
_EVERY = 2.0
"""Seconds between two looks."""
_HOUR = 3600.0


def _cgroups() -> list[Path]:
    """The control groups whose limits hold for this process: those of a container, or of a systemd unit and of what it
    stands in.
    """
    own = _CGROUP
    with suppress(OSError, ValueError):  # no Linux, or none of version 2
        lines = _OWN_CGROUP.read_text(encoding="utf-8").splitlines()
        own = _CGROUP / next((line.removeprefix(_UNIFIED) for line in lines if line.startswith(_UNIFIED)), "")
    return [one for one in (own, *own.parents) if one.is_relative_to(_CGROUP)]


def processors() -> int:
    """Processors that this process may use, by its affinity and the quota of its container or unit; at least 1."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for group in _cgroups():
        with suppress(OSError, ValueError):  # no quota: "max"
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
            mine = min(mine, max(1, int(quota) // int(period)))
    return max(1, mine)


def machine_memory() -> int:
    """Bytes of memory that this machine has, or its container or unit may take; 0 where the system does not tell."""
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
    """What all jobs together, and each, may take. The defaults are made from the machine."""

    at_once: Mapping[Weight, int] = field(default_factory=_at_once)
    """Jobs of each weight that run at the same time: half of the processors, 2 to 8."""
    threads: int = field(default_factory=processors)
    """Of a job that runs alone; those that run beside others share them."""
    memory: int = field(default_factory=_memory)
    """Resident bytes of a job's processes together: half of the machine's; 0 for no limit."""
    memory_together: int = field(default_factory=_memory_together)
    """Resident bytes of all jobs: three quarters of the machine's, for the server needs some; 0 for no limit."""
    hours: float = 0.0
    """Of a job from its start, however long it waited; 0 for the limit of its kind, see job_kinds.py."""
    waiting: int = MOST_WAITING
    """Jobs of one person that wait at a time."""
    shared: bool = False
    """Several people use the server: the last free place of a weight is kept for somebody who has no job of it running,
    see `JobQueue`.
    """

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
        """As an operator says them; 0 is what is made from the machine.

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
        """Threads of a job that starts.

        Args:
            running: jobs of its weight that run then, with it.

        >>> [JobLimits(threads=8).threads_beside(running) for running in (1, 2, 3, 20)]
        [8, 4, 2, 1]
        """
        return max(1, self.threads // max(1, running))


class LimitWatch:
    """Looks at what running jobs take, every two seconds as long as any runs.

    Args:
        running: the jobs whose processes run.
        limits: what a job, and all together, may take.
        lock: of whoever starts and ends jobs: none starts between the last look and the end of looking.
        clock: seconds, that of `ServerJob.began`.
        sizes: resident bytes of processes with all that they have started, by process id.
        end: ends a worker by force.
        shortage: of the disk, as the middle of a sentence; empty where it has room.
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
        """Look from now on, in a thread, unless one does; to be called with the lock, once a job's process runs."""
        if self._thread is None:
            thread = threading.Thread(target=self._keep_looking, name="job-limits", daemon=True)
            thread.start()
            self._thread = thread

    def look(self) -> int:
        """Look once, and end the jobs that take too much; gives how many run."""
        running = self._running()
        _enforce(running, self._limits, self._clock(), self._sizes, self._end, self._short() if running else "")
        return len(running)

    def _keep_looking(self) -> None:
        while True:
            time.sleep(_EVERY)
            with self._lock:
                if not self._running():
                    self._thread = None
                    return
            try:
                self.look()
            except Exception:  # the limits hold from the next look on
                logging.getLogger(__name__).exception("The usage of running jobs could not be checked.")

    def _short(self) -> str:
        """What the disk lacks; nothing where nobody can say: the limits of time and memory hold all the same."""
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
    """Stop the jobs whose time is over, and end those that take too much memory or do not stop.

    All jobs write. Where the disk has less room than is to stay free, they are stopped one after the other, the newest
    first, until it has: what is free then is room for them to come to their end. Where all together take too much
    memory, the one that was started last is ended: the others have done more of their work. If that is not enough, the
    next look ends another.

    Args:
        jobs: that run.
        now: seconds, by the clock of `ServerJob.began`.
        sizes: resident bytes of processes with all that they have started.
        end: ends a worker by force.
        shortage: of the disk, as the middle of a sentence; empty where it has room.
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
