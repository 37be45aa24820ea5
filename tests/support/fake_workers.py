"""Workers that are no processes: they do what a test says, when it says it."""

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
    """Its text can be read after it was closed."""

    content = ""

    def close(self) -> None:
        self.content = self.content or self.getvalue()
        super().close()


class FakeWorker:
    """What `subprocess.Popen` is to a job."""

    def __init__(self, pid: int, kind: JobKind, threads: int) -> None:
        self.pid, self.kind, self.threads = pid, kind, threads
        self.stdin, self.stdout = _Input(), StringIO()
        self.code, self.killed = 0, False

    @property
    def task(self) -> dict[str, Any]:
        """What it was told to do."""
        job: dict[str, Any] = json.loads(self.stdin.content or self.stdin.getvalue())
        return job

    def wait(self, timeout: float | None = None) -> int:
        """It has ended."""
        return self.code

    def kill(self) -> None:
        """As the system does it."""
        self.code, self.killed = -9, True


class FakeWorkers:
    """The outside of `Jobs`: starts fake workers, one clock, and sizes that a test sets.

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
        """A registry over these workers."""
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
        """The worker of a job."""
        assert isinstance(job.process, FakeWorker)
        return job.process

    def end(self, job: ServerJob, *events: dict[str, Any], code: int = 0) -> ServerJob:
        """Let a worker say some lines and end; without any, it says that it is done."""
        worker = self.of(job)
        worker.code = worker.code or code
        said = events or (() if code or worker.killed else ({"event": "done", "report": {"task": worker.task}},))
        worker.stdout = StringIO("".join(f"{json.dumps(event)}\n" for event in said))
        self._reads.pop(worker.pid)()
        return job


def build(jobs: Jobs, address: str, person: str = "ann", kind: str = INDEX) -> ServerJob:
    """One more job."""
    return jobs.start_job(address, kind, {"name": "main", "config": {"size": "300"}}, person=person)
