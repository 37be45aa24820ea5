"""How many jobs run at once on this server, and what one job may take: threads, memory, time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from chunking.text.byte_sizes import GIGABYTE
from components.server.jobs.job_kinds import Weight

__all__ = ["MOST_AT_ONCE", "JobLimits", "machine_memory", "processors"]

MOST_AT_ONCE = 8
"""Jobs of a weight, on however many processors: each loads a model of its own."""
LEAST_AT_ONCE = 2
MOST_WAITING = 20
"""Jobs of one person in the queue."""
LEAST_MEMORY = 2 << 30
"""Bytes: the model and its libraries take most of one gigabyte."""
_CGROUP = Path("/sys/fs/cgroup")
_OWN_CGROUP, _UNIFIED = Path("/proc/self/cgroup"), "0::/"


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
    """Waiting jobs of one person."""
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
