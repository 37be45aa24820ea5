"""Long work of the app: each job in a process of its own, known to every session, one of each kind at a time a workspace.

A job goes on when its page is left or its tab closed; whoever opens the page sees it, and can stop it. Building an index
keeps everything else from writing; measuring does not.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.indexing import Phase, Plan
from chunking.indexing.run.fallback_levels import writes
from components.kit.wording import duration, plain

__all__ = ["ESTIMATE", "EVALUATE", "INDEX", "LIVE", "PHASES", "SWEEP", "Job", "JobProgress", "Jobs", "Kind", "jobs"]

_ROOT = Path(__file__).parents[2]
INDEX, SWEEP, EVALUATE, LIVE, ESTIMATE = "index", "sweep", "evaluate", "live", "estimate"
"""Kinds of job, as the worker calls them."""


class Kind(NamedTuple):
    """What a kind of job is called."""

    noun: str
    """As in "The index run failed"."""
    doing: str
    """As in "Building “main”"."""
    unit: str
    """What is counted, in the plural."""
    begin: str
    """What it does before its worker has said anything."""
    stopping: str
    kept: str
    """What is left of a job whose worker died."""


_PERCENT = "percent"
"""Unit of what is counted in hundredths of all there is."""
_KINDS: Mapping[str, Kind] = {
    INDEX: Kind(
        "index run",
        "Building",
        "chunks",
        "Starting: counting what is new …",
        "stopping after this batch …",
        "The previous index is intact and can be searched, and finished work is saved: build again to continue.",
    ),
    SWEEP: Kind(
        "experiment",
        "Comparing settings",
        "questions",
        "Starting: looking up finished runs …",
        "stopping after this step; finished runs are saved …",
        "Finished runs are saved: start it again to continue.",
    ),
    EVALUATE: Kind(
        "measurement",
        "Measuring",
        "questions",
        "Starting: looking up finished work …",
        "stopping after this step …",
        "Earlier results are intact: run it again.",
    ),
    LIVE: Kind(
        "encoding for live recall",
        "Encoding",
        _PERCENT,
        "Starting: loading the model …",
        "stopping after this document …",
        "Finished documents are saved: start it again to continue.",
    ),
    ESTIMATE: Kind(
        "estimation",
        "Estimating",
        "configurations",
        "Starting: reading the documents …",
        "stopping after this step …",
        "Encoded documents are saved: start it again.",
    ),
}

_LINGER = 10.0
"""Seconds between a worker's last line and its end."""
_COMMAND = ("-m", "chunking.worker")
_numbers = itertools.count(1)
PHASES: Mapping[Phase, str] = {
    Phase.PREPARE: "Counting what is new",
    Phase.LOAD: "Loading the model",
    Phase.SPLIT: "Splitting",
    Phase.ENRICH: "Writing contexts and summaries",
    Phase.EMBED: "Embedding",
    Phase.CLUSTER: "Building the summary tree",
    Phase.FINISH: "Finishing",
}
"""What a run does, as the page calls it, in this order."""
_STARTING = 2.0
"""Seconds in which a worker starts, about."""
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
        """
        return "" if self.seconds_left is None else f"about {duration(self.seconds_left)} left"


@dataclass(slots=True)
class Job:
    """One job. Written by the thread that reads the worker's lines, read by pages: plain values only."""

    name: str
    """Of the index, the sweep or the question set."""
    process: subprocess.Popen[str]
    kind: str = INDEX
    task: Mapping[str, Any] = field(default_factory=dict)
    """What it was told to do."""
    number: int = field(default_factory=lambda: next(_numbers))
    """Tells the jobs of this server apart."""
    done: int = 0
    total: int = 0
    message: str = ""
    step: int = 0
    """Of `steps` that are done after the last chunk, from 1; 0 before that."""
    steps: int = 0
    seconds_left: float | None = None
    """As its worker estimated at `told`; before it has said anything, as whoever started it expects. None where nobody says."""
    share_told: float | None = None
    """How far it is as its worker says; None where that is `done` of `total`."""
    told: float = field(default_factory=lambda: time.monotonic())
    """When that was said, by `time.monotonic`."""
    phase: Phase = Phase.PREPARE
    """What a run for an index does now."""
    phases: tuple[Phase, ...] = ()
    """All that it goes through."""
    falls: list[str] = field(default_factory=list)
    """Why it goes on at a lower fallback level, a sentence each."""
    estimates: list[dict[str, Any]] = field(default_factory=list)
    """Of an estimation: those that have come."""
    report: dict[str, Any] | None = None
    error: str | None = None
    cancelled: bool = False
    active: bool = True
    stopping: bool = False

    def __post_init__(self) -> None:
        self.message = self.message or _KINDS[self.kind].begin

    @property
    def share(self) -> float:
        """How far it is, 0 to 1. What is done after the last chunk of an index has a share of its own."""
        if self.share_told is not None:
            return self.share_told
        whole = 1 - _FINISHING if self.kind == INDEX else 1.0
        if self.step:
            return whole + (1 - whole) * (self.step - 1) / self.steps
        return whole * min(self.done / self.total, 1.0) if self.total else 0.0

    @property
    def progress(self) -> JobProgress:
        """How far it is now: the time that is left runs down between two lines of the worker."""
        stage = PHASES[self.phase] if self.kind == INDEX else _KINDS[self.kind].doing
        left = None if self.seconds_left is None else self.seconds_left - (time.monotonic() - self.told)
        return JobProgress("Stopping" if self.stopping else stage, self.share, left if left is not None and left > 0 else None)

    @property
    def line(self) -> str:
        """What it is doing, as Markdown."""
        kind = _KINDS[self.kind]
        begin = f"{kind.doing} “{plain(self.name)}”" if self.name else kind.doing
        if self.stopping:
            return f"{begin}: {kind.stopping}"
        begin = "" if self.message.startswith(begin) else f"{begin}: "
        counted = f" · {self.done:,} of {self.total:,} {kind.unit}" if self.total else ""
        counted = f" · {self.share:.0%}" if kind.unit == _PERCENT else counted
        counted = f" · step {self.step} of {self.steps}" if self.step else counted
        left = f" · {self.progress.time_left}" if self.progress.time_left else ""
        return f"{begin}{plain(self.message)}{counted}{left}"

    def cancel(self) -> None:
        """Ask the worker to stop after its present batch: the end of its standard input says so."""
        self.stopping = True
        self._hang_up()

    def _hang_up(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended meanwhile
            self.process.stdin.close()

    def tell(self, task: dict[str, Any]) -> None:
        """Give the worker its task."""
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended already; how, its exit code says
            self.process.stdin.write(f"{json.dumps(task)}\n")
            self.process.stdin.flush()

    def follow(self) -> None:
        """Read the worker's lines until it ends; runs in a thread."""
        assert self.process.stdout is not None
        try:
            with self.process.stdout as lines:
                for line in lines:
                    self._take(_event(line))
        finally:
            code = self._ended()
            if not (self.report or self.error or self.cancelled):
                self.error = _died(code, _KINDS[self.kind])
            self.active = False

    def _ended(self) -> int:
        """The worker's exit code; one that has nothing more to say and does not end is ended."""
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
                self.seconds_left, self.told = event.get("seconds_expected"), time.monotonic()
        elif name == "progress":
            self.done, self.total, self.message = event["done"], event["total"], event["message"]
            self.seconds_left, self.told = event.get("seconds_left"), time.monotonic()
            self.share_told = event.get("share")
            self.step, self.steps = event.get("step", 0), event.get("steps", 0)
            self.phase = Phase(event.get("phase", Phase.PREPARE))
            if event.get("fell"):
                self.falls.append(self.message)
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
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _died(code: int, kind: Kind) -> str:
    """What is said of a worker that said nothing at its end; below 0, `code` is the signal that ended it."""
    how = (
        (f"was killed (signal {-code}), perhaps because memory ran out") if code < 0 else f"failed (exit code {code}; see the server's log)"
    )
    return f"The {kind.noun} {how}. {kind.kept}"


class Jobs:
    """The last job of each kind of each workspace."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], Job] = {}
        self._lock = threading.Lock()

    def of(self, address: str, kind: str = INDEX) -> Job | None:
        """The job that is under way, or the last one; None before the first."""
        return self._of.get((address, kind))

    def start(self, address: str, config: Config, name: str, plan: Plan | None = None) -> Job:
        """Start a run that builds an index, unless one is under way (then that one is returned).

        Args:
            plan: of the run, where it is known: says how long it will take before its worker does.
        Raises:
            ChunkscopeError: no process can be started.
        """
        task = {"name": name, "config": config.changed(), "doc_ids": None}
        loads = plan is None or plan.new > 0 or plan.encode > 0
        expected = None if plan is None else _STARTING + plan.seconds_expected
        return self.start_job(address, INDEX, task, phases=_phases(config, loads=loads), expected=expected)

    def start_job(
        self,
        address: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        name: str = "",
        phases: tuple[Phase, ...] = (),
        expected: float | None = None,
    ) -> Job:
        """Start a job of a kind, unless one of that kind is under way in the workspace (then that one is returned).

        Args:
            address: of the workspace.
            kind: INDEX, SWEEP, EVALUATE, LIVE or ESTIMATE.
            payload: the worker's task, without its kind and workspace; see chunking/worker.py.
            name: what people call it; the payload's name where empty.
            phases: what a run for an index goes through.
            expected: seconds that it will take, about, where anybody knows.
        Raises:
            ChunkscopeError: no process can be started.
        """
        with self._lock:
            present = self.of(address, kind)
            if present and present.active:
                return present
            named, task = name or str(payload.get("name") or ""), dict(payload)
            job = Job(named, _worker(_KINDS[kind]), kind, task, phases=phases, seconds_left=expected)
            job.tell({"kind": kind, "workspace": address, **payload})
            self._of[address, kind] = job
        threading.Thread(target=job.follow, daemon=True).start()
        return job


def _phases(config: Config, *, loads: bool = True) -> tuple[Phase, ...]:
    """What a run with these settings goes through.

    Args:
        loads: some vector needs the model.

    >>> [str(phase) for phase in _phases(Config())]
    ['prepare', 'load', 'split', 'embed', 'finish']
    """
    there = {Phase.LOAD: loads, Phase.ENRICH: writes(config), Phase.CLUSTER: config.enrich.raptor}
    return tuple(phase for phase in Phase if there.get(phase, True))


def _worker(kind: Kind) -> subprocess.Popen[str]:
    """A worker that finds this library wherever the app was started from."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        return subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
    except OSError as error:
        message = f"The {kind.noun} could not be started ({error.strerror}); close other programs or restart the app, then try again."
        raise ChunkscopeError(message) from error


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this server, shared by all sessions."""
    return Jobs()
