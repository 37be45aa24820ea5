"""Jobs that take more than a job may, or more than all of them together: told in a sentence, and ended."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence

from chunking.text.byte_sizes import GIGABYTE
from components.kit.wording import duration
from components.server.jobs.job import Job
from components.server.jobs.job_kinds import KINDS
from components.server.jobs.job_limits import JobLimits

__all__ = ["PATIENCE", "enforce_limits"]

PATIENCE = 120.0
"""Seconds in which a job that was told to stop has to end: a batch, or an answer of a server, takes that long at most."""
_HOUR = 3600.0


def enforce_limits(
    jobs: Sequence[Job],
    limits: JobLimits,
    now: float,
    sizes: Callable[[Iterable[int]], Mapping[int, int]],
    end: Callable[[subprocess.Popen[str]], None],
    shortage: str = "",
) -> None:
    """Stop the jobs whose time is over, and end those that take too much memory or do not stop.

    All jobs write. Where the disk has less room than is to stay free, they are stopped one after the other, the newest first, until
    it has: what is free then is room for them to come to their end. Where all together take too much memory, the one that was started
    last is ended: the others have done more of their work. If that is not enough, the next look ends another.

    Args:
        jobs: that run.
        now: seconds, by the clock of `Job.began`.
        sizes: resident bytes of processes with all that they have started.
        end: ends a worker by force.
        shortage: of the disk, as the middle of a sentence; empty where it has room.
    """
    taken = sizes([job.process.pid for job in jobs if job.process is not None]) if limits.memory or limits.memory_together else {}
    for job in jobs:
        if job.process is None or not job.active:
            continue
        kind, memory = KINDS[job.kind], taken.get(job.process.pid, 0)
        hours = limits.hours or kind.hours
        if memory > limits.memory > 0 and not job.over_limit:
            job.over_limit = (
                f"The {kind.noun} was ended: it took {memory / GIGABYTE:.1f} GB of memory, and a job may take "
                f"{limits.memory / GIGABYTE:.1f} GB on this server; use fewer or smaller documents."
            )
            end(job.process)
        elif job.stopping_since is not None:
            if now - job.stopping_since > PATIENCE:
                job.cancelled = True
                end(job.process)
        elif job.began is not None and now - job.began > hours * _HOUR:
            job.over_limit = f"The {kind.noun} was stopped after {duration(hours * _HOUR)}, the longest that it may run on this server."
            job.stopping_since = now
            job.cancel()
    _keep_free(jobs, shortage, now)
    _keep_together(jobs, limits, taken, end)


def _keep_free(jobs: Sequence[Job], shortage: str, now: float) -> None:
    going = [job for job in jobs if job.process is not None and job.active]
    if shortage and going and not any(job.over_limit or job.stopping_since is not None for job in going):
        newest = max(going, key=lambda job: job.number)
        newest.over_limit = (
            f"The {KINDS[newest.kind].noun} was stopped: {shortage}. Delete documents or indexes, or ask whoever runs the server for room."
        )
        newest.stopping_since = now
        newest.cancel()


def _keep_together(jobs: Sequence[Job], limits: JobLimits, taken: Mapping[int, int], end: Callable[[subprocess.Popen[str]], None]) -> None:
    staying = [(job, job.process) for job in jobs if job.process is not None and job.active and not job.over_limit]
    together = sum(taken.get(process.pid, 0) for _, process in staying)
    if together > limits.memory_together > 0:
        job, process = max(staying, key=lambda one: (one[0].began or 0.0, one[0].number))
        job.over_limit = (
            f"The {KINDS[job.kind].noun} was ended: all jobs of this server took {together / GIGABYTE:.1f} GB of memory together, and they "
            f"may take {limits.memory_together / GIGABYTE:.1f} GB; start it again when fewer of them run."
        )
        end(process)
