"""Jobs that take more than a job may, or more than all of them together: told in a sentence, and ended."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from chunking.errors import StoreError
from chunking.text.byte_sizes import GIGABYTE
from components.kit.wording import duration
from components.server.jobs.job import ServerJob
from components.server.jobs.job_kinds import KINDS
from components.server.jobs.job_limits import JobLimits

__all__ = ["PATIENCE", "LimitWatch"]

PATIENCE = 120.0
"""Seconds in which a job that was told to stop has to end: a batch, or an answer of a server, takes that long at most.
"""
_EVERY = 2.0
"""Seconds between two looks."""
_HOUR = 3600.0


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
            logging.getLogger(__name__).warning("Free disk space is not checked while jobs run. %s", error)
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
    first, until
    it has: what is free then is room for them to come to their end. Where all together take too much memory, the one
    that was started
    last is ended: the others have done more of their work. If that is not enough, the next look ends another.

    Args:
        jobs: that run.
        now: seconds, by the clock of `ServerJob.began`.
        sizes: resident bytes of processes with all that they have started.
        end: ends a worker by force.
        shortage: of the disk, as the middle of a sentence; empty where it has room.
    """
    taken = (
        sizes([job.process.pid for job in jobs if job.process is not None])
        if limits.memory or limits.memory_together
        else {}
    )
    for job in jobs:
        if job.process is None or not job.active:
            continue
        kind, memory = KINDS[job.kind], taken.get(job.process.pid, 0)
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
    _keep_together(jobs, limits, taken, end)


def _keep_free(jobs: Sequence[ServerJob], shortage: str, now: float) -> None:
    going = [job for job in jobs if job.process is not None and job.active]
    if shortage and going and not any(job.over_limit or job.stopping_since is not None for job in going):
        newest = max(going, key=lambda job: job.number)
        newest.over_limit = (
            f"The {KINDS[newest.kind].noun} was stopped: {shortage}. Delete documents or indexes, or ask whoever runs "
            "the server for more space."
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
            f"The {KINDS[job.kind].noun} was stopped: all jobs of this server together used {together / GIGABYTE:.1f} "
            f"GB of memory, and they may use {limits.memory_together / GIGABYTE:.1f} GB; start it again when fewer "
            "are running."
        )
        end(process)
