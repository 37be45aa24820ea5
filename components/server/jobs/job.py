"""One job: its state, what its worker has reported, and its outcome; and the questions that the queue asks its host.

An ended job holds no name that only people of its workspace may see.
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
from components.server.jobs.job_kinds import INDEX, KINDS, PERCENT, PHASES, JobKind
from components.server.jobs.job_queue import QueuePosition

__all__ = ["EndedJob", "JobHost", "JobProgress", "ServerJob"]

_LOCAL = "local"
"""Id of the user where nobody signs in."""
_LINGER = 10.0
"""Seconds between a worker's last line and its end."""
_numbers = itertools.count(1)
_FINISHING = 0.1
"""Share of a run that the steps after the last chunk get, whatever time they take."""


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is: all that a bar, a line or a chip needs to know of it."""

    stage: str
    """What it does now, in plain words, such as `Loading the model`."""
    share: float
    """Of the whole job, 0 to 1."""
    seconds_left: float | None
    """About; None where nobody can say."""

    @property
    def time_left(self) -> str:
        """As a person says it; empty where nobody can say.

        >>> JobProgress("Embedding", 0.4, 75).time_left
        'about 1 min 15 s left'
        >>> JobProgress("Writing", 1.0, 0.2).time_left
        'under a second left'
        """
        if self.seconds_left is None:
            return ""
        return f"{'about ' if self.seconds_left >= 1 else ''}{duration(self.seconds_left)} left"


@dataclass(slots=True)
class ServerJob:
    """One job. Written by the thread that reads the worker's lines, read by pages: plain values only."""

    name: str
    """Of the index, the sweep or the question set."""
    process: subprocess.Popen[str] | None = None
    """Its worker; None while it waits."""
    kind: str = INDEX
    task: Mapping[str, Any] = field(default_factory=dict)
    """What it was told to do."""
    number: int = field(default_factory=lambda: next(_numbers))
    """Tells the jobs of this server apart."""
    person: str = ""
    """Who started it."""
    request: str = ""
    """Id of the run of a page that did, as the log has it."""
    address: str = ""
    """Of its workspace."""
    queued_at: float = field(default_factory=time.time)
    """When it came into the queue, in seconds since 1970; of one from before a restart, the time of that."""
    place: QueuePosition | None = None
    """In the queue, while it waits."""
    record_id: int = 0
    """Its id in the record of jobs; 0 where there is none."""
    documents: str = ""
    """Which documents there were when it began to wait; empty where it did not."""
    began: float | None = None
    """When its process was started, by the clock of who started it."""
    done: int = 0
    total: int = 0
    message: str = ""
    step: int = 0
    """Of `steps` that are done after the last chunk, from 1; 0 before that."""
    steps: int = 0
    seconds_left: float | None = None
    """Estimated by its worker at `estimated_at`, before that by whoever started it; None if nobody can say."""
    share_told: float | None = None
    """How far it is as its worker says; None where that is `done` of `total`."""
    estimated_at: float = field(default_factory=lambda: time.monotonic())
    """When that was said, by `time.monotonic`."""
    phase: IndexPhase = IndexPhase.PREPARE
    """What a run for an index does now."""
    phases: tuple[IndexPhase, ...] = ()
    """All that it goes through."""
    falls: list[str] = field(default_factory=list)
    """Why it goes on at a lower fallback level, a sentence each."""
    notes: list[str] = field(default_factory=list)
    """What else whoever started it should know, a sentence each."""
    estimates: list[dict[str, Any]] = field(default_factory=list)
    """Of an estimation: those that have come."""
    report: dict[str, Any] | None = None
    error: str | None = None
    cancelled: bool = False
    interrupted: bool = False
    """The server ended while it ran; nobody has started it again or put it away."""
    active: bool = True
    """It waits or runs."""
    stopping: bool = False
    stopping_since: float | None = None
    """By the same clock as `began`."""
    over_limit: str = ""
    """Why it was ended, where it took more than a job may: a sentence."""

    def __post_init__(self) -> None:
        self.message = self.message or KINDS[self.kind].begin

    @property
    def waiting(self) -> bool:
        """It stands in the queue, and holds nothing."""
        return self.active and self.process is None

    @property
    def running(self) -> bool:
        """Its worker is at work."""
        return self.active and self.process is not None

    @property
    def outcome(self) -> str:
        """How it ended, in a word or three; of one that has not ended, how it would now."""
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
        """How far it is, 0 to 1. What is done after the last chunk of an index has a share of its own."""
        if self.share_told is not None:
            return self.share_told
        before_finish = 1 - _FINISHING if self.kind == INDEX else 1.0
        if self.step:
            return before_finish + (1 - before_finish) * (self.step - 1) / self.steps
        return before_finish * min(self.done / self.total, 1.0) if self.total else 0.0

    @property
    def progress(self) -> JobProgress:
        """How far it is now: the time that is left runs down between two lines of the worker."""
        if self.waiting:
            return JobProgress(self.place.short if self.place else "In the queue", 0.0, None)
        stage = PHASES[self.phase] if self.kind == INDEX else KINDS[self.kind].doing
        seconds = None if self.seconds_left is None else self.seconds_left - (time.monotonic() - self.estimated_at)
        return JobProgress(
            "Stopping" if self.stopping else stage, self.share, seconds if seconds is not None and seconds > 0 else None
        )

    @property
    def line(self) -> str:
        """What it is doing, as Markdown."""
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
        """Ask the worker to stop after its present batch: the end of its standard input says so."""
        self.stopping = True
        self._hang_up()

    def _hang_up(self) -> None:
        if self.process is None:
            return
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended meanwhile
            self.process.stdin.close()

    def tell(self, task: dict[str, Any]) -> None:
        """Give the worker its task."""
        assert self.process is not None
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended already; how, its exit code says
            self.process.stdin.write(f"{json.dumps(task)}\n")
            self.process.stdin.flush()

    def follow(self) -> None:
        """Read the worker's lines until it ends; runs in a thread."""
        assert self.process is not None
        assert self.process.stdout is not None
        try:
            with self.process.stdout as lines:
                for line in lines:
                    self._take(_event(line))
        finally:
            code = self._ended()
            if self.over_limit and not self.report:
                self.error, self.cancelled = f"{self.over_limit} {KINDS[self.kind].kept}", False
            elif not (self.report or self.error or self.cancelled):
                self.error = _died(code, KINDS[self.kind])
            self.active = False

    def _ended(self) -> int:
        """The worker's exit code; one that has nothing more to say and does not end is ended."""
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
        elif name == "progress":
            self.done, self.total, self.message = event["done"], event["total"], event["message"]
            self.seconds_left, self.estimated_at = event.get("seconds_left"), time.monotonic()
            self.share_told = event.get("share")
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
    """What the worker says in a line; nothing, where a library has printed one."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _died(code: int, kind: JobKind) -> str:
    """What is said of a worker that said nothing at its end; below 0, `code` is the signal that ended it."""
    how = (
        (f"was killed (signal {-code}), perhaps because memory ran out")
        if code < 0
        else f"failed (exit code {code}; see the server's log)"
    )
    return f"The {kind.noun} {how}. {kind.kept}"


@dataclass(frozen=True, slots=True)
class EndedJob:
    """One job, after its end."""

    kind: str
    """A key of `KINDS`."""
    person: str
    """Who started it."""
    address: str
    """Of its workspace."""
    outcome: str
    """As `ServerJob.outcome`."""
    why: str
    """The limit that it was over, as a sentence; empty where it was over none."""
    seconds: float | None
    """That it ran; None where it never began."""
    at: float
    """When it ended, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class JobHost:
    """Questions that the queue asks its host; by default those of one person on their own machine."""

    user: Callable[[], str] = lambda: _LOCAL
    """Id of the session's user, for callers who name nobody."""
    may: Callable[[ServerJob], bool] = lambda job: True
    """True if the session's user may cancel a job, start it again or put it away; see `may_cancel`."""
    documents_of: Callable[[str], str] = lambda address: ""
    """Address of a workspace to a key of its documents' state."""
    admit: Callable[[str, str], None] = lambda person, address: None
    """Raises AccessError if a person may not start jobs in the workspace at an address."""
    check: Callable[[str, str], None] = lambda person, address: None
    """Raises ChunkscopeError if a person may not begin anything there, as on a full disk; called when a job is queued
    and when its turn comes."""
    shortage: Callable[[], str] = lambda: ""
    """Middle of a sentence if the disk has less room than must stay free; else empty."""
    is_ended: Callable[[str], bool] = lambda address: False
    """True if the workspace at an address ended for good while no server ran: nothing is said of its jobs."""
