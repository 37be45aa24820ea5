"""Fake worker processes, controlled by the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from io import StringIO
from typing import Any

from chunking.errors import ChunkscopeError, QuotaError
from components.server.jobs import INDEX, JobHost, JobLimits, JobProcesses, JobRecord, Jobs, ServerJob, Weight
from components.server.jobs.job_kinds import JobKind

__all__ = ["FakeWorker", "FakeWorkers", "build"]


class _Input(StringIO):
    """Input stream whose text stays readable after it is closed."""

    content = ""

    def close(self) -> None:
        self.content = self.content or self.getvalue()
        super().close()


class FakeWorker:
    """Fake of a job's `subprocess.Popen`."""

    def __init__(self, pid: int, kind: JobKind, threads: int) -> None:
        self.pid, self.kind, self.threads = pid, kind, threads
        self.stdin, self.stdout = _Input(), StringIO()
        self.code, self.killed = 0, False

    @property
    def task(self) -> dict[str, Any]:
        """Task that the worker received."""
        job: dict[str, Any] = json.loads(self.stdin.content or self.stdin.getvalue())
        return job

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code at once."""
        return self.code

    def kill(self) -> None:
        """Kill the worker with signal 9."""
        self.code, self.killed = -9, True


class FakeWorkers:
    """Fake environment of `Jobs`: workers, clock and memory sizes.

    Attributes:
        started: every worker, in the order of their start.
        now: seconds.
        sizes: resident bytes by process id.
        refuses: no process can be started.
        shortage: of the disk, as the middle of a sentence; nothing new begins where it is not empty.
    """

    def __init__(self) -> None:
        self.started: list[FakeWorker] = []
        self.now, self.sizes, self.refuses = 0.0, dict[int, int](), False
        self.documents, self.shortage = "as they were", ""
        self._reads: dict[int, Callable[[], None]] = {}

    def jobs(
        self,
        heavy: int = 1,
        light: int = 1,
        *,
        threads: int = 4,
        memory: int = 0,
        together: int = 0,
        hours: float = 24.0,
        waiting: int = 20,
        record: JobRecord | None = None,
        may: Callable[[ServerJob], bool] = lambda job: True,
        admit: Callable[[str, str], None] = lambda person, address: None,
        is_ended: Callable[[str], bool] = lambda address: False,
    ) -> Jobs:
        """Return a job registry over these workers."""
        limits = JobLimits({Weight.HEAVY: heavy, Weight.LIGHT: light}, threads, memory, together, hours, waiting)
        host = JobHost(
            may=may,
            admit=admit,
            documents_of=lambda address: self.documents,
            check=lambda person, address: self.check(),
            shortage=lambda: self.shortage,
            is_ended=is_ended,
        )
        processes = JobProcesses(
            launch=lambda kind, threads: self.launch(kind, threads),  # type: ignore[arg-type,return-value]
            follow=lambda read: self.follow(read),
            clock=lambda: self.now,
            sizes=self._sizes,
            end=lambda process: process.kill(),
        )
        return Jobs(limits, record, host, processes)

    def check(self) -> None:
        if self.shortage:
            raise QuotaError(f"Nothing begins: {self.shortage}.")

    def launch(self, kind: JobKind, threads: int) -> FakeWorker:
        if self.refuses:
            raise ChunkscopeError(f"The {kind.noun} could not be started.")
        self.started.append(FakeWorker(4000 + len(self.started), kind, threads))
        return self.started[-1]

    def follow(self, read: Callable[[], None]) -> None:
        self._reads[self.started[-1].pid] = read

    def _sizes(self, pids: Iterable[int]) -> dict[int, int]:
        return {pid: self.sizes[pid] for pid in pids if pid in self.sizes}

    def of(self, job: ServerJob) -> FakeWorker:
        """Return the worker of a job."""
        assert isinstance(job.process, FakeWorker)
        return job.process

    def end(self, job: ServerJob, *events: dict[str, Any], code: int = 0) -> ServerJob:
        """Let a worker emit events and end; by default it reports that it is done."""
        worker = self.of(job)
        worker.code = worker.code or code
        said = events or (() if code or worker.killed else ({"event": "done", "report": {"task": worker.task}},))
        worker.stdout = StringIO("".join(f"{json.dumps(event)}\n" for event in said))
        self._reads.pop(worker.pid)()
        return job


def build(jobs: Jobs, address: str, person: str = "ann", kind: str = INDEX) -> ServerJob:
    """Start another job."""
    return jobs.start_job(address, kind, {"name": "main", "config": {"size": "300"}}, person=person)
