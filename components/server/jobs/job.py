"""A job's state, progress and outcome, and the callbacks by which the queue asks its host.

An ended job holds no name that only users of its workspace may see.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chunking.indexing import IndexPhase
from components.kit.wording import duration, plain
from components.server.jobs.job_kinds import INDEX, KINDS, PERCENT, PHASES, JobKind, index_share
from components.server.jobs.job_queue import QueuePosition

__all__ = ["EndedJob", "JobHost", "JobProgress", "ServerJob"]

_LOCAL = "local"
"""Id of the user where nobody signs in."""
_LINGER = 10.0
"""Seconds that a worker may take to exit after its last line."""
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Stage, finished share and estimated time left of a job."""

    stage: str
    """Current stage in plain words, such as `Loading the model`."""
    share: float
    """Finished share of the job, 0 to 1."""
    seconds_left: float | None
    """Estimated seconds left; None if unknown."""
    overdue: bool = False
    """True if the job, or the stage that it is in, takes longer than it was expected to."""

    @property
    def time_left(self) -> str:
        """Time left as people say it; empty if unknown.

        >>> JobProgress("Embedding", 0.4, 75).time_left
        'about 1 min 15 s left'
        >>> JobProgress("Writing", 1.0, 0.2).time_left
        'under a second left'
        >>> JobProgress("Loading the model", 0.0, 12, overdue=True).time_left
        'taking longer than expected'
        """
        if self.overdue:
            return "taking longer than expected"
        if self.seconds_left is None:
            return ""
        return f"{'about ' if self.seconds_left >= 1 else ''}{duration(self.seconds_left)} left"


@dataclass(slots=True)
class ServerJob:
    """A job of the queue: its task, worker process, progress and outcome.

    Written by the registry and by the thread that runs `follow`; read by pages.
    """

    name: str
    """Name of the index, the experiment or the question set."""
    process: subprocess.Popen[str] | None = None
    """Worker process; None while the job waits."""
    kind: str = INDEX
    task: Mapping[str, Any] = field(default_factory=dict)
    """Task for the worker: the settings and arguments."""
    number: int = field(default_factory=lambda: next(_numbers))
    """Number of the job on this server."""
    person: str = ""
    """Id of the person who started it."""
    request: str = ""
    """Id of the page run that started it, for the log."""
    address: str = ""
    """Address of its workspace."""
    queued_at: float = field(default_factory=time.time)
    """When it was queued, in seconds since 1970; after a restart, when it was queued again."""
    place: QueuePosition | None = None
    """Position in the queue, while it waits."""
    record_id: int = 0
    """Id in the job record; 0 without one."""
    documents: str = ""
    """Key of the documents when it began to wait; empty if it did not wait."""
    began: float | None = None
    """When its process started, by the clock of the registry."""
    done: int = 0
    total: int = 0
    message: str = ""
    step: int = 0
    """Current one of `steps` after the last chunk, from 1; 0 before."""
    steps: int = 0
    seconds_left: float | None = None
    """Estimated seconds left at `estimated_at`; None if unknown."""
    reported_share: float | None = None
    """Finished share, as its worker reports it; None if it is `done` of `total`."""
    stage_seconds: float | None = None
    """Those of `seconds_left` for a stage that reports nothing until it ends; None in any other."""
    estimated_at: float = field(default_factory=lambda: time.monotonic())
    """When `seconds_left` was estimated, by `time.monotonic`."""
    phase: IndexPhase = IndexPhase.PREPARE
    """Current phase of an index run."""
    phases: tuple[IndexPhase, ...] = ()
    """All phases of the index run."""
    falls: list[str] = field(default_factory=list)
    """Reasons for lower fallback levels, a sentence each."""
    notes: list[str] = field(default_factory=list)
    """Other notes for the person who started it, a sentence each."""
    estimates: list[dict[str, Any]] = field(default_factory=list)
    """Estimates received so far, of an estimation."""
    report: dict[str, Any] | None = None
    """Result of a job that is done, from its worker; else None."""
    error: str | None = None
    cancelled: bool = False
    interrupted: bool = False
    """True if the server ended while it ran, until it is restarted or dismissed."""
    active: bool = True
    """True while it waits or runs."""
    stopping: bool = False
    stopping_since: float | None = None
    """When it was asked to stop, by the clock of `began`."""
    over_limit: str = ""
    """The limit that it exceeded, as a sentence; empty if none."""

    def __post_init__(self) -> None:
        self.message = self.message or KINDS[self.kind].begin

    @property
    def waiting(self) -> bool:
        """True if the job is in the queue and has no process."""
        return self.active and self.process is None

    @property
    def running(self) -> bool:
        """True if the job is active and has a process."""
        return self.active and self.process is not None

    @property
    def outcome(self) -> str:
        """`done`, `cancelled`, `over a limit` or `failed`; valid only once the job has ended."""
        return (
            "done"
            if self.report
            else "cancelled"
            if self.cancelled
            else "over a limit"
            if self.over_limit
            else "failed"
        )

    @property
    def share(self) -> float:
        """Finished share of the job, 0 to 1."""
        if self.reported_share is not None:
            return self.reported_share
        if self.kind == INDEX:
            return index_share(self.done, self.total, self.step, self.steps)
        return min(self.done / self.total, 1.0) if self.total else 0.0

    @property
    def progress(self) -> JobProgress:
        """Current stage, share and time left, which counts down; while waiting, the position."""
        if self.waiting:
            return JobProgress(self.place.short if self.place else "In the queue", 0.0, None)
        stage = PHASES[self.phase] if self.kind == INDEX else KINDS[self.kind].doing
        stage = "Stopping" if self.stopping else stage
        if self.seconds_left is None:
            return JobProgress(stage, self.share, None)
        spent = time.monotonic() - self.estimated_at
        expected = self.seconds_left if self.stage_seconds is None else self.stage_seconds
        left = self.seconds_left - min(spent, expected)  # a stage that takes longer takes no time from the next one
        return JobProgress(stage, self.share, left if left > 0 else None, overdue=0 < expected <= spent)

    @property
    def line(self) -> str:
        """Name, queue position or progress, and time left in one line of Markdown."""
        kind = KINDS[self.kind]
        begin = f"{kind.doing} “{plain(self.name)}”" if self.name else kind.doing
        if self.waiting:
            return f"{begin}: {self.place.sentence if self.place else 'in the queue'}"
        if self.stopping:
            return f"{begin}: {kind.stopping}"
        begin = "" if self.message.startswith(begin) else f"{begin}: "
        counted = f" · {self.done:,} of {self.total:,} {kind.unit}" if self.total else ""
        counted = f" · {self.share:.0%}" if kind.unit == PERCENT else counted
        counted = f" · step {self.step} of {self.steps}" if self.step else counted
        time_left = f" · {self.progress.time_left}" if self.progress.time_left else ""
        return f"{begin}{plain(self.message)}{counted}{time_left}"

    def cancel(self) -> None:
        """Mark the job as stopping, and close its worker's input, which ends it after its batch."""
        self.stopping = True
        self._hang_up()

    def _hang_up(self) -> None:
        if self.process is None:
            return
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended meanwhile
            self.process.stdin.close()

    def tell(self, task: dict[str, Any]) -> None:
        """Send the worker its task as a line of JSON; ignored if the worker has ended."""
        assert self.process is not None
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended already; `follow` reads its exit code
            self.process.stdin.write(f"{json.dumps(task)}\n")
            self.process.stdin.flush()

    def follow(self) -> None:
        """Update the job from its worker's lines until the worker ends; blocks, so use a thread.

        At the end the job is inactive. A worker that does not exit in `_LINGER` seconds is killed; one that ended
        without an outcome gives an error.
        """
        assert self.process is not None
        assert self.process.stdout is not None
        try:
            with self.process.stdout as lines:
                for line in lines:
                    self._take(_event(line))
        finally:
            code = self._ended()
            if self.over_limit and not self.report:
                self.error, self.cancelled = f"{self.over_limit} {KINDS[self.kind].recovery}", False
            elif not (self.report or self.error or self.cancelled):
                self.error = _died(code, KINDS[self.kind])
            self.active = False

    def _ended(self) -> int:
        """Wait for the worker's exit code; kill a worker that does not exit."""
        assert self.process is not None
        self._hang_up()
        try:
            return self.process.wait(_LINGER)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def _take(self, event: dict[str, Any]) -> None:
        name = event.get("event")
        if name == "plan":
            self.total = event.get("chunks", event.get("total", 0))
            if self.kind == INDEX:
                self.seconds_left, self.estimated_at = event.get("seconds_expected"), time.monotonic()
                self.stage_seconds = None
        elif name == "progress":
            self.done, self.total, self.message = event["done"], event["total"], event["message"]
            self.seconds_left, self.estimated_at = event.get("seconds_left"), time.monotonic()
            self.stage_seconds, self.reported_share = event.get("stage_seconds"), event.get("share")
            self.step, self.steps = event.get("step", 0), event.get("steps", 0)
            self.phase = IndexPhase(event.get("phase", IndexPhase.PREPARE))
            if event.get("fell"):
                self.falls.append(self.message)
        elif name == "note":
            self.notes.append(event["message"])
        elif name == "estimate":
            self.estimates.append(event["estimate"])
        elif name == "done":
            self.report = event["report"]
        elif name == "cancelled":
            self.cancelled = True
        elif name == "failed":
            self.error = event["error"]


def _event(line: str) -> dict[str, Any]:
    """Parse a worker's line; empty if it is no event, such as a library's print."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _died(code: int, kind: JobKind) -> str:
    """Return the error of a worker that died without one; `code` below 0 is a signal."""
    how = (
        (f"was killed (signal {-code}), perhaps because memory ran out")
        if code < 0
        else f"failed (exit code {code}; see the server's log)"
    )
    return f"The {kind.noun} {how}. {kind.recovery}"


@dataclass(frozen=True, slots=True)
class EndedJob:
    """Kind, person, workspace, outcome and run time of an ended job; no names."""

    kind: str
    """A key of `KINDS`."""
    person: str
    """Id of the person who started it."""
    address: str
    """Address of its workspace."""
    outcome: str
    """Value of `ServerJob.outcome`."""
    why: str
    """The limit that it exceeded, as a sentence; empty if none."""
    seconds: float | None
    """Run time; None if it never started."""
    at: float
    """When it ended, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class JobHost:
    """Callbacks of the job queue into its host; the defaults suit a single local user."""

    user: Callable[[], str] = lambda: _LOCAL
    """Returns the id of the session's user, for callers who pass none."""
    may: Callable[[ServerJob], bool] = lambda job: True
    """True if the session's user may cancel a job, start it again or put it away; see `may_cancel`."""
    documents_of: Callable[[str], str] = lambda address: ""
    """Maps a workspace's address to a key of its documents' state."""
    admit: Callable[[str, str], None] = lambda person, address: None
    """Raises AccessError if a person may not start jobs in the workspace at an address."""
    check: Callable[[str, str], None] = lambda person, address: None
    """Raises ChunkscopeError if a person may not begin anything there, as on a full disk; called when a job is queued
    and when its turn comes."""
    shortage: Callable[[], str] = lambda: ""
    """Returns the middle of a sentence if the disk is too full; else an empty string."""
    is_ended: Callable[[str], bool] = lambda address: False
    """True if the workspace at an address was deleted while no server ran; its jobs are dropped."""
